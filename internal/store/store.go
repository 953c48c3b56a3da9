// Package store keeps small state (timers, a saved task, the mute switch) on
// disk so that it survives a restart, a kill at any moment and a full disk. One
// value is one JSON file that is replaced as a whole: a reader sees the old
// value or the new one, never a half. A new kind of state is a new name given
// to Save; nothing here needs to change. It is not for anything that grows.
package store

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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// maxSize bounds one value in bytes. State here is a few timers or one task; a
// larger file is a mistake or somebody else's, and is not read into memory.
const maxSize = 1 << 20

// leftover is the age from which a temporary file must have been left by a killed
// process: writing maxSize bytes never takes that long.
const leftover = time.Hour

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CorruptError says that a saved value could not be read and was set aside. The
// caller's value is untouched and the store goes on working, so this is worth a
// warning and never a reason to stop.
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

// Recall opens a state directory and reads what an earlier run kept there under a name;
// what names it to a person. Where that cannot be had, it says so and begins with
// nothing: without a store, which is nil then, what is new lasts until the program ends.
// No directory is no trouble.
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the state directory: %w", explain(dir, err))
	}
	if err := tidy(dir, unfinished.MatchString); err != nil {
		return nil, fmt.Errorf("opening the state directory: %w", explain(dir, err))
	}
	return &Store{dir: dir}, nil
}

// unfinished matches the names of files that are being written: a point, the name that
// the file will have, and digits.
var unfinished = regexp.MustCompile(`^\..+[0-9]$`)

// tidy removes the files that killed processes did not finish, among those of which the
// name counts. One that cannot be removed does no harm.
func tidy(dir string, counts func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !counts(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftover {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// tidyBeside does the same for one file that is written anew.
func tidyBeside(path string) {
	dir, name := filepath.Split(path)
	_ = tidy(filepath.Clean(dir), func(one string) bool { // the write says what is wrong with the directory
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
	path, err := s.path(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, errTooLarge) || errors.Is(err, errNoFile) {
		return s.setAside(name, path, err)
	}
	if err != nil {
		return fmt.Errorf("loading the state %q: %w", name, explain(s.dir, err))
	}
	if err := decode(data, v); err != nil {
		return s.setAside(name, path, err)
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

var (
	errTooLarge = fmt.Errorf("the file is over %d bytes", maxSize)
	errNoFile   = errors.New("it is no plain file")
)

// read reads a plain file. A link is not followed, because what it leads to is not
// ours, and a pipe is not waited for.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errNoFile
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNoFile, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, errTooLarge
	}
	return data, nil
}

// setAside renames a damaged file so that somebody can look at it. It overwrites
// an earlier one: one file is enough to see what happened, and they cannot pile
// up.
func (s *Store) setAside(name, path string, cause error) error {
	aside := path + ".damaged"
	if err := os.Rename(path, aside); err != nil {
		aside = ""
	}
	return &CorruptError{Name: name, Aside: aside, Err: cause}
}

// Save writes v as the value of a name. When it returns nil the value survives a
// kill and a power cut; when it returns an error the old value is still there.
func (s *Store) Save(name string, v any) error {
	path, err := s.path(name)
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
	if err := write(s.dir, path, append(data, '\n')); err != nil {
		return fmt.Errorf("saving the state %q: %w", name, explain(s.dir, err))
	}
	return nil
}

// Remove forgets the value of a name. One that was never saved is no error.
func (s *Store) Remove(name string) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the state %q: %w", name, explain(s.dir, err))
	}
	return nil
}

// write replaces the file. The mode is always 0600: copying the old file's mode
// would keep one that somebody loosened.
func write(dir, path string, data []byte) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
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
func Replace(path string, data []byte) error { return replace(path, data, 0o644) }

// ReplacePrivate replaces a file as a whole and lets nobody else read it. A link in
// its place is replaced as well, and what it leads to stays as it is.
func ReplacePrivate(path string, data []byte) error { return replace(path, data, 0o600) }

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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making a place for secrets: %w", err)
	}
	info, err := os.Stat(dir)
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

func replaceFor(path string, data []byte, mode fs.FileMode, user, group int) error {
	tidyBeside(path)
	if err := renameio.WriteFile(path, data, mode, renameio.WithStaticPermissions(mode)); err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	if err := os.Chown(path, user, group); err != nil {
		return fmt.Errorf("giving %s to its owner: %w", path, err)
	}
	return nil
}

func replace(path string, data []byte, mode fs.FileMode) error {
	tidyBeside(path)
	if err := renameio.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(filepath.Dir(path), err))
	}
	return nil
}

// syncDir syncs a directory, which makes a rename in it durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
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

// path returns the file of a name; it refuses names that could lead out of the
// directory.
func (s *Store) path(name string) (string, error) {
	if !validName.MatchString(name) {
		return "", fmt.Errorf("the state name %q: use 1 to 64 lower case letters, digits, _ or -", name)
	}
	return filepath.Join(s.dir, name+".json"), nil
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
