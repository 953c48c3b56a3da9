package rig

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/tools/txtar"
)

// CheckTranscript compares what a host has seen with a golden file, part by part. With update it
// writes the file first.
func CheckTranscript(tb testing.TB, golden string, seen *txtar.Archive, update bool) {
	tb.Helper()
	text := txtar.Format(seen)
	if update {
		if err := os.WriteFile(golden, text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	kept, err := os.ReadFile(golden)
	if err != nil {
		tb.Fatal(err)
	}
	got, want := txtar.Parse(text), txtar.Parse(kept)
	if len(got.Files) != len(want.Files) {
		tb.Errorf("%d parts, the golden file has %d", len(got.Files), len(want.Files))
	}
	for i := range min(len(got.Files), len(want.Files)) {
		if g, w := got.Files[i], want.Files[i]; g.Name != w.Name || !bytes.Equal(g.Data, w.Data) {
			tb.Errorf("got\n-- %s --\n%s\nwant\n-- %s --\n%s", g.Name, g.Data, w.Name, w.Data)
		}
	}
}
