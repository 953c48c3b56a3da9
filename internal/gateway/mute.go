package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/store"
	"voicegateway/internal/turn"
)

// muteFile is the switch's name in the state directory.
const muteFile = "mute"

// turnTime bounds one turn of the switch, which waits for the turn's loop and for
// the sound card's worker, each at most a few seconds.
const turnTime = 10 * time.Second

// muteSwitch is what is kept of the switch.
type muteSwitch struct {
	Muted bool      `json:"muted"`
	Since time.Time `json:"since"`
}

// mute closes the microphone on request and keeps that over a restart
// (REQUIREMENTS H9). A doubt is decided for the family: a switch that is
// damaged or cannot be closed counts as muted. It is safe for concurrent use.
type mute struct {
	dir   string // of the state
	log   *slog.Logger
	loop  *turn.Loop
	sound *device.Device // nil: other sound takes the card's place

	turning  sync.Mutex // held while the switch is turned, which waits for the loop
	restored bool       // the loop does not know yet that it begins muted
	on       atomic.Bool
}

// Muted says whether the microphone is muted by the switch in a state directory,
// for programs that would open it beside a daemon.
func Muted(dir string) (bool, error) {
	var kept muteSwitch
	disk, err := store.Open(dir)
	if err != nil {
		return false, err
	}
	if err := disk.Load(muteFile, &kept); err != nil {
		// A damaged switch is set aside; until somebody turns it, it stays muted.
		return true, errors.Join(err, disk.Save(muteFile, muteSwitch{Muted: true, Since: time.Now()}))
	}
	return kept.Muted, nil
}

// installed is where the service keeps its state (configs/voice-gateway.service).
const installed = "/var/lib/voice-gateway"

// MutedHere says whether a gateway of this machine was muted: the one of the state
// directory, or the service, whose directory is another one where it may be read.
func MutedHere(dir string) (bool, error) {
	if on, err := Muted(dir); on || dir == installed {
		return on, err
	}
	var kept muteSwitch
	data, err := os.ReadFile(filepath.Join(installed, muteFile+".json"))
	if err != nil {
		return false, nil //nolint:nilerr // there is no service, or it is none of ours
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return true, fmt.Errorf("reading the service's mute switch: %w", err)
	}
	return kept.Muted, nil
}

// restore reads the switch of an earlier run and closes the microphone before
// anything has opened it.
func (m *mute) restore(ctx context.Context) bool {
	on, err := Muted(m.dir)
	if err != nil {
		m.log.Warn("the mute switch of an earlier run is not known", "muted", on, "err", err)
	}
	m.turning.Lock()
	defer m.turning.Unlock()
	m.restored = on
	m.on.Store(on)
	if !on {
		return false
	}
	m.log.Info("the microphone is muted, as it was at the last end; voice-gateway mute off opens it")
	if m.sound != nil {
		if err := m.sound.Mute(ctx, true); err != nil {
			m.log.Warn("the microphone is deaf but could not be closed", "err", err)
		}
	}
	return true
}

// apply tells the loop, which has just begun, of the switch as an earlier run
// left it.
func (m *mute) apply(ctx context.Context) {
	m.turning.Lock()
	defer m.turning.Unlock()
	_ = m.catchUp(ctx) // it fails when the loop ends, and is of no use then
}

// catchUp is apply for who turns the switch before that. The caller holds turning.
func (m *mute) catchUp(ctx context.Context) error {
	if !m.restored {
		return nil
	}
	err := m.loop.Mute(ctx, true)
	m.restored = err != nil
	return err
}

// set turns the switch. Muting is written down first and opening last, so that
// one who is killed in between starts muted. What cannot be written holds until
// the end, and the error says so. Who asked may go away meanwhile: a switch half
// turned would say what is not so.
func (m *mute) set(ctx context.Context, on bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
	defer cancel()
	m.turning.Lock()
	defer m.turning.Unlock()
	if err := m.catchUp(ctx); err != nil {
		return err
	}
	var kept, heard, closed error
	if on {
		kept = m.keep(on)
		m.on.Store(true)
		heard = m.loop.Mute(ctx, true)
		closed = m.card(ctx, true)
	} else {
		closed = m.card(ctx, false)
		if heard = m.loop.Mute(ctx, false); heard == nil {
			m.on.Store(false)
			kept = m.keep(on)
		} else {
			closed = m.card(ctx, true)
		}
	}
	m.log.Info("microphone", "muted", m.on.Load())
	return errors.Join(heard, closed, kept)
}

func (m *mute) card(ctx context.Context, on bool) error {
	if m.sound == nil {
		return nil
	}
	if err := m.sound.Mute(ctx, on); err != nil {
		return fmt.Errorf("the sound card did not obey: %w", err)
	}
	return nil
}

// keep writes the switch down.
func (m *mute) keep(on bool) error {
	disk, err := store.Open(m.dir)
	if err == nil {
		err = disk.Save(muteFile, muteSwitch{Muted: on, Since: time.Now()})
	}
	if err != nil {
		return fmt.Errorf("it holds until the gateway ends and is forgotten then: %w", err)
	}
	return nil
}

// What a gateway can be without.
var (
	errNoMicrophone = errors.New("this gateway has no microphone")
	errEnglishOnly  = errors.New("the recogniser hears English only, and gateway.language is another")
)

// restoreMute mutes before anything has started, and has the state say so from
// the first word on.
func (g *Gateway) restoreMute(ctx context.Context) {
	if g.ear.mute != nil && g.opts.Mic == nil && g.ear.mute.restore(ctx) {
		g.observer.StateChanged(turn.Muted)
	}
}

// Mute closes the microphone or opens it, also for the next start.
func (g *Gateway) Mute(ctx context.Context, on bool) error {
	if g.ear.mute == nil {
		return errNoMicrophone
	}
	return g.ear.mute.set(ctx, on)
}

// Muted says whether the microphone is closed on request.
func (g *Gateway) Muted() bool { return g.ear.mute != nil && g.ear.mute.on.Load() }

// Listen opens an utterance without a wake word.
func (g *Gateway) Listen(ctx context.Context) error {
	switch {
	case g.ear.loop == nil:
		return errNoMicrophone
	case g.deaf():
		return errEnglishOnly
	}
	return g.ear.loop.Listen(ctx)
}

// Stop ends what is being heard or said.
func (g *Gateway) Stop(ctx context.Context) error {
	if g.ear.loop == nil {
		return nil
	}
	return g.ear.loop.Stop(ctx)
}
