package zwave

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestAPollThatWasGivenNoTimeBlamesNobody checks what a poll without an answer
// means: nothing, where earlier questions had left it less time than a device needs.
func TestAPollThatWasGivenNoTimeBlamesNobody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		before, rest time.Duration // how long an earlier poll took, and the pause after it
		want         error
	}{
		{"all the time", 0, 0, errNoAnswer},
		{"enough", 900 * time.Millisecond, 0, errNoAnswer},
		{"hardly any", 1900 * time.Millisecond, 0, errNotAsked},
		{"too little to begin", 1990 * time.Millisecond, 0, errNotAsked},
		{"all the time again", 1900 * time.Millisecond, 2 * time.Second, errNoAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPolls()
				takes := func(d time.Duration) func(context.Context) error {
					return func(ctx context.Context) error {
						select {
						case <-time.After(d):
							return nil
						case <-ctx.Done():
							return errNoAnswer
						}
					}
				}
				if err := p.do(t.Context(), takes(c.before)); err != nil {
					t.Fatal(err)
				}
				<-time.After(c.rest)
				if err := p.do(t.Context(), takes(time.Minute)); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
			})
		})
	}
}
