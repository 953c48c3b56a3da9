package micro

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
)

// golden lists the clips with reference output, and their sound.
func golden(tb testing.TB) map[string][]int16 {
	tb.Helper()
	clips := map[string][]int16{}
	files, err := filepath.Glob(filepath.Join(fake.Shared(tb, "speech", "clips", "golden"), "*.features.txt"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no golden features: %v", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".features.txt")
		clips[name] = sound(tb, name)
	}
	return clips
}

func sound(tb testing.TB, name string) []int16 {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "speech", "clips", name+".wav"))
	if err != nil {
		tb.Fatal(err)
	}
	clip, err := audio.ReadWAV(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	if clip.Rate != audio.SpeechRate {
		tb.Fatalf("%s has %d samples a second", name, clip.Rate)
	}
	return clip.Samples
}

func numbers(tb testing.TB, file string) [][]int {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "speech", "clips", "golden", file))
	if err != nil {
		tb.Fatal(err)
	}
	var rows [][]int
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var row []int
		for field := range strings.FieldsSeq(s.Text()) {
			n, err := strconv.Atoi(field)
			if err != nil {
				tb.Fatal(err)
			}
			row = append(row, n)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestFeaturesEqualTheReference compares bit for bit, with pieces of any size.
func TestFeaturesEqualTheReference(t *testing.T) {
	t.Parallel()
	for name, samples := range golden(t) {
		want := numbers(t, name+".features.txt")
		for _, piece := range []int{1, 160, 320, 4096} {
			var got []Features
			f := NewFrontEnd()
			for rest := samples; len(rest) > 0; {
				n := min(piece, len(rest))
				f.Push(rest[:n], func(row *Features) { got = append(got, *row) })
				rest = rest[n:]
			}
			if len(got) != len(want) {
				t.Fatalf("%s in pieces of %d: %d frames, expected %d", name, piece, len(got), len(want))
			}
			for i, row := range want {
				for c, v := range row {
					if int(got[i][c]) != v {
						t.Fatalf("%s in pieces of %d: frame %d channel %d is %d, expected %d", name, piece, i, c, got[i][c], v)
					}
				}
			}
		}
	}
}
