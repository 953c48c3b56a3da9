package wake_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/ear/wyoming"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// distant starts the engine for a service; it ends with the test.
func distant(t *testing.T, uri string, words ...string) wake.Engine {
	t.Helper()
	return logged(t, nil, uri, words...)
}

// logged is distant with a log.
func logged(t *testing.T, log *slog.Logger, uri string, words ...string) wake.Engine {
	t.Helper()
	e, err := wake.New(wake.Config{Engine: "wyoming", Wyoming: wyoming.Config{URI: uri}, Words: words, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return e
}

// listened gives the engine sound until it detects something.
func listened(t *testing.T, e wake.Engine, at *time.Time) speech.Detection {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		*at = at.Add(audio.FrameLength)
		d, ok, _ := e.Detect(t.Context(), audio.Frame{At: *at, Samples: make([]int16, audio.FrameSamples)})
		if ok {
			return d
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("no wake word")
		}
	}
}

// offer answers describe with models.
func offer(p *fake.Peer, models ...map[string]any) (detect string) {
	if _, _, ok := p.Until("describe"); !ok {
		return ""
	}
	all := make([]any, len(models))
	for i, m := range models {
		all[i] = m
	}
	p.Send("info", map[string]any{"wake": []any{map[string]any{"name": "openwakeword", "installed": true, "models": all}}}, nil)
	e, _, _ := p.Until("detect")
	return string(e.Data)
}

func TestAWyomingServiceHearsTheWakeWord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		models []map[string]any
		asks   string // names it is asked for
		told   map[string]any
		want   string
	}{
		"by its name":       {[]map[string]any{{"name": "alexa"}, {"name": "hey_jarvis"}}, `["hey_jarvis"]`, map[string]any{"name": "hey_jarvis"}, "Hey Jarvis"},
		"with a version":    {[]map[string]any{{"name": "hey_jarvis_v0.1"}}, `["hey_jarvis_v0.1"]`, map[string]any{"name": "hey_jarvis_v0.1"}, "Hey Jarvis"},
		"by its phrase":     {[]map[string]any{{"name": "model7", "phrase": "hey, jarvis!"}}, `["model7"]`, map[string]any{"name": "model7", "timestamp": nil}, "Hey Jarvis"},
		"two words":         {[]map[string]any{{"name": "ok_nabu"}, {"name": "hey_jarvis"}}, `["hey_jarvis","ok_nabu"]`, map[string]any{"name": "ok_nabu"}, "ok nabu"},
		"it tells nothing":  {nil, `["hey_jarvis","ok_nabu"]`, map[string]any{"name": "hey_jarvis"}, "Hey Jarvis"},
		"without any name":  {[]map[string]any{{"name": "hey_jarvis"}}, `["hey_jarvis"]`, map[string]any{}, "Hey Jarvis"},
		"an odd time of it": {[]map[string]any{{"name": "hey_jarvis"}}, `["hey_jarvis"]`, map[string]any{"name": "hey_jarvis", "timestamp": 1 << 50}, "Hey Jarvis"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := fake.Wyoming(t, func(p *fake.Peer) {
				if got := offer(p, tt.models...); !strings.Contains(got, tt.asks) {
					t.Errorf("asked to detect %s, expected %s", got, tt.asks)
				}
				p.Until("audio-chunk")
				p.Send("detection", map[string]any{"name": "alexa"}, nil) // a word that was not asked for
				p.Send("detection", tt.told, nil)
				p.Hang()
			})
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			d := listened(t, distant(t, uri, "Hey Jarvis", "ok nabu"), &at)
			if d.Word != tt.want || d.Engine != "wyoming" || d.At.After(at) || at.Sub(d.At) > 5*time.Second {
				t.Errorf("%+v, %s ago", d, at.Sub(d.At))
			}
		})
	}
}

