package process

import (
	"strings"
	"testing"
)

func TestATailKeepsTheEnd(t *testing.T) {
	var r tail
	for range 100 {
		if n, err := r.Write(make([]byte, 10_000)); n != 10_000 || err != nil {
			t.Fatal(n, err)
		}
	}
	_, _ = r.Write([]byte("end"))
	if got := r.lastBytes(stderrKept); len(got) != stderrKept || !strings.HasSuffix(string(got), "end") || cap(r.kept) > 4*stderrKept {
		t.Fatalf("kept %d of %d bytes", len(got), cap(r.kept))
	}
}
