package keep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"voicegateway/internal/ground/trust"
)

// maxSize bounds one value in bytes. State here is a few timers or one task; a larger
// file is a mistake or not ours, and is not read into memory.
const maxSize = 1 << 20

// leftover is the age from which a temporary file must have been left by a killed
// process: writing maxSize bytes never takes that long.
const leftover = time.Hour

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CorruptError says that a saved value could not be read and was set aside. The caller's
// value is untouched and the store keeps working, so this is worth a warning and never a
// reason to stop.
type CorruptError struct {
	Name  string // the name given to Load
	Aside string // where the file is now; "" if it could not be moved
	Err   error  // what was wrong with it
}

func (e *CorruptError) Error() string {
	kept := "and could not be set aside"
	if e.Aside != "" {
		kept = "and was set aside as " + e.Aside
	}
	return fmt.Sprintf("the saved state %q is damaged (%v) %s; going on without it", e.Name, e.Err, kept)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Store is a directory of named values. It is safe for concurrent use.
type Store struct {
	dir string
	mu  sync.Mutex
}

// Recall opens a state directory and reads the value that an earlier run saved under a
// name; what names the value in the log. If that fails, Recall logs it and begins with
// an empty value. If the directory cannot be opened, disk is nil, and new values last
// only until the program ends. An empty dir is not an error.
func Recall[T any](dir, name, what string, log *slog.Logger) (disk *Store, kept T) {
	if dir == "" {
		return nil, kept
	}
	disk, err := Open(dir)
	if err != nil {
		log.Warn("this is kept until the program ends only", "what", what, "err", err)
		return nil, kept
	}
	var read T
	if err := disk.Load(name, &read); err != nil {
		log.Warn("what an earlier run kept of this is lost", "what", what, "err", err)
		return disk, kept
	}
	return disk, read
}

// Open makes sure that the directory exists (mode 0700 if it is made) and removes
// temporary files that a killed process left. A directory that can be read but
// not written is accepted: Load works there and Save says what is wrong.
func Open(dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("opening the state directory: none is given; set gateway.state_dir")
	}
	within, err := trust.Make(dir, 0o700)
	if err == nil {
		err = errors.Join(tidy(within, unfinished.MatchString), within.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("opening the state directory: %w", explain(dir, err))
	}
	return &Store{dir: dir}, nil
}

// unfinished matches the names of files that are being written: a point, the name that
// the file will have, and digits.
var unfinished = regexp.MustCompile(`^\..+[0-9]$`)

// tidy removes files that killed processes left unfinished, if counts accepts their
// name. A file that cannot be removed does no harm.
func tidy(dir *os.Root, counts func(name string) bool) error {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !counts(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftover {
			_ = dir.Remove(e.Name())
		}
	}
	return nil
}

// tidyBeside does the same for a single file that is being rewritten.
func tidyBeside(dir *os.Root, name string) {
	_ = tidy(dir, func(one string) bool { // the write says what is wrong with the directory
		digits, ok := strings.CutPrefix(one, "."+name)
		return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
	})
}

// Dir returns the directory, for messages.
func (s *Store) Dir() string { return s.dir }

// Load reads the value of a name into v, which must be a pointer. A value that
// was never saved is no error and leaves v as it is. A damaged file is set aside
// and reported as a *CorruptError.
func (s *Store) Load(name string, v any) error {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := trust.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("loading the state %q: %w", name, explain(s.dir, err))
	}
	defer func() { _ = dir.Close() }()
	data, err := read(dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, errTooLarge) || errors.Is(err, trust.ErrIrregular) {
		return s.setAside(dir, name, err)
	}
	if err != nil {
		return fmt.Errorf("loading the state %q: %w", name, explain(s.dir, err))
	}
	if err := decode(data, v); err != nil {
		return s.setAside(dir, name, err)
	}
	return nil
}

// decode checks the text as a whole first, so that a file cut in the middle does
// not leave half of its fields in v.
func decode(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty")
	}
	if !json.Valid(data) {
		return errors.New("the file is not valid JSON")
	}
	return json.Unmarshal(data, v)
}

var errTooLarge = fmt.Errorf("the file is over %d bytes", maxSize)

// read reads a plain file. A link is not followed, because what it leads to is not
// ours, and a pipe is not waited for.
func read(dir *os.Root, file string) ([]byte, error) {
	f, err := trust.Regular(dir, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, errTooLarge
	}
	return data, nil
}

// setAside renames a damaged file so that a person can look at it. One of the same day is
// overwritten, and of earlier days only the newest are kept, so they cannot pile up.
func (s *Store) setAside(dir *os.Root, name string, cause error) error {
	file := name + ending
	broken := file + brokenMark + time.Now().Format(time.DateOnly)
	aside := filepath.Join(s.dir, broken)
	if err := dir.Rename(file, broken); err != nil {
		aside = ""
	}
	all := slices.DeleteFunc(BrokenIn(s.dir), func(b Broken) bool { return b.Name != name })
	for _, old := range all[min(len(all), mostBroken):] {
		_ = dir.Remove(filepath.Base(old.File)) // one that stays does no harm
	}
	return &CorruptError{Name: name, Aside: aside, Err: cause}
}

// brokenMark stands between the name of a damaged file and the day on which it was set
// aside. At most mostBroken damaged files of one value are kept.
const (
	brokenMark = ".broken-"
	mostBroken = 3
)

// Broken is a damaged file that was set aside in a state directory.
type Broken struct {
	Name string    // of the value that was in it, as for Load
	File string    // its path
	Day  time.Time // the day on which it was set aside, in local time
}

// shown is how long a damaged file counts as news: long enough for a person to see it who
// looks once a week.
const shown = 7 * 24 * time.Hour

