package gateway

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/home"
	"voicegateway/internal/mcpint"
)

// answering is a loop that answers unless it hangs.
type answering struct{ hangs bool }

func (a *answering) Answers(context.Context) error {
	if a.hangs {
		return context.DeadlineExceeded
	}
	return nil
}

// microphone gives the error, or one frame after the other.
type microphone struct{ err error }

func (m *microphone) Read(context.Context) (audio.Frame, error) { return audio.Frame{}, m.err }

// nothing is a bus, a house and servers without any connection.
type nothing struct{}

func (nothing) Connected() bool         { return false }
func (nothing) Trouble() error          { return nil }
func (nothing) Offered() bool           { return false }
func (nothing) House() *home.House      { return &home.House{} }
func (nothing) Overall() mcpint.Overall { return mcpint.OverallDisconnected }

// vital are the vitals of a gateway that has not been started, in a test's hands.
func vital(t *testing.T) (v *Vitals, loop *answering, card *device.State, mic *microphone, muted *bool) {
	t.Helper()
	loop, card, mic, muted = &answering{}, &device.State{}, &microphone{}, new(bool)
	return newVitals(Parts{
		Bus: nothing{}, House: nothing{}, MCP: nothing{}, Loop: loop, Sound: func() device.State { return *card },
		Muted: func() bool { return *muted }, Pulse: &Pulse{Microphone: mic}, Engine: "micro", Words: []string{"hey jarvis"},
	}), loop, card, mic, muted
}

func TestASignOfLifeNeedsSoundOrAReason(t *testing.T) {
	t.Parallel()
	v, loop, card, mic, muted := vital(t)
	alive := func(want string) {
		t.Helper()
		err := v.Alive(t.Context())
		if got := errors.Join(err); (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("alive: %v; expected %q", err, want)
		}
	}
	frame := func() { _, _ = v.Pulse.Read(t.Context()) }

	alive("") // the card is being opened
	card.Input = "card"
	frame()
	alive("")
	alive("no sound") // nothing since then
	frame()
	alive("")
	card.Problem = "unplugged"
	alive("")
	card.Problem = ""
	alive("no sound")
	*muted = true
	alive("")
	*muted = false
	mic.err = io.ErrUnexpectedEOF
	frame() // the last one
	alive("")
	loop.hangs = true
	frame()
	alive("nothing happens")
}

func TestReadyWaitsForWordFromEveryPart(t *testing.T) {
	t.Parallel()
	v, loop, card, _, muted := vital(t)
	if v.Ready(t.Context()) {
		t.Error("it is ready before anything has started")
	}
	for _, part := range []string{"starting", "MQTT", "the recogniser", "the sound card"} {
		if !strings.Contains(v.Status(), part) {
			t.Errorf("status %q; expected %q in it", v.Status(), part)
		}
	}
	v.began = v.began.Add(-2 * startMost) // long ago
	loop.hangs = true
	if v.Ready(t.Context()) {
		t.Error("it is ready with a loop that hangs")
	}
	loop.hangs = false
	if !v.Ready(t.Context()) {
		t.Error("parts that say nothing keep it from being ready for ever")
	}
	card.Input = "card"
	if got := v.Status(); !strings.HasPrefix(got, "listening for 'hey jarvis'; 0 devices; MCP DISCONNECTED; no MQTT broker; no word yet from") {
		t.Errorf("status %q", got)
	}
	card.Problem = "unplugged"
	if got := v.Status(); !strings.HasPrefix(got, "no microphone") {
		t.Errorf("status %q", got)
	}
	*muted = true
	if got := v.Status(); !strings.HasPrefix(got, "muted, and no microphone") {
		t.Errorf("status %q", got)
	}
}
