// Package mute is the switch that closes the microphone, also over a restart
// (REQUIREMENTS H9). It exists so that one place decides in which order the disk,
// the turn loop and the sound card learn of a turn of the switch: whatever fails
// or is killed in between, nobody is heard who believes that nobody listens. What
// else must go deaf is one more Microphone, turned in Set and Restore.
package mute

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

	"voicegateway/internal/store"
)

// switchFile is the switch's name in the state directory.
const switchFile = "mute"

// turnTime bounds one turn of the switch, which waits for the turn's loop and for
// the sound card's worker, each at most a few seconds.
const turnTime = 10 * time.Second

// kept is what stands on the disk.
type kept struct {
	Muted bool      `json:"muted"`
	Since time.Time `json:"since"`
}

// Microphone is what the switch closes and opens.
type Microphone interface {
	Mute(ctx context.Context, on bool) error
}

// Switch closes the microphone on request and keeps that. A doubt is decided for
// the family: a switch that is damaged or cannot be closed counts as muted. It is
// safe for concurrent use.
type Switch struct {
	dir  string // of the state
	log  *slog.Logger
	loop Microphone
	card Microphone // nil: other sound takes the card's place

	turning  sync.Mutex // held while the switch is turned, which waits for the loop
	restored bool       // the loop does not know yet that it begins muted
	on       atomic.Bool
}

// New makes the switch of a turn loop and its sound card, which is nil where other
// sound takes its place. It is kept in a state directory.
func New(dir string, loop, card Microphone, log *slog.Logger) *Switch {
	return &Switch{dir: dir, loop: loop, card: card, log: log}
}

// On says whether the microphone is closed.
func (s *Switch) On() bool { return s.on.Load() }

// Kept says whether the microphone is muted by the switch in a state directory,
// for programs that would open it beside a daemon.
func Kept(dir string) (bool, error) {
	var last kept
	disk, err := store.Open(dir)
	if err != nil {
		return false, err
	}
	if err := disk.Load(switchFile, &last); err != nil {
		// A damaged switch is set aside; until somebody turns it, it stays muted.
		return true, errors.Join(err, disk.Save(switchFile, kept{Muted: true, Since: time.Now()}))
	}
	return last.Muted, nil
}

// installed is where the service keeps its state (configs/voice-gateway.service).
const installed = "/var/lib/voice-gateway"

// KeptHere says whether a gateway of this machine was muted: the one of the state
// directory, or the service, whose directory is another one where it may be read.
func KeptHere(dir string) (bool, error) {
	if on, err := Kept(dir); on || dir == installed {
		return on, err
	}
	var last kept
	data, err := os.ReadFile(filepath.Join(installed, switchFile+".json"))
	if err != nil {
		return false, nil //nolint:nilerr // there is no service, or it is none of ours
	}
	if err := json.Unmarshal(data, &last); err != nil {
		return true, fmt.Errorf("reading the service's mute switch: %w", err)
	}
	return last.Muted, nil
}

// Restore reads the switch of an earlier run and closes the microphone before
// anything has opened it.
func (s *Switch) Restore(ctx context.Context) bool {
	on, err := Kept(s.dir)
	if err != nil {
		s.log.Warn("the mute switch of an earlier run is not known", "muted", on, "err", err)
	}
	s.turning.Lock()
	defer s.turning.Unlock()
	s.restored = on
	s.on.Store(on)
	if !on {
		return false
	}
	s.log.Info("the microphone is muted, as it was at the last end; voice-gateway mute off opens it")
	if s.card != nil {
		if err := s.card.Mute(ctx, true); err != nil {
			s.log.Warn("the microphone is deaf but could not be closed", "err", err)
		}
	}
	return true
}

// Apply tells the loop, which has just begun, of the switch as an earlier run
// left it.
func (s *Switch) Apply(ctx context.Context) {
	s.turning.Lock()
	defer s.turning.Unlock()
	_ = s.catchUp(ctx) // it fails when the loop ends, and is of no use then
}

// catchUp is Apply for who turns the switch before that. The caller holds turning.
func (s *Switch) catchUp(ctx context.Context) error {
	if !s.restored {
		return nil
	}
	err := s.loop.Mute(ctx, true)
	s.restored = err != nil
	return err
}

// Set turns the switch. Muting is written down first and opening last, so that
// one who is killed in between starts muted. What cannot be written holds until
// the end, and the error says so. Who asked may go away meanwhile: a switch half
// turned would say what is not so.
func (s *Switch) Set(ctx context.Context, on bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnTime)
	defer cancel()
	s.turning.Lock()
	defer s.turning.Unlock()
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	var written, heard, closed error
	if on {
		written = s.keep(on)
		s.on.Store(true)
		heard = s.loop.Mute(ctx, true)
		closed = s.turnCard(ctx, true)
	} else {
		closed = s.turnCard(ctx, false)
		if heard = s.loop.Mute(ctx, false); heard == nil {
			s.on.Store(false)
			written = s.keep(on)
		} else {
			closed = s.turnCard(ctx, true)
		}
	}
	s.log.Info("microphone", "muted", s.on.Load())
	return errors.Join(heard, closed, written)
}

func (s *Switch) turnCard(ctx context.Context, on bool) error {
	if s.card == nil {
		return nil
	}
	if err := s.card.Mute(ctx, on); err != nil {
		return fmt.Errorf("the sound card did not obey: %w", err)
	}
	return nil
}

// keep writes the switch down.
func (s *Switch) keep(on bool) error {
	disk, err := store.Open(s.dir)
	if err == nil {
		err = disk.Save(switchFile, kept{Muted: on, Since: time.Now()})
	}
	if err != nil {
		return fmt.Errorf("it holds until the gateway ends and is forgotten then: %w", err)
	}
	return nil
}
