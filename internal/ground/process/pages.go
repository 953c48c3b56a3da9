package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// mapping is a piece of our memory, as /proc/self/smaps tells it.
type mapping struct {
	from, to uintptr
	rights   string // such as r-xp
	file     string
	written  bool // it has pages that differ from the file
}

// DropPages frees the pages of our own program that only the start has used. A page
// that is used again is mapped again from the file, at the price of a page fault. Pages
// that have been written to stay. If the kernel keeps the file in pieces of two
// megabytes, it maps a whole piece for each byte that is read, so DropPages also asks
// for small pages. Libraries are left alone: another thread may be loading one.
func DropPages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	return dropPages(program)
}

func dropPages(file string) error {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	mappings, err := readMappings(f)
	if err != nil {
		return fmt.Errorf("reading /proc/self/smaps: %w", err)
	}
	for _, m := range mappings {
		if m.file != file || m.rights != "r-xp" && m.rights != "r--p" || m.written {
			continue
		}
		for _, advice := range []uintptr{syscall.MADV_NOHUGEPAGE, syscall.MADV_DONTNEED} {
			if _, _, no := syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, advice); no != 0 && no != syscall.EINVAL {
				return fmt.Errorf("dropping pages of %s: %w", m.file, no)
			}
		}
	}
	return nil
}

// readMappings reads smaps. A mapping that was written to has anonymous memory, or has
// been swapped out.
func readMappings(r io.Reader) ([]mapping, error) {
	var all []mapping
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var m mapping
		var offset, device, inode string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %s %s %s %s", &m.from, &m.to, &m.rights, &offset, &device, &inode, &m.file); n >= 6 {
			all = append(all, m)
			continue
		}
		for _, key := range []string{"Anonymous:", "Swap:"} {
			if kB, is := strings.CutPrefix(lines.Text(), key); is && len(all) > 0 && strings.TrimSpace(kB) != "0 kB" {
				all[len(all)-1].written = true
			}
		}
	}
	return all, lines.Err()
}
