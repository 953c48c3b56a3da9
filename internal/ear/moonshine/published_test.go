package moonshine

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestVerifyTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := File{Name: "a", Size: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} // of "abc"
	for content, want := range map[string]string{"abc": "", "abd": "SHA-256", "ab": "2 bytes", "abcd": "4 bytes"} {
		err := f.Verify(strings.NewReader(content))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	p, ok := Known("moonshine-tiny-en")
	if !ok {
		t.Fatal("the English model is not known")
	}
	files, err := p.Here()
	if errors.Is(err, ErrNoBuild) {
		t.Skipf("there is no build for %s", runtime.GOARCH)
	}
	dir := t.TempDir()
	if _, err := Find(dir, "en"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("an empty directory: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, p.Name), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := Find(dir, "en"); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("without %s: %v", f.Name, err)
		}
		name := filepath.Join(dir, p.Name, f.Name)
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, f.Size); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Find(dir, "en")
	if err != nil || in.Dir != filepath.Join(dir, p.Name) || filepath.Dir(in.Library) != in.Dir {
		t.Errorf("found %+v, %v", in, err)
	}
	if _, err := Find(dir, "de"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("another language: %v", err)
	}
}
