package wyoming_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/ear/wyoming"
	"voicegateway/internal/fake"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"tcp://127.0.0.1:10300", "tcp://whisper.local:10300", "tcp://[::1]:10300", "unix:///run/w.sock", "unix://w.sock"} {
		if err := wyoming.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"": "tcp://127.0.0.1:10300", "127.0.0.1:10300": "not the address", "http://x:1": "not the address", "tcp://x": "not the address",
		"stdio://": "not supported", "unix://": "no socket", "tcp://user:secret@x:1": "knows none",
		"tcp://user:secret@x:port": "not the address", "user:secret@x:1": "not shown", "unix:?user:secret@x": "no socket",
	} {
		if err := wyoming.Check(bad); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, expected %q", bad, err, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		p.Send("ping", map[string]string{"text": "there?"}, nil)
		p.Send("zeroconf-news", map[string]int{"n": 1}, []byte("what?"))
		if e, _, ok := p.Until("pong"); !ok || string(e.Data) != `{"text":"there?"}` {
			t.Errorf("the ping was answered by %+v", e)
		}
		p.Send("info", map[string]any{
			"asr":  []any{map[string]any{"name": "whisper", "models": []any{map[string]any{"name": "tiny", "languages": []string{"en", "de"}}}}},
			"wake": []any{map[string]any{"name": "oww", "models": []any{map[string]any{"name": "ok_nabu_v0.1", "phrase": "okay nabu"}}}},
			"mic":  nil,
		}, nil)
	})
	c, err := wyoming.Dial(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	info, err := c.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(info.ASR) != 1 || !slices.Equal(info.ASR[0].Models[0].Languages, []string{"en", "de"}) || info.Wake[0].Models[0].Phrase != "okay nabu" {
		t.Errorf("%+v", info)
	}
}

func TestUnixSockets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = c.Write([]byte(`{"type":"info"}` + "\n"))
			_ = c.Close()
		}
	}()
	c, err := wyoming.Dial(t.Context(), "unix://"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Await(t.Context(), wyoming.TypeInfo); err != nil {
		t.Error(err)
	}
}

// faults are what a service can do wrong, and how each fault is reported.
var faults = map[string]struct {
	serve func(p *fake.Peer)
	want  string
}{
	"closes at once":  {func(*fake.Peer) {}, "closed the connection"},
	"is a web server": {func(p *fake.Peer) { _, _ = p.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")); p.Hang() }, "not the JSON"},
	"sends garbage":   {func(p *fake.Peer) { _, _ = p.Write([]byte(strings.Repeat("\xff\x00", 50<<10))); p.Hang() }, "over 65536 bytes"},
	"cuts off":        {func(p *fake.Peer) { _, _ = p.Write([]byte(`{"type":"audio-chunk","payload_length":9}` + "\n123")) }, "closed the connection"},
	"says why": {func(p *fake.Peer) {
		p.Send("error", map[string]string{"text": "no\nvoice\x00 today", "code": "E7"}, nil)
		p.Hang()
	}, "the service says: no voice today (E7)"},
	"does not say why": {func(p *fake.Peer) { p.Send("error", nil, nil); p.Hang() }, "error without words"},
	"sends endlessly": {func(p *fake.Peer) {
		p.Send("audio-start", map[string]int{"rate": 16000, "width": 2, "channels": 1}, nil)
		for range 40 {
			p.Send("audio-chunk", map[string]int{"rate": 16000, "width": 2, "channels": 1}, make([]byte, 1<<20))
		}
	}, "over 16777216 bytes"},
	"changes its mind": {func(p *fake.Peer) {
		p.Send("audio-start", map[string]int{"rate": 16000, "width": 2, "channels": 1}, nil)
		p.Send("audio-chunk", map[string]int{"rate": 8000}, make([]byte, 2))
		p.Hang()
	}, "changes the form"},
	"speaks in odd samples": {func(p *fake.Peer) {
		p.Send("audio-start", map[string]int{"rate": 16000, "width": 77, "channels": 1}, nil)
		p.Send("audio-stop", nil, nil)
		p.Hang()
	}, "cannot be played"},
}

func TestAServiceThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clip, err := wyoming.Synthesize(t.Context(), fake.Wyoming(t, tt.serve), "hello")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d samples, %v; expected %q", len(clip.Samples), err, tt.want)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	if _, err := wyoming.Synthesize(t.Context(), "tcp://127.0.0.1:1", "hello"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
}

// TestTheEndOfTheContextCloses: the connection to a service that hangs is closed,
// and the service notices.
func TestTheEndOfTheContextCloses(t *testing.T) {
	t.Parallel()
	asked, gone := make(chan struct{}), make(chan struct{})
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		defer close(gone)
		p.Until("synthesize")
		close(asked)
		p.Hang()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := wyoming.Synthesize(ctx, uri, "hello"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-gone
}

func TestSynthesize(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rate, width, channels int
		pcm                   []byte
		want                  []int16
	}{
		"as most":     {22050, 2, 1, []byte{1, 0, 255, 255}, []int16{1, -1}},
		"two voices":  {44100, 2, 2, []byte{2, 0, 4, 0}, []int16{3}},
		"wide":        {48000, 4, 1, []byte{0, 0, 5, 0}, []int16{5}},
		"no sound":    {16000, 2, 1, nil, nil},
		"half a word": {16000, 2, 1, []byte{7, 0, 9}, []int16{7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := fake.Wyoming(t, func(p *fake.Peer) {
				if e, _, ok := p.Until("synthesize"); !ok || string(e.Data) != `{"text":"hello there"}` {
					t.Errorf("asked for %+v", e)
				}
				form := map[string]int{"rate": tt.rate, "width": tt.width, "channels": tt.channels}
				p.Send("audio-start", form, nil)
				p.Send("audio-chunk", form, tt.pcm)
				p.Send("audio-stop", nil, nil)
				p.Hang()
			})
			clip, err := wyoming.Synthesize(t.Context(), uri, "hello there")
			if err != nil || int(clip.Rate) != tt.rate || !slices.Equal(clip.Samples, tt.want) {
				t.Errorf("%d Hz %v, %v", clip.Rate, clip.Samples, err)
			}
		})
	}
}
