package text

import (
	"math"
	"testing"
)

// slow is the distance as the textbook computes it, cell by cell.
func slow(a, b string) int {
	a, b = a[:min(len(a), MaxLetters)], b[:min(len(b), MaxLetters)]
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"lamp", "", 4},
		{"", "lamp", 4},
		{"lamp", "lamp", 0},
		{"lamp", "lamb", 1},
		{"lamp", "lapm", 1},
		{"ceiling", "sealing", 2},
		{"night", "knight", 1},
		{"coffeemaker", "coffeemakeher", 2},
	}
	for _, tt := range tests {
		var p Pattern
		p.Set(tt.a)
		if got := p.Distance(tt.b); got != tt.want {
			t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestJaroWinkler(t *testing.T) {
	t.Parallel()
	// Figures of Winkler's own paper.
	tests := map[[2]string]float64{
		{"martha", "marhta"}: 0.961, {"dwayne", "duane"}: 0.84, {"dixon", "dicksonx"}: 0.813, {"abc", "xyz"}: 0, {"", "a"}: 0,
	}
	for pair, want := range tests {
		var p Pattern
		p.Set(pair[0])
		if got := p.JaroWinkler(pair[1]); math.Abs(got-want) > 0.001 {
			t.Errorf("%v: got %.3f, want %.3f", pair, got, want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("living room light", "leaving rum lite")
	f.Add("", "x")
	f.Add("abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc", "cba")
	f.Fuzz(func(t *testing.T, a, b string) {
		var p Pattern
		p.Set("left over")
		p.Set(a)
		if got, want := p.Distance(b), slow(a, b); got != want {
			t.Fatalf("%q, %q: got %d, want %d", a, b, got, want)
		}
		if jw := p.JaroWinkler(b); jw < 0 || jw > 1.000001 {
			t.Fatalf("%q, %q: likeness %v", a, b, jw)
		}
	})
}
