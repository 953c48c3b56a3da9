package keep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"voicegateway/internal/ground/trust"
)

// claimFile is the file that the owner of a state directory keeps locked.
const claimFile = ".owner"

// InUseError says that another process has claimed a state directory.
type InUseError struct {
	Dir   string
	Owner string // what the other process calls itself; "" if it does not say
}

func (e *InUseError) Error() string {
	owner := ""
	if e.Owner != "" {
		owner = " (" + e.Owner + ")"
	}
	return fmt.Sprintf("the state directory %s is used by another gateway%s; stop that one, or give this one a directory of its own in gateway.state_dir", e.Dir, owner)
}

// Claim takes a state directory for this process until release is called or the
// process ends, however it ends. It fails with an InUseError if another process has
// the directory. owner tells people who has it.
func Claim(dir, owner string) (release func(), err error) {
	f, err := openClaim(dir)
	if err != nil {
		return nil, fmt.Errorf("claiming the state directory: %w", explain(dir, err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		other, _ := io.ReadAll(io.LimitReader(f, 200)) // the name only makes the message better
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InUseError{Dir: dir, Owner: strings.ToValidUTF8(strings.TrimSpace(string(other)), "")}
		}
		return nil, fmt.Errorf("claiming the state directory: %w", explain(dir, err))
	}
	if err := sign(f, owner); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("claiming the state directory: %w", explain(dir, err))
	}
	return func() { _ = f.Close() }, nil
}

// openClaim opens the file to lock, in a directory that is made if it is missing. A file
// that may belong to another user is neither locked nor written.
func openClaim(path string) (*os.File, error) {
	dir, err := trust.Make(path, 0o700)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	odd := fmt.Errorf("%s is not the plain file that a gateway makes; remove it", filepath.Join(path, claimFile))
	if info, err := dir.Lstat(claimFile); err == nil && !info.Mode().IsRegular() {
		return nil, odd
	}
	f, err := dir.OpenFile(claimFile, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		if s, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || ok && s.Nlink > 1 { // a second name of another file
			err = odd
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// sign makes a line the whole text of a file.
func sign(f *os.File, line string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(line+"\n"), 0)
	return err
}
