package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestReadMappings: a mapping that was written to is recognised by its anonymous memory,
// or by what of that has been swapped out.
func TestReadMappings(t *testing.T) {
	all, err := readMappings(strings.NewReader(`00400000-00500000 r-xp 00000000 fe:00 42    /bin/program
Rss:                 512 kB
Anonymous:             0 kB
Swap:                  0 kB
00500000-00501000 r--p 00100000 fe:00 42    /bin/program
Anonymous:             4 kB
Swap:                  0 kB
00501000-00503000 r--p 00101000 fe:00 42    /bin/program
Anonymous:             0 kB
Swap:                  8 kB
7f0000000000-7f0000001000 rw-p 00000000 00:00 0
Anonymous:             4 kB
`))
	if err != nil {
		t.Fatal(err)
	}
	var written []bool
	for _, m := range all {
		written = append(written, m.written)
	}
	if want := []bool{false, true, true, true}; !slices.Equal(written, want) {
		t.Errorf("written: %v, expected %v", written, want)
	}
	if m := all[1]; m.from != 0x500000 || m.to != 0x501000 || m.rights != "r--p" || m.file != "/bin/program" {
		t.Errorf("the second mapping is %+v", m)
	}
}

// TestDropPages maps two files as the kernel maps a program, one as it is and one
// written to, as the dynamic linker does: only the first one's pages are let go, and
// both read as before.
func TestDropPages(t *testing.T) {
	content := bytes.Repeat([]byte("program "), 1<<17)
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	program, relocated := mapFile(t, path), mapFile(t, path)
	if err := syscall.Mprotect(relocated, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	relocated[0] = 'P'
	if err := syscall.Mprotect(relocated, syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(program, content) || !bytes.Equal(relocated[1:], content[1:]) {
		t.Fatal("the file is not mapped")
	}
	if held(t, program) != len(content)/os.Getpagesize() || held(t, relocated) != len(content)/os.Getpagesize() {
		t.Fatalf("%d and %d pages are mapped before; the test needs all", held(t, program), held(t, relocated))
	}
	if err := dropPages(path); err != nil {
		t.Fatal(err)
	}
	if n := held(t, program); n != 0 {
		t.Errorf("%d pages are mapped still", n)
	}
	if held(t, relocated) == 0 {
		t.Error("what was written to has been dropped")
	}
	if !bytes.Equal(program, content) || relocated[0] != 'P' || !bytes.Equal(relocated[1:], content[1:]) {
		t.Error("the memory has changed")
	}
}

func mapFile(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	m, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	return m
}

// held returns how many pages of a mapping are in our memory.
func held(t *testing.T, m []byte) int {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(smaps), "\n")
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, strings.TrimPrefix(fmt.Sprintf("%p-", m), "0x"))
	})
	if at < 0 {
		t.Fatalf("no mapping begins at %p", m)
	}
	for _, line := range lines[at:] {
		var kB int
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kB); n == 1 {
			return kB * 1024 / os.Getpagesize()
		}
	}
	t.Fatal("the kernel does not tell what is resident")
	return 0
}
