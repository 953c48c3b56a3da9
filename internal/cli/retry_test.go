package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/doors/console"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/mcpint"
)

// moment is what a server is from a time on, in seconds after its last forced retry; a
// retry time and a success of 0 are unknown.
type moment struct {
	from           float64
	status         mcpint.State
	tried, success int // which attempt and which answer were the last
	retries        int
	err            string
}

// scripted is a daemon with one server that goes through moments, from the first ones
// again with each retry.
type scripted struct {
	before  moment
	after   [][]moment
	retries int
	since   time.Time
}

func (s *scripted) look(context.Context, string) (mcpint.Status, error) {
	now := s.before
	if s.retries > 0 {
		for _, m := range s.after[s.retries-1] {
			if time.Since(s.since).Seconds() >= m.from {
				now = m
			}
		}
	}
	at := func(n int) *time.Time {
		if n == 0 {
			return nil
		}
		t := time.Unix(int64(n), 0)
		return &t
	}
	eight := 8
	status := mcpint.Status{ID: "zwave", Transport: "stdio", Status: now.status, RetryCount: now.retries, LastRetryTime: at(now.tried), LastSuccess: at(now.success), Tools: &eight}
	if now.err != "" {
		status.ErrorMessage = &now.err
	}
	return status, nil
}

func (s *scripted) force(ctx context.Context, id string) (mcpint.Status, error) {
	if s.retries++; s.retries > len(s.after) {
		return mcpint.Status{}, errors.New("nobody expected another retry")
	}
	s.since = time.Now()
	return s.look(ctx, id)
}

func TestARetryIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	const c, d, r, f, k = mcpint.Connected, mcpint.Disconnected, mcpint.Retrying, mcpint.Failed, mcpint.Connecting
	for name, tc := range map[string]struct {
		before moment
		after  [][]moment
		noWait bool
		said   string // on stdout
		told   string // on stderr
		works  bool
	}{
		"connects at once": {
			before: moment{status: f, tried: 1},
			after:  [][]moment{{{0, k, 2, 0, 0, ""}, {0.5, c, 2, 1, 0, ""}}},
			said:   "✓ zwave is connected (8 tools)\n", works: true,
		},
		"connects late": {
			before: moment{status: f, tried: 1},
			after:  [][]moment{{{0, k, 2, 0, 0, ""}, {7.5, c, 2, 1, 0, ""}}},
			said:   "✓ zwave is connected (8 tools)\n", works: true,
			told: "zwave is being tried, for 1 s so far\nzwave is being tried, for 6 s so far\n",
		},
		"hangs for longer than any clock of ours": {
			before: moment{status: f, tried: 1},
			after:  [][]moment{{{0, k, 2, 0, 0, ""}, {22, r, 2, 0, 0, "no answer to initialize within 20s"}}},
			said:   "✗ zwave did not connect: no answer to initialize within 20s (retrying, not tried again by itself)\n",
			told:   "zwave is being tried, for 1 s so far\nzwave is being tried, for 6 s so far\nzwave is being tried, for 11 s so far\nzwave is being tried, for 16 s so far\nzwave is being tried, for 21 s so far\n",
		},
		"the state of before is no outcome": {
			before: moment{status: f, tried: 1, err: "of before"},
			after:  [][]moment{{{0, f, 1, 0, 0, "of before"}, {0.3, k, 2, 0, 0, ""}, {0.6, f, 2, 0, 0, "of now"}}},
			said:   "✗ zwave did not connect: of now (failed, not tried again by itself)\n",
		},
		"a second attempt is under way already": {
			before: moment{status: r, tried: 1},
			after:  [][]moment{{{0, k, 2, 0, 0, ""}, {0.3, k, 3, 0, 1, "refused"}}},
			said:   "✗ zwave did not connect: refused (connecting, not tried again by itself)\n",
		},
		"connected and well": {
			before: moment{status: c, tried: 1, success: 1},
			after:  [][]moment{{{0, c, 1, 1, 0, ""}, {0.2, c, 1, 2, 0, ""}}},
			said:   "✓ zwave is connected (8 tools)\n", works: true,
		},
		"connected, hangs, and comes back": {
			before: moment{status: c, tried: 1, success: 1},
			after: [][]moment{
				{{0, c, 1, 1, 0, ""}, {1.5, d, 1, 1, 0, "the server hangs"}},
				{{0, k, 2, 1, 0, ""}, {0.5, c, 2, 2, 0, ""}},
			},
			said: "✓ zwave is connected (8 tools)\n", works: true,
			told: "zwave is asked for a sign of life, for 1 s so far\nzwave does not answer and is connected anew\n",
		},
		"connected, hangs, and stays away": {
			before: moment{status: c, tried: 1, success: 1},
			after: [][]moment{
				{{0, c, 1, 1, 0, ""}, {0.5, r, 1, 1, 0, "the server hangs"}},
				{{0, k, 2, 1, 0, ""}, {0.5, r, 2, 1, 0, "exit status 3"}},
			},
			said: "✗ zwave did not connect: exit status 3 (retrying, not tried again by itself)\n",
			told: "zwave does not answer and is connected anew\n",
		},
		"nobody waits": {
			before: moment{status: f, tried: 1}, noWait: true,
			after: [][]moment{{{0, k, 2, 0, 0, ""}}},
			said:  "! zwave is being tried\n", works: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out, progress bytes.Buffer
				s := &scripted{before: tc.before, after: tc.after}
				err := retrying{out: &out, progress: &progress, noWait: tc.noWait, look: s.look, force: s.force}.one(t.Context(), "zwave")
				if _, told := errors.AsType[console.ToldError](err); told == tc.works || err != nil && !told {
					t.Errorf("ended with %v", err)
				}
				if out.String() != tc.said || progress.String() != tc.told {
					t.Errorf("said %q and told %q, want %q and %q", &out, &progress, tc.said, tc.told)
				}
			})
		})
	}
}

// TestAServerThatNeverAnswersIsTold: it is connected, and a call to it holds up the
// health check for ever.
func TestAServerThatNeverAnswersIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out, progress bytes.Buffer
		s := &scripted{before: moment{status: mcpint.Connected, success: 1}, after: [][]moment{{{0, mcpint.Connected, 0, 1, 0, ""}}}}
		err := retrying{out: &out, progress: &progress, look: s.look, force: s.force}.one(t.Context(), "zwave")
		if err == nil || out.String() != "✗ zwave is connected, but gave no sign of life for 1m0s\n" || strings.Count(progress.String(), "sign of life") < 5 {
			t.Errorf("%v, said %q and told %q", err, &out, &progress)
		}
	})
}
