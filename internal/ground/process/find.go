package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find turns a configured command into a path. A command without a slash is
// looked up in dir, where our own executable lies, then in PATH. The error names
// the places that were searched.
func Find(command, dir string) (string, error) {
	if strings.ContainsRune(command, '/') {
		if err := executable(command); err != nil {
			return "", fmt.Errorf("the program %s cannot be started: %w", command, err)
		}
		return command, nil
	}
	if dir != "" {
		beside := filepath.Join(dir, command)
		if executable(beside) == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("the program %q is neither at %s nor in PATH; install it or set its full path: %w",
			command, filepath.Join(dir, command), ErrNotFound)
	}
	return path, nil
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%w: it is no executable file", os.ErrPermission)
	}
	return nil
}
