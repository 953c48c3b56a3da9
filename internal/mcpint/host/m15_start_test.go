package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// weather is what goes wrong around one start, in virtual time.
type weather struct {
	whole   time.Duration // from here on nothing is wrong any more
	down    func(at time.Duration) bool
	takes   func(at time.Duration) time.Duration // how long a dial takes
	wakes   bool                                 // the end of the trouble is noticed, as at the broker's return
	lasting bool                                 // an outage ends running sessions
	slow    bool                                 // each start takes longer than connect_timeout
	command string                               // the program of the server; empty: /s
}

// How long it may take in virtual time until a server is connected: in the mean if it
// starts within its connect_timeout, and at the most if it needs 10 to 30 s (M15, M21).
const (
	meanLimit = 5 * time.Second
	slowLimit = 35 * time.Second
)

// weathers are the kinds of trouble of M15. Each function makes the weather of
// one start at random.
var weathers = map[string]func(r *rand.Rand) weather{
	// Everything starts at one moment, and each takes its time.
	"cold start": func(r *rand.Rand) weather {
		whole := chance(r, 10*time.Second)
		return weather{whole: whole, wakes: true, down: before(whole), takes: upTo(r, 2*time.Second)}
	},
	"rolling start": func(r *rand.Rand) weather {
		whole := chance(r, time.Minute)
		return weather{whole: whole, wakes: true, down: before(whole), takes: upTo(r, 3*time.Second)}
	},
	// Here the host cannot see that the trouble is over.
	"rolling start, unseen": func(r *rand.Rand) weather {
		whole := chance(r, time.Minute)
		return weather{whole: whole, down: before(whole), takes: upTo(r, 3*time.Second)}
	},
	// A third of the starts of the first half minute go wrong, some by silence.
	"random failures": func(r *rand.Rand) weather {
		whole := 30 * time.Second
		takes := upTo(r, time.Second)
		return weather{whole: whole, down: func(at time.Duration) bool { return at < whole && r.Float64() < 0.33 }, takes: func(at time.Duration) time.Duration {
			if at < whole && r.Float64() < 0.1 {
				return time.Hour // beyond any patience
			}
			return takes(at)
		}}
	},
	"partition": func(r *rand.Rand) weather {
		from := 30*time.Second + chance(r, time.Minute)
		whole := from + chance(r, time.Minute)
		return weather{whole: whole, wakes: true, lasting: true, takes: upTo(r, time.Second), down: func(at time.Duration) bool { return at >= from && at < whole }}
	},
	// A program that is unpacked or fetched first, as after a power cut.
	"slow start": func(r *rand.Rand) weather {
		return weather{slow: true, down: before(0), takes: always(between(r, 10*time.Second, 30*time.Second))}
	},
	"slow start by a launcher": func(r *rand.Rand) weather {
		return weather{slow: true, command: "npx", down: before(0), takes: always(between(r, 10*time.Second, 30*time.Second))}
	},
	"slow rolling start": func(r *rand.Rand) weather {
		whole := chance(r, time.Minute)
		return weather{slow: true, whole: whole, wakes: true, down: before(whole), takes: always(between(r, 10*time.Second, 30*time.Second))}
	},
}

func always(takes time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return takes }
}

func between(r *rand.Rand, from, to time.Duration) time.Duration { return from + chance(r, to-from) }

func chance(r *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(limit)))
}

func before(whole time.Duration) func(time.Duration) bool {
	return func(at time.Duration) bool { return at < whole }
}

func upTo(r *rand.Rand, limit time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return chance(r, limit) }
}

// outdoors is a fake server that suffers a weather.
type outdoors struct {
	weather
	mu    sync.Mutex
	began time.Time
	live  []*outdoorSession
}

type outdoorSession struct {
	done chan struct{}
	once sync.Once
}

