package console

import (
	"slices"
	"testing"
)

// The widest columns give way until a row fits, but none becomes unreadable.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		width []int
		most  int
		want  []int
	}{
		"no terminal": {[]int{10, 200}, 0, []int{10, 200}},
		"it fits":     {[]int{10, 20}, 34, []int{10, 20}},
		"one gives":   {[]int{10, 200}, 80, []int{10, 66}},
		"two give":    {[]int{4, 50, 60}, 60, []int{4, 25, 25}},
		"too narrow":  {[]int{10, 30, 40}, 20, []int{10, 12, 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if fit(tt.width, tt.most); !slices.Equal(tt.width, tt.want) {
				t.Errorf("%v, expected %v", tt.width, tt.want)
			}
		})
	}
	for _, tt := range []struct{ cell, want string }{
		{"Küche", "Küche"}, {"Küchenlicht", "Küche…"}, {Paint(true).Good("confirmed"), Paint(true).Good("confirmed")},
	} {
		if got := cut(tt.cell, 6); got != tt.want {
			t.Errorf("%q, expected %q", got, tt.want)
		}
	}
}