// TestTheTimeOfADetection: the time is that of the sound if the service tells it.
func TestTheTimeOfADetection(t *testing.T) {
	t.Parallel()
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		offer(p, map[string]any{"name": "hey_jarvis"})
		var last struct {
			Timestamp int64 `json:"timestamp"`
		}
		for range 10 {
			e, _, _ := p.Until("audio-chunk")
			_ = json.Unmarshal(e.Data, &last)
		}
		p.Send("detection", map[string]any{"name": "hey_jarvis", "timestamp": last.Timestamp - 100}, nil)
		p.Hang()
	})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := start
	d := listened(t, distant(t, uri, "hey jarvis"), &at)
	// Frames begin at multiples of 20 ms, and so does the sound that is 100 ms
	// older.
	if d.At.Sub(start)%audio.FrameLength != 0 || at.Sub(d.At) < 100*time.Millisecond {
		t.Errorf("heard at %s of %s", d.At.Sub(start), at.Sub(start))
	}
}

// TestALostServiceComesBack: the engine says what is wrong and tries again.
func TestALostServiceComesBack(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		if calls.Add(1) == 1 {
			offer(p, map[string]any{"name": "hey_jarvis"})
			return
		}
		offer(p, map[string]any{"name": "hey_jarvis"})
		p.Until("audio-chunk")
		p.Send("detection", map[string]any{"name": "hey_jarvis"}, nil)
		p.Hang()
	})
	at := time.Now()
	if d := listened(t, distant(t, uri, "hey jarvis"), &at); d.Word != "hey jarvis" || calls.Load() != 2 {
		t.Errorf("%+v after %d connections", d, calls.Load())
	}
}

// TestAServiceThatIsOfNoUse: the trouble is reported, and the engine never waits
// for the service.
func TestAServiceThatIsOfNoUse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve func(p *fake.Peer)
		want  string
	}{
		"knows other words": {func(p *fake.Peer) { offer(p, map[string]any{"name": "alexa"}) }, `knows none of ["hey jarvis"]; it has alexa`},
		"is no service":     {func(p *fake.Peer) { _, _ = p.Write([]byte("HTTP/1.1 400\r\n\r\n")); p.Hang() }, "not the JSON"},
		"complains":         {func(p *fake.Peer) { p.Send("error", map[string]string{"text": "no models"}, nil); p.Hang() }, "no models"},
		"closes":            {func(*fake.Peer) {}, "closed the connection"},
		"writes down speech": {func(p *fake.Peer) {
			p.Until("describe")
			p.Send("info", map[string]any{"asr": []any{map[string]any{"name": "whisper"}}, "wake": []any{}}, nil)
			p.Hang()
		}, "wake.wyoming.uri is the address of a speech recogniser"},
		"speaks": {func(p *fake.Peer) {
			p.Until("describe")
			p.Send("info", map[string]any{"tts": []any{map[string]any{"name": "piper"}}}, nil)
			p.Hang()
		}, "wake.wyoming.uri is the address of a voice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := distant(t, fake.Wyoming(t, tt.serve), "hey jarvis")
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for {
				_, _, err := e.Detect(t.Context(), audio.Frame{At: time.Now()})
				if err != nil && (strings.Contains(err.Error(), tt.want) || tt.want == "closed the connection" && strings.Contains(err.Error(), "reset")) {
					return
				}
				if err == nil {
					t.Fatal("it seems to work")
				}
				select {
				case <-tick.C:
				case <-t.Context().Done():
					t.Fatalf("%v, expected %q", err, tt.want)
				}
			}
		})
	}
}

// records keeps what is logged.
type records struct {
	slog.Handler
	all chan slog.Record
}

func (records) Enabled(context.Context, slog.Level) bool { return true }

func (r records) Handle(_ context.Context, record slog.Record) error {
	r.all <- record
	return nil
}

func recorded() (*slog.Logger, chan slog.Record) {
	all := make(chan slog.Record, 1000)
	return slog.New(records{slog.DiscardHandler, all}), all
}

