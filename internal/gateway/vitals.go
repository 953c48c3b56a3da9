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
	"voicegateway/internal/house"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/systemd"
	"voicegateway/internal/turn"
)

// pulse counts the frames on their way from the microphone to the turn loop.
type pulse struct {
	turn.Microphone
	frames atomic.Int64
	ended  atomic.Bool // the source has ended
}

// Read returns the next frame.
func (p *pulse) Read(ctx context.Context) (audio.Frame, error) {
	f, err := p.Microphone.Read(ctx)
	switch {
	case err == nil:
		p.frames.Add(1)
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

// vitals is the gateway as the service manager sees it (REQUIREMENTS R).
type vitals struct {
	setup
	bus   *mqtt.Client
	house *house.House
	mcp   *host.Host
	loop  interface{ Answers(context.Context) error }
	sound func() device.State
	muted func() bool
	pulse *pulse

	began time.Time
	seen  int64 // frames at the last sign of life
	known bool  // readiness was told
}

// newManager prepares what the service manager is told. Only the daemon tells it
// anything; a gateway with other sound, or without sound, is a person's command.
func (s setup) newManager(link link, rooms *house.House, mcp *host.Host, ear *ear) (*systemd.Service, error) {
	if s.opts.TextOnly || s.opts.Private || s.opts.Mic != nil {
		return nil, nil // no service manager
	}
	return systemd.New(&vitals{
		setup: s, bus: link.bus, house: rooms, mcp: mcp, loop: ear.loop, sound: ear.sound.card.State, muted: ear.mute.On, pulse: ear.sound.mic,
	}, s.log)
}

// Ready reports whether every part has come up or is known to be missing. It does
// not wait for a broker, a microphone or a server that is away: the gateway answers
// without it, and the status says so.
func (v *vitals) Ready(ctx context.Context) bool {
	if v.began.IsZero() {
		v.began = time.Now()
	}
	v.known = v.loop.Answers(ctx) == nil && (len(v.missing()) == 0 || time.Since(v.began) > startMost)
	return v.known
}

// missing lists the parts that have reported neither success nor failure.
func (v *vitals) missing() []string {
	var parts []string
	if bus := v.bus; !bus.Connected() && bus.Trouble() == nil {
		parts = append(parts, "MQTT")
	}
	if !v.house.Offered() {
		parts = append(parts, "the recogniser")
	}
	if s := v.sound(); s.Input == "" && s.Problem == "" && !v.waits() {
		parts = append(parts, "the sound card")
	}
	return parts
}

// waits reports whether there is a known reason for the absence of frames.
func (v *vitals) waits() bool {
	s := v.sound()
	return v.muted() || s.Problem != "" || v.pulse.ended.Load()
}

// Alive reports whether the loop answers, and whether frames reach it or there is a
// known reason why not.
func (v *vitals) Alive(ctx context.Context) error {
	if err := v.loop.Answers(ctx); err != nil {
		return fmt.Errorf("nothing happens between the frames: %w", err)
	}
	before := v.seen
	v.seen = v.pulse.frames.Load()
	if v.seen != before || v.waits() || v.sound().Input == "" {
		return nil
	}
	return errors.New("the microphone is open and brings no sound")
}

// Status is what the gateway hears, knows and reaches.
func (v *vitals) Status() string {
	missing := v.missing()
	if !v.known {
		if len(missing) == 0 {
			return "starting"
		}
		return "starting, waiting for " + strings.Join(missing, ", ")
	}
	parts := []string{v.hearing(), count(len(v.house.House().Entities)), "MCP " + strings.ToUpper(string(v.mcp.Overall()))}
	if !v.bus.Connected() {
		parts = append(parts, "no MQTT broker")
	}
	if len(missing) > 0 {
		parts = append(parts, "no word yet from "+strings.Join(missing, ", "))
	}
	return strings.Join(parts, "; ")
}

// hearing says what the ear waits for.
func (v *vitals) hearing() string {
	switch s := v.sound(); {
	case v.deaf():
		return "spoken commands are off"
	case v.muted():
		return "muted"
	case s.Input == "" || s.Problem != "" || v.pulse.ended.Load():
		return "no microphone, text commands work"
	case v.cfg.Wake.Engine == "none":
		return "push to talk"
	}
	return "listening for '" + strings.Join(v.cfg.Wake.Words, "' or '") + "'"
}

// count says how many devices there are.
func count(devices int) string {
	if devices == 1 {
		return "1 device"
	}
	return fmt.Sprintf("%d devices", devices)
}