func (o *outdoors) dial(ctx context.Context, server mcpint.Server, options client.Options) (client.Session, error) {
	o.mu.Lock()
	at := time.Since(o.began)
	takes := o.takes(at)
	down := o.down(at + takes)
	o.mu.Unlock()
	if err := elapse(ctx, takes, server, options); err != nil {
		return nil, err
	}
	if down {
		return nil, errors.New("it is not there")
	}
	s := &outdoorSession{done: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live = append(o.live, s)
	return s, nil
}

// strike ends the sessions if the server is down.
func (o *outdoors) strike() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lasting && o.down(time.Since(o.began)) {
		for _, s := range o.live {
			_ = s.Close()
		}
		o.live = nil
	}
}

func (s *outdoorSession) ListTools(context.Context) (client.Listing, error) {
	return client.Listing{Tools: []tools.Spec{{Name: "act", Remote: "act"}}}, nil
}

func (s *outdoorSession) CallTool(context.Context, string, json.RawMessage) (tools.Result, error) {
	return tools.Result{Text: "ok"}, nil
}
func (s *outdoorSession) Close() error          { s.once.Do(func() { close(s.done) }); return nil }
func (s *outdoorSession) Done() <-chan struct{} { return s.done }

func (s *outdoorSession) Err() error {
	select {
	case <-s.done:
		return errors.New("it is gone")
	default:
		return nil
	}
}

// waited runs one start and returns how long after the end of the trouble it was
// connected; ok is false if it took longer than two minutes.
func (o *outdoors) waited(t *testing.T, seed uint64) (took time.Duration, ok bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h, err := New(Config{Servers: []mcpint.Server{{ID: "s", Trust: mcpint.TrustFull, Command: cmp.Or(o.command, "/s")}}, Retry: DefaultRetry()}, tools.NewRegistry(), quiet())
		if err != nil {
			t.Fatal(err)
		}
		h.dial = o.dial
		roll := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a fixed seed, so that the test can be repeated
		var mu sync.Mutex
		h.random = func() float64 { mu.Lock(); defer mu.Unlock(); return roll.Float64() }
		o.began = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for took < 2*time.Minute && !ok {
			at := time.Since(o.began)
			o.strike()
			if o.wakes && at >= o.whole && at < o.whole+250*time.Millisecond {
				h.WakeAll()
			}
			synctest.Wait()
			took = max(0, at-o.whole)
			ok = at >= o.whole && h.Status()[0].Status == mcpint.Connected
			<-tick.C
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return took, ok
}

// TestStartsInAnyWeather is M15 in virtual time: many starts with faults
// injected at random, after which the server is connected without help soon after
// the trouble is over.
func TestStartsInAnyWeather(t *testing.T) { startsInAnyWeather(t, 100) }

// startsInAnyWeather starts so often in each weather.
func startsInAnyWeather(t *testing.T, each int) {
	t.Helper()
	var lines []string
	total, connected := 0, 0
	for name, make := range weathers {
		var sum, worst time.Duration
		well, slow := 0, false
		for seed := range uint64(each) {
			r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a fixed seed, so that the test can be repeated
			w := make(r)
			slow = w.slow
			took, ok := (&outdoors{weather: w}).waited(t, seed)
			if !ok {
				t.Logf("%s, seed %d: not connected", name, seed)
				continue
			}
			well++
			sum += took
			worst = max(worst, took)
		}
		total, connected = total+each, connected+well
		mean := sum / time.Duration(max(well, 1))
		lines = append(lines, fmt.Sprintf("%s\t%d\t%d\t%v\t%v", name, each, well, mean.Round(time.Millisecond), worst))
		switch {
		case slow && worst > slowLimit:
			t.Errorf("%s: one took %v, in virtual time, expected at most %v", name, worst, slowLimit)
		case !slow && mean > meanLimit:
			t.Errorf("%s: it took %v on average, in virtual time, expected at most %v", name, mean, meanLimit)
		}
	}
	t.Logf("by hand: 0\n%s", tableOf("weather\tstarts\tconnected\tmean, virtual\tlongest", lines))
	if connected < total {
		t.Errorf("%d of %d starts ended connected, expected all", connected, total)
	}
}
