// Package trust tells where a path leads, and who else than the caller and root can make
// it lead elsewhere. It exists because two things must not be done through files of
// other users: obeying a configuration, and writing as root. It follows a link only if
// no other user could have made it.
package trust

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mostLinks is how many links one path may lead over, as in Linux.
const mostLinks = 40

// LinkError says that a link was not followed, because others could have laid it.
type LinkError struct {
	Link  string      // the path of the link
	Doubt *DoubtError // who could have laid it
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link, and %s, so it is not followed as root; remove the link, or run this as the user to whom that belongs: sudo -u USER", e.Link, e.Doubt)
}

// DoubtError says who else than the caller and root can change what a path leads to.
type DoubtError struct {
	Path string // the file or directory that others can change
	Why  string // who can, as in "belongs to mallory"
}

func (e *DoubtError) Error() string { return e.Path + " " + e.Why }

// Open opens the directory at a path. What root does through the returned directory stays
// below the last directory that only root can exchange: a link that other users could have
// made and that leads out of there is a LinkError. For other callers every link is
// followed, because it gives them no rights that they do not have anyway.
func Open(path string) (*os.Root, error) { return open(path, nil) }

// Make is Open for a directory that is made where it is missing, with these permissions.
func Make(path string, perm fs.FileMode) (*os.Root, error) { return open(path, &perm) }

func open(path string, made *fs.FileMode) (*os.Root, error) {
	if os.Geteuid() != 0 {
		if made != nil {
			if err := os.MkdirAll(path, *made); err != nil {
				return nil, err
			}
		}
		return os.OpenRoot(path + "/.") // as a directory: a pipe is not waited for
	}
	w, err := walk(path)
	if err != nil {
		return nil, err
	}
	base, err := os.OpenRoot(w.at)
	if err != nil || len(w.rest) == 0 {
		return base, err
	}
	defer func() { _ = base.Close() }()
	rest := filepath.Join(w.rest...)
	if made != nil {
		err = base.MkdirAll(rest, *made)
	}
	var dir *os.Root
	if err == nil {
		dir, err = base.OpenRoot(rest + "/.") // as a directory: a pipe is not waited for
	}
	if err != nil {
		return nil, w.explain(base, err)
	}
	return dir, nil
}

// Regular opens a file below a directory for reading. It does not follow a link or wait
// for a pipe: anything but a plain file is an error that is ErrIrregular.
func Regular(dir *os.Root, name string) (*os.File, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(dir.Name(), name), Err: ErrIrregular}
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrIrregular}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// tried is how much Try writes, in bytes: some file systems keep small files where a full
// disk has room.
const tried = 8 << 10

// Try makes a file in a directory and removes it, because permissions do not show full
// disks and read-only mounts.
func Try(dir *os.Root) error {
	name := ".writable-" + rand.Text()
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, tried))
	return errors.Join(err, f.Close(), dir.Remove(name))
}

// ErrIrregular says that something else than a plain file is in the place of one.
var ErrIrregular = errors.New("it is no plain file")

