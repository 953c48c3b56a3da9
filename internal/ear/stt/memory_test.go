package stt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"MemTotal:  926000 kB\nMemFree: 80000 kB\nMemAvailable:  307200 kB\n": 300 << 20,
		"MemTotal:  926000 kB\n": 0,
		"":                       0,
	} {
		file := filepath.Join(t.TempDir(), "meminfo")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := freeMemory(file)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if _, err := freeMemory(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a list that is not there: %v", err)
	}
}
