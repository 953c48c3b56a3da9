package keep

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The leftovers of a killed process are removed, beside a file that is rewritten and in
// the state directory. Young files and files of other programs stay.
func TestLeftoversAreRemoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		write func(dir string) error
		stay  []string
	}{
		"beside a file":       {func(dir string) error { return ReplaceOwn(filepath.Join(dir, "a.yaml"), nil) }, []string{".a.yaml.swp", ".a.yaml2", ".b.wav3", "a.yaml"}},
		"a file that is kept": {func(dir string) error { return Replace(filepath.Join(dir, "b.wav"), nil) }, []string{".a.yaml.swp", ".a.yaml1", ".a.yaml2", "b.wav"}},
		"the state": {func(dir string) error {
			_, err := Open(dir)
			return err
		}, []string{".a.yaml.swp", ".a.yaml2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, age := range map[string]time.Duration{".a.yaml1": 2 * leftover, ".a.yaml2": 0, ".b.wav3": 2 * leftover, ".a.yaml.swp": 2 * leftover} {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if at := time.Now().Add(-age); os.Chtimes(path, at, at) != nil {
					t.Fatal(path)
				}
			}
			if err := tt.write(dir); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			var stay []string
			for _, e := range entries {
				stay = append(stay, e.Name())
			}
			if err != nil || !slices.Equal(stay, tt.stay) {
				t.Errorf("%q stay, expected %q", stay, tt.stay)
			}
		})
	}
}