// File returns where a file is, with every link on the way resolved. It returns a
// DoubtError if users other than the caller and root can change the file or the way to
// it. A relative path begins in the working directory, which is judged as well.
func File(path string) (string, error) {
	w, err := walk(path)
	switch {
	case err != nil:
		return "", err
	case w.doubt != nil:
		return "", w.doubt
	case len(w.rest) > 1:
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case len(w.rest) == 0:
		return "", &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	file := filepath.Join(w.at, w.rest[0])
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	if why := changeable(file, info); why != "" {
		return "", &DoubtError{Path: file, Why: why}
	}
	return file, nil
}

// Mine reports whether only the caller and root can exchange the directory at a path, or
// what is in it.
func Mine(path string) bool {
	w, err := walk(path)
	return err == nil && w.doubt == nil && len(w.rest) == 0
}

// way is how far a path leads without others.
type way struct {
	at    string      // the last directory that others cannot exchange, without links
	rest  []string    // the names from there on; more than one if a directory is missing, or if others can change at
	doubt *DoubtError // who can change what is in at; nil: no other user
}

// walk follows a path from directory to directory, and its links, until others could
// make it lead elsewhere.
func walk(path string) (way, error) {
	w := way{at: "/", rest: names(path)}
	if !filepath.IsAbs(path) {
		w.at = "."
	}
	for links := 0; ; {
		open, err := w.judge()
		if err != nil || w.doubt != nil || len(w.rest) == 0 {
			return w, err
		}
		next := filepath.Join(w.at, w.rest[0])
		info, err := os.Lstat(next)
		switch {
		case open && !stays(info, err):
			w.doubt = everybody(w.at)
			return w, nil
		case errors.Is(err, fs.ErrNotExist):
			return w, nil
		case err != nil:
			return w, err
		case info.IsDir():
			w.at, w.rest = next, w.rest[1:]
		case info.Mode()&fs.ModeSymlink == 0:
			return w, nil // a file, or nothing that holds others
		default:
			if links++; links > mostLinks {
				return w, &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
			}
			if err := w.turn(next); err != nil {
				return w, err
			}
		}
	}
}

// stays reports whether something stays what it is where everybody may write: only a
// directory of ours does.
func stays(info fs.FileInfo, err error) bool { return err == nil && ours(info) && info.IsDir() }

// judge notes who can change the content of the directory that a way has reached. In an
// open directory, such as /tmp, every user may add something, but not change what belongs
// to others; if the way ends there, it is in doubt.
func (w *way) judge() (open bool, err error) {
	info, err := os.Lstat(w.at)
	if err != nil {
		return false, err
	}
	why := changeable(w.at, info)
	open = why != "" && ours(info) && info.Mode()&fs.ModeSticky != 0
	switch {
	case open && len(w.rest) == 0:
		w.doubt = everybody(w.at)
	case why != "" && !open:
		w.doubt = &DoubtError{Path: w.at, Why: why}
	}
	return open, nil
}

// turn continues the way where a link leads.
func (w *way) turn(link string) error {
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if filepath.IsAbs(target) {
		w.at = "/"
	}
	w.rest = slices.Concat(names(target), w.rest[1:])
	return nil
}

func everybody(path string) *DoubtError {
	return &DoubtError{Path: path, Why: "can be written by everybody"}
}

// names are the names in a path, in their order.
func names(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

// explain names what is in the way, where a way could not be gone on.
func (w way) explain(base *os.Root, err error) error {
	for i := range w.rest {
		name := filepath.Join(w.rest[:i+1]...)
		info, lookErr := base.Lstat(name)
		if lookErr != nil {
			break
		}
		_, openErr := base.Stat(name)
		switch link := info.Mode()&fs.ModeSymlink != 0; {
		case link && openErr != nil && w.doubt != nil:
			return &LinkError{Link: filepath.Join(w.at, name), Doubt: w.doubt}
		case !link && !info.IsDir():
			return &fs.PathError{Op: "open", Path: filepath.Join(w.at, name), Err: syscall.ENOTDIR}
		}
	}
	return err
}

// ours reports whether something belongs to the caller or to root.
func ours(info fs.FileInfo) bool {
	uid, _ := owner(info)
	return uid == 0 || uid == os.Geteuid()
}

// changeable says which users besides the caller and root can change a file, or the
// content of a directory; "" if none can.
func changeable(path string, info fs.FileInfo) string {
	uid, gid := owner(info)
	switch {
	case !ours(info):
		return "belongs to " + nameOf(uid)
	case info.Mode().Perm()&0o002 != 0:
		return "can be written by everybody"
	case info.Mode().Perm()&0o020 != 0 && (!alone(gid, uid) || !hasNoACL(path)):
		return "can be written by the group " + groupOf(gid)
	}
	return ""
}

// owner is the user and the group of something, -1 where the system does not tell.
func owner(info fs.FileInfo) (uid, gid int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return -1, -1
}

func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "the user " + strconv.Itoa(uid)
}

func groupOf(gid int) string {
	if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil {
		return g.Name
	}
	return strconv.Itoa(gid)
}

// hasNoACL reports whether a file has no access control list. If it has one, its group
// permissions apply to everybody in that list.
func hasNoACL(path string) bool {
	size, err := syscall.Getxattr(path, "system.posix_acl_access", nil)
	return size <= 0 && (errors.Is(err, syscall.ENODATA) || errors.Is(err, syscall.ENOTSUP))
}

// alone reports whether a group is the private one of a user, which many systems make
// with each user: it has the name of the user, and no other member. A group that is not
// in /etc/group is private to no user.
func alone(gid, uid int) bool {
	name := ""
	for _, line := range lines("/etc/passwd") {
		if len(line) < 4 || line[3] != strconv.Itoa(gid) {
			continue
		}
		if name != "" || line[2] != strconv.Itoa(uid) {
			return false // it is also the first group of another user
		}
		name = line[0]
	}
	known := false
	for _, line := range lines("/etc/group") {
		if len(line) != 4 || line[2] != strconv.Itoa(gid) {
			continue
		}
		if known = name != "" && line[0] == name && (line[3] == "" || line[3] == name); !known {
			return false
		}
	}
	return known
}

// lines are the lines of a table of users or groups, each as its fields.
func lines(path string) (all [][]string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), ":"))
	}
	return all
}