// TestAFrozenService: the service takes sound until its buffers are full. Then the engine
// reports it, logs it once, and connects again.
func TestAFrozenService(t *testing.T) {
	t.Parallel()
	for name, froze := range map[string]func(p *fake.Peer){
		"without a word": func(*fake.Peer) {},
		"while it asks whether we are there": func(p *fake.Peer) {
			ping := map[string]string{"text": strings.Repeat("there? ", 4000)}
			for range 100 {
				p.Send("ping", ping, nil)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			over := make(chan struct{})
			uri := fake.Wyoming(t, func(p *fake.Peer) {
				again := calls.Add(1) > 1
				if c, ok := p.Conn.(*net.TCPConn); ok && !again {
					_ = c.SetReadBuffer(4 << 10)
				}
				offer(p, map[string]any{"name": "hey_jarvis"})
				if !again {
					froze(p)
					<-over
					return
				}
				p.Until("audio-chunk")
				p.Send("detection", map[string]any{"name": "hey_jarvis"}, nil)
				p.Hang()
			})
			t.Cleanup(func() { close(over) })
			log, all := recorded()
			e := logged(t, log, uri, "hey jarvis")
			at := time.Now()
			listened(t, e, &at)
			lost, reason := 0, ""
			for reason == "" {
				r := <-all
				if strings.Contains(r.Message, "fast enough") {
					lost++
				}
				r.Attrs(func(a slog.Attr) bool {
					if a.Key == "err" {
						reason += a.Value.String()
					}
					return true
				})
			}
			if lost != 1 || !strings.Contains(reason, "takes no sound") {
				t.Errorf("lost frames were told of %d times, the reason is %q", lost, reason)
			}
		})
	}
}

// TestTheGrowingPause: a service that takes the connection and ends it is not
// asked every second, but one that heard something is.
func TestTheGrowingPause(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hears bool
		want  []time.Duration
	}{
		"hangs up":                {false, []time.Duration{time.Second, 2 * time.Second}},
		"hears and then hangs up": {true, []time.Duration{time.Second, time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := fake.Wyoming(t, func(p *fake.Peer) {
				offer(p, map[string]any{"name": "hey_jarvis"})
				p.Until("audio-start") // what is left unread would turn the end into a reset
				if tt.hears {
					p.Send("detection", map[string]any{"name": "hey_jarvis"}, nil)
				}
			})
			log, all := recorded()
			logged(t, log, uri, "hey jarvis")
			var got []time.Duration
			for len(got) < len(tt.want) {
				r := <-all
				r.Attrs(func(a slog.Attr) bool {
					if a.Key == "retry_in" {
						got = append(got, a.Value.Duration())
					}
					return true
				})
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("waits %s, expected %s", got, tt.want)
			}
		})
	}
}

// TestALateDetectionWakesNobody: a detection that comes after a pause in
// listening belongs to sound from before the pause.
func TestALateDetectionWakesNobody(t *testing.T) {
	t.Parallel()
	told := make(chan struct{})
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		offer(p, map[string]any{"name": "hey_jarvis"})
		for range 5 {
			p.Until("audio-chunk")
		}
		for range 2 {
			p.Send("detection", map[string]any{"name": "hey_jarvis", "timestamp": 60}, nil)
		}
		close(told)
		p.Hang()
	})
	e := distant(t, uri, "hey jarvis")
	at := time.Now()
	listened(t, e, &at)
	<-told
	at = at.Add(4 * time.Second) // a command was heard meanwhile
	for range 100 {
		at = at.Add(audio.FrameLength)
		if d, ok, _ := e.Detect(t.Context(), audio.Frame{At: at, Samples: make([]int16, audio.FrameSamples)}); ok {
			t.Fatalf("%+v", d)
		}
	}
}

func TestNewWyomingChecks(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]wake.Config{
		"wake.wyoming.uri": {Engine: "wyoming", Words: []string{"hey jarvis"}},
		"not supported":    {Engine: "wyoming", Words: []string{"hey jarvis"}, Wyoming: wyoming.Config{URI: "stdio://"}},
		"no wake words":    {Engine: "wyoming", Words: []string{" ", "!"}, Wyoming: wyoming.Config{URI: "tcp://127.0.0.1:1"}},
	} {
		if _, err := wake.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}