// News reports whether people should still be shown that the value was lost.
func (b Broken) News() bool { return time.Since(b.Day) <= shown }

// BrokenIn lists the damaged files of a state directory, those of the newest day first. A
// directory that cannot be read has none.
func BrokenIn(dir string) []Broken {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []Broken
	for _, e := range entries {
		name, day, ok := strings.Cut(e.Name(), ending+brokenMark)
		at, err := time.ParseInLocation(time.DateOnly, day, time.Local)
		if ok && err == nil && validName.MatchString(name) {
			all = append(all, Broken{name, filepath.Join(dir, e.Name()), at})
		}
	}
	slices.SortStableFunc(all, func(a, b Broken) int { return b.Day.Compare(a.Day) })
	return all
}

// Save writes v as the value of a name. When it returns nil the value survives a
// kill and a power cut; when it returns an error the old value is still there.
func (s *Store) Save(name string, v any) error {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("saving the state %q: %w", name, err)
	}
	if len(data) > maxSize {
		return fmt.Errorf("saving the state %q: %d bytes; at most %d are kept", name, len(data), maxSize)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := trust.Open(s.dir)
	if err == nil {
		err = errors.Join(write(dir, file, append(data, '\n')), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("saving the state %q: %w", name, explain(s.dir, err))
	}
	return nil
}

// Remove forgets the value of a name. One that was never saved is no error.
func (s *Store) Remove(name string) error {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := trust.Open(s.dir)
	if err == nil {
		err = errors.Join(dir.Remove(file), dir.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the state %q: %w", name, explain(s.dir, err))
	}
	return nil
}

// write replaces the file. The mode is always 0600: copying the old file's mode would
// keep one that was loosened.
func write(dir *os.Root, file string, data []byte) error {
	f, err := renameio.NewPendingFile(file, renameio.WithRoot(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	// Cleanup does nothing once the file is in place.
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return syncDir(dir)
}

// Replace replaces a file as a whole and makes it readable by everybody. It is
// for fetched files, which are no state but must not be half written either.
func Replace(path string, data []byte) error {
	return replace(path, data, 0o644, renameio.WithExistingPermissions())
}

// ReplacePrivate replaces a file as a whole, readable by its owner only, in a directory
// that is made if it is missing. A link in its place is replaced as well, and the file
// it leads to stays as it is.
func ReplacePrivate(path string, data []byte) error {
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return fmt.Errorf("making a place for %s: %w", path, err)
	}
	return replace(path, data, 0o600)
}

func makeDirectory(path string) error {
	dir, err := trust.Make(path, 0o700)
	if err != nil {
		return explain(path, err)
	}
	return dir.Close()
}

// ReplaceOwn replaces a file of the user's as a whole: a link leads where it led, and
// who may read it and who owns it stay the same. A new file is readable by everybody.
func ReplaceOwn(path string, data []byte) error {
	if led, err := filepath.EvalSymlinks(path); err == nil {
		path = led
	}
	mode, owner, group := fs.FileMode(0o644), -1, -1
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		owner, group = ownerOf(info)
	}
	return replaceFor(path, data, mode, owner, group)
}

// ReplaceSecret replaces a file in a directory of secrets, which is made where it is
// missing. The group of the directory may read the file if it may read the directory.
func ReplaceSecret(path string, data []byte) error {
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return fmt.Errorf("making a place for secrets: %w", err)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("making a place for secrets: %w", err)
	}
	_, group := ownerOf(info)
	return replaceFor(path, data, 0o600|info.Mode().Perm()&0o040, -1, group)
}

// ownerOf is the user and the group of a file, -1 where the system has none.
func ownerOf(info fs.FileInfo) (user, group int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return -1, -1
}

// replaceFor replaces a file by one with exactly these permissions, a user's and a
// group's; -1 leaves who it is.
func replaceFor(path string, data []byte, mode fs.FileMode, user, group int) error {
	dir, err := trust.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	defer func() { _ = dir.Close() }()
	name := filepath.Base(path)
	tidyBeside(dir, name)
	f, err := renameio.NewPendingFile(name, renameio.WithRoot(dir), renameio.WithStaticPermissions(mode))
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	// Cleanup does nothing once the file is in place.
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	if err := f.Chown(user, group); err != nil { // before the file is in place, where others could exchange it
		return fmt.Errorf("giving %s to its owner: %w", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	return nil
}

func replace(path string, data []byte, mode fs.FileMode, options ...renameio.Option) error {
	dir, err := trust.Open(filepath.Dir(path))
	if err == nil {
		tidyBeside(dir, filepath.Base(path))
		options = append([]renameio.Option{renameio.WithRoot(dir)}, options...)
		err = errors.Join(renameio.WriteFile(filepath.Base(path), data, mode, options...), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	return nil
}

// syncDir syncs a directory, which makes a rename in it durable.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	// Some file systems cannot sync a directory and say so; the rename is done.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// ending is what follows a name in the name of its file.
const ending = ".json"

// fileOf returns the file of a name in the directory; it refuses names that could lead
// out of there.
func fileOf(name string) (string, error) {
	if !validName.MatchString(name) {
		return "", fmt.Errorf("the state name %q: use 1 to 64 lower case letters, digits, _ or -", name)
	}
	return name + ending, nil
}

// explain adds to an error that a user can mend what to do about it.
func explain(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of %s is full; make room there: %w", dir, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s is on a read-only file system; mount it writable or set gateway.state_dir elsewhere: %w", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no right to use %s; give it to the user that runs this, or set gateway.state_dir elsewhere: %w", dir, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is not a directory; remove what is there or set gateway.state_dir elsewhere: %w", dir, err)
	}
	return err
}
