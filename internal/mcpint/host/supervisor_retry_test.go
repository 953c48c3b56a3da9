package host

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
)

// TestAFailedServersNextRetryIsAlwaysKnown looks at the status between attempts
// and also during one.
func TestAFailedServersNextRetryIsAlwaysKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 100, takes: 5 * time.Second}, DefaultRetry())
		defer b.stop()
		seen := map[bool]bool{}
		for range 300 {
			pass(time.Second)
			if s := b.status(); s.Status == mcpint.Failed {
				if s.NextRetryTime == nil {
					t.Fatalf("after %v the status is %+v", time.Since(start(t)), s)
				}
				underWay := !s.NextRetryTime.After(time.Now())
				seen[underWay] = true
				if underWay && time.Since(*s.NextRetryTime) > 5*time.Second {
					t.Fatalf("the next attempt is said to be %v ago", time.Since(*s.NextRetryTime))
				}
			}
		}
		if !seen[true] || !seen[false] {
			t.Fatalf("seen: %v", seen)
		}
		if err := b.Retry(t.Context(), "zwave"); err != nil {
			t.Fatal(err)
		}
		if s := b.status(); s.Status != mcpint.Connecting || s.NextRetryTime != nil {
			t.Fatalf("forced, the status is %+v", s)
		}
	})
}

// TestAForceIsARetry checks that a forced attempt sets the time of the last
// retry, whatever state the server is in.
func TestAForceIsARetry(t *testing.T) {
	for name, tt := range map[string]struct {
		takes, after time.Duration
		down         int
		anew         bool
	}{
		"in mid-wait":          {down: 100, after: 10 * time.Second},
		"during an attempt":    {down: 100, takes: 5 * time.Second, after: 3 * time.Second},
		"of a connected one":   {after: 10 * time.Second, anew: true},
		"before the first one": {down: 100, takes: 5 * time.Second, after: 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := run(t, &fakeServer{down: tt.down, takes: tt.takes}, DefaultRetry())
				defer b.stop()
				pass(tt.after)
				force := b.Retry
				if tt.anew {
					force = b.Reconnect
				}
				if err := force(t.Context(), "zwave"); err != nil {
					t.Fatal(err)
				}
				at := time.Now()
				synctest.Wait()
				if s := b.status(); s.LastRetryTime == nil || !s.LastRetryTime.Equal(at) || s.RetryCount != 0 {
					t.Fatalf("forced at %v, the status is %+v", at, s)
				}
				pass(100 * time.Millisecond)
			})
		})
	}
}

// TestAttemptsKeepTheirTimes: an attempt that takes its time does not delay the next
// one, unless it takes longer than the wait.
func TestAttemptsKeepTheirTimes(t *testing.T) {
	for takes, want := range map[time.Duration][]time.Duration{
		0:               {0, 2 * time.Second, 6 * time.Second},
		2 * time.Second: {0, 2 * time.Second, 6 * time.Second}, // --require-broker 2s
		3 * time.Second: {0, 3 * time.Second, 7 * time.Second},
		time.Hour:       {0, 10 * time.Second, 40 * time.Second}, // connect_timeout ends the first, three times as long the second
	} {
		synctest.Test(t, func(t *testing.T) {
			b := run(t, &fakeServer{down: 100, takes: takes}, DefaultRetry())
			defer b.stop()
			for b.status().Status != mcpint.Failed {
				pass(100 * time.Millisecond)
			}
			if got := starts(*b.attempts); !slices.Equal(got, want) {
				t.Errorf("attempts of %v began at %v, want %v", takes, got, want)
			}
			for i, a := range *b.attempts {
				if want := []string{"0s", "2s", "4s"}[i]; a.Delay.String() != want {
					t.Errorf("attempt %d has the delay %v, want %s", a.Number, a.Delay, want)
				}
			}
		})
	}
}

// TestTheCountersOfAServerThatIsAway looks at the counters from the first failure to
// the connection.
func TestTheCountersOfAServerThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &fakeServer{down: 8}, DefaultRetry())
		defer b.stop()
		pass(time.Second)
		begin := start(t)
		if s := b.status(); s.RetryCount != 0 || s.LastRetryTime == nil || !s.LastRetryTime.Equal(begin) || s.ConsecutiveFailures != 1 {
			t.Errorf("after a first failure the status is %+v", s)
		}
		failures := map[time.Duration]int{3 * time.Second: 2, 7 * time.Second: 3, 15 * time.Second: 4, 31 * time.Second: 6}
		for range 45 {
			pass(time.Second)
			s := b.status()
			if s.RetryCount > s.MaxRetries {
				t.Fatalf("%d of %d retries", s.RetryCount, s.MaxRetries)
			}
			if want, ok := failures[time.Since(begin)]; ok && s.ConsecutiveFailures != want {
				t.Errorf("after %v there were %d failures, want %d", time.Since(begin), s.ConsecutiveFailures, want)
			}
		}
		if _, err := b.supervisors[0].call(t.Context(), "act", nil); err != nil { // out of turn
			t.Fatal(err)
		}
		if s := b.status(); s.Status != mcpint.Connected || s.ConsecutiveFailures != 0 || s.RetryCount != s.MaxRetries {
			t.Errorf("connected, the status is %+v", s)
		}
	})
}
