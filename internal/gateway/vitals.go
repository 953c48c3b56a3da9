package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/ear"
	"voicegateway/internal/home"
	"voicegateway/internal/mcpint"
)

// Pulse counts the frames on their way from the microphone to the turn loop.
type Pulse struct {
	ear.Microphone
	attend func() // called with every frame; nil: nothing is
	frames atomic.Int64
	ended  atomic.Bool // the source has ended
}

// Read returns the next frame.
func (p *Pulse) Read(ctx context.Context) (audio.Frame, error) {
	f, err := p.Microphone.Read(ctx)
	switch {
	case err == nil:
		p.frames.Add(1)
		if p.attend != nil {
			p.attend()
		}
	case ctx.Err() == nil:
		p.ended.Store(true)
	}
	return f, err
}

// startMost bounds the wait for parts that report neither success nor failure, such
// as a sound worker that crashes again and again. It is longer than any part takes
// on a small machine and well below the 90 s a service manager gives a service to
// start. The status names the parts that are still missing then.
const startMost = 20 * time.Second

// Parts are what the signs of life are taken from.
type Parts struct {
	Bus interface {
		Connected() bool
		Trouble() error
	}
	House interface {
		Offered() bool // the recogniser has a grammar
		House() *home.House
	}
	MCP   interface{ Overall() mcpint.Overall }
	Loop  interface{ Answers(context.Context) error }
	Sound func() device.State
	Muted func() bool
	Pulse *Pulse

	Deaf   bool     // no recogniser knows the language
	Engine string   // of the wake word; "none" is push to talk
	Words  []string // wake words
}

// Vitals are the gateway's signs of life. They belong to one goroutine.
type Vitals struct {
	Parts

	began time.Time
	seen  int64 // frames at the last sign of life
	known bool  // readiness was told
}

// New takes the signs of life from parts.
func newVitals(p Parts) *Vitals { return &Vitals{Parts: p} }

// Ready reports whether every part has come up or is known to be missing. It does
// not wait for a broker, a microphone or a server that is away: the gateway answers
// without it, and the status says so.
func (v *Vitals) Ready(ctx context.Context) bool {
	if v.began.IsZero() {
		v.began = time.Now()
	}
	v.known = v.Loop.Answers(ctx) == nil && (len(v.missing()) == 0 || time.Since(v.began) > startMost)
	return v.known
}

// missing lists the parts that have reported neither success nor failure.
func (v *Vitals) missing() []string {
	var parts []string
	if bus := v.Bus; !bus.Connected() && bus.Trouble() == nil {
		parts = append(parts, "MQTT")
	}
	if !v.House.Offered() {
		parts = append(parts, "the recogniser")
	}
	if s := v.Sound(); s.Input == "" && s.Problem == "" && !v.waits() {
		parts = append(parts, "the sound card")
	}
	return parts
}

// waits reports whether there is a known reason for the absence of frames.
func (v *Vitals) waits() bool {
	s := v.Sound()
	return v.Muted() || s.Problem != "" || v.Pulse.ended.Load()
}

// Alive reports whether the loop answers, and whether frames reach it or there is a
// known reason why not.
func (v *Vitals) Alive(ctx context.Context) error {
	if err := v.Loop.Answers(ctx); err != nil {
		return fmt.Errorf("nothing happens between the frames: %w", err)
	}
	before := v.seen
	v.seen = v.Pulse.frames.Load()
	if v.seen != before || v.waits() || v.Sound().Input == "" {
		return nil
	}
	return errors.New("the microphone is open and brings no sound")
}

// Status is what the gateway hears, knows and reaches.
func (v *Vitals) Status() string {
	missing := v.missing()
	if !v.known {
		if len(missing) == 0 {
			return "starting"
		}
		return "starting, waiting for " + strings.Join(missing, ", ")
	}
	parts := []string{v.hearing(), count(len(v.House.House().Entities)), "MCP " + strings.ToUpper(string(v.MCP.Overall()))}
	if !v.Bus.Connected() {
		parts = append(parts, "no MQTT broker")
	}
	if len(missing) > 0 {
		parts = append(parts, "no word yet from "+strings.Join(missing, ", "))
	}
	return strings.Join(parts, "; ")
}

// hearing says what the ear waits for.
func (v *Vitals) hearing() string {
	switch s := v.Sound(); {
	case v.Deaf:
		return "spoken commands are off"
	case v.Muted() && s.Problem != "":
		return "muted, and no microphone"
	case v.Muted():
		return "muted"
	case s.Input == "" || s.Problem != "" || v.Pulse.ended.Load():
		return "no microphone, text commands work"
	case v.Engine == "none":
		return "push to talk"
	}
	return "listening for '" + strings.Join(v.Words, "' or '") + "'"
}

// count says how many devices there are.
func count(devices int) string {
	if devices == 1 {
		return "1 device"
	}
	return fmt.Sprintf("%d devices", devices)
}
