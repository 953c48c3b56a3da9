package text_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"voicegateway/internal/language/text"
)

func TestUnlikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 0}, {"on", "on", 0}, {"on", "off", 2.0 / 3}, {"", "on", 1}, {"küche", "kuche", 0.2}, {"light", "lights", 1.0 / 6}} {
		if got := text.Unlikeness(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Letters count, not bytes, and a swap of neighbours is two changes.
func TestDistanceOfTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "lamp", 4},
		{"lamp", "", 4},
		{"lamp", "lamp", 0},
		{"lamp", "lamb", 1},
		{"lamp", "lapm", 2},
		{"küche", "kuche", 1},
		{"kitten", "sitting", 3},
		{"日本語", "日本", 1},
		{"e\u0301", "é", 2},
		{"\xff", "\xfe", 0}, // neither is a letter
		{strings.Repeat("a", 300), strings.Repeat("a", 200) + "b", 100},
	} {
		if got := text.Distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// ExampleCost compares phones, of which P and B are nearly the same.
func ExampleCost() {
	exchange := func(p, q string) float64 {
		switch {
		case p == q:
			return 0
		case p+q == "PB":
			return 0.3
		}
		return 1
	}
	fmt.Println(text.Cost([]string{"P", "EH", "T"}, []string{"B", "EH"}, exchange))
	// Output: 1.3
}
