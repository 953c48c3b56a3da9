package order

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	_ "voicegateway/internal/fake/bubble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPlacesInALine lets places be taken, given back and waited for in every
// way that may happen to an order: done, given up before its turn, slow.
func TestPlacesInALine(t *testing.T) {
	t.Parallel()
	const a, b = "a", "b"
	for name, tt := range map[string]struct {
		lines []string // the line of each place
		pass  []int    // the places that pass, in order
		first []int    // the places whose turn has come then
	}{
		"the first acts":                  {[]string{a, a, a}, nil, []int{0}},
		"one after the other":             {[]string{a, a, a}, []int{0, 1}, []int{0, 1, 2}},
		"given up before its turn":        {[]string{a, a, a}, []int{1}, []int{0, 1}},
		"nobody stands behind who left":   {[]string{a, a, a}, []int{1, 0}, []int{0, 1, 2}},
		"twice":                           {[]string{a, a, a}, []int{0, 0, 0}, []int{0, 1}},
		"another line does not wait":      {[]string{a, b, a, b}, nil, []int{0, 1}},
		"a line that has been empty":      {[]string{a, a}, []int{0, 1}, []int{0, 1}},
		"the last leaves, the first acts": {[]string{a, b, a}, []int{2}, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var l Lines
				ctx, cancel := context.WithCancel(t.Context())
				var places []*Place
				turns := make(chan int, len(tt.lines))
				for i, line := range tt.lines {
					p := From(With(ctx, l.Take(line)))
					places = append(places, p)
					go func() {
						if err := p.Await(ctx); err == nil {
							turns <- i
						} else if !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
					}()
				}
				synctest.Wait()
				for _, i := range tt.pass {
					places[i].Pass()
					synctest.Wait()
				}
				cancel()
				synctest.Wait()
				close(turns)
				var first []int
				for i := range turns {
					first = append(first, i)
				}
				slices.Sort(first)
				if !slices.Equal(first, tt.first) {
					t.Errorf("it was the turn of %v, want %v", first, tt.first)
				}
				for _, p := range places {
					p.Pass()
				}
				if len(l.byName) != 0 {
					t.Errorf("lines are left: %v", l.byName)
				}
			})
		})
	}
}

// TestWithoutAPlaceNobodyWaits: an order that came some other way has no place.
func TestWithoutAPlaceNobodyWaits(t *testing.T) {
	t.Parallel()
	p := From(t.Context())
	if err := p.Await(t.Context()); p != nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
	p.Pass()
}
