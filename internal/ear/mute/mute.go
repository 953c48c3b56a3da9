// Package mute is the switch that closes the microphone; it survives a restart
// (REQUIREMENTS H9). It exists so that one place decides in which order the disk,
// the turn loop and the sound card learn of a change: whatever fails or is killed
// in between, the gateway never listens while people believe it is muted. Another
// thing that must go deaf is one more Microphone, switched in Set and Restore.
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

	"voicegateway/internal/keep"
)

// switchFile is the switch's name in the state directory.
const switchFile = "mute"

// turnTime bounds one turn of the switch. It waits for the turn loop and for the
// sound card's worker, each a few seconds at most.
const turnTime = 10 * time.Second

// kept is the switch as it is stored.
type kept struct {
	Muted bool      `json:"muted"`
	Since time.Time `json:"since"`
}

// Microphone is what the switch closes and opens.
type Microphone interface {
	Mute(ctx context.Context, on bool) error
}

// Switch closes the microphone on request and remembers that. In doubt it protects
// the family: a switch that is damaged or cannot be closed counts as muted. It is
// safe for concurrent use.
type Switch struct {
	dir  string // the state directory
	log  *slog.Logger
	loop Microphone
	card Microphone // nil if the sound comes from elsewhere

	turning  sync.Mutex // held while the switch is turned
	restored bool       // the loop does not know yet that it begins muted
	on       atomic.Bool
}

// New makes the switch of a turn loop and its sound card, which is nil if the sound
// comes from elsewhere. dir is the state directory.
func New(dir string, loop, card Microphone, log *slog.Logger) *Switch {
	return &Switch{dir: dir, loop: loop, card: card, log: log}
}

// On reports whether the microphone is closed.
func (s *Switch) On() bool { return s.on.Load() }

// Kept reports whether the switch stored in a state directory is muted, for
// programs that would open the microphone beside a daemon.
func Kept(dir string) (bool, error) {
	var last kept
	disk, err := keep.Open(dir)
	if err != nil {
		return false, err
	}
	if err := disk.Load(switchFile, &last); err != nil {
		// A damaged file is set aside; the microphone stays muted until a user opens it.
		return true, errors.Join(err, disk.Save(switchFile, kept{Muted: true, Since: time.Now()}))
	}
	return last.Muted, nil
}

// installed is the service's state directory (configs/voice-gateway.service).
const installed = "/var/lib/voice-gateway"

// KeptHere reports whether a gateway on this machine was muted: the one with the
// state directory dir, or the installed service, if its state may be read.
func KeptHere(dir string) (bool, error) {
	if on, err := Kept(dir); on || dir == installed {
		return on, err
	}
	var last kept
	data, err := os.ReadFile(filepath.Join(installed, switchFile+".json"))
	if err != nil {
		return false, nil //nolint:nilerr // no service is installed, or its state may not be read
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

// Apply mutes the loop, which has just started, if an earlier run left the switch
// muted.
func (s *Switch) Apply(ctx context.Context) {
	s.turning.Lock()
	defer s.turning.Unlock()
	_ = s.catchUp(ctx) // it fails only when the loop has ended, and then it does not matter
}

// catchUp does what Apply does, for a turn of the switch that comes first. The
// caller holds turning.
func (s *Switch) catchUp(ctx context.Context) error {
	if !s.restored {
		return nil
	}
	err := s.loop.Mute(ctx, true)
	s.restored = err != nil
	return err
}

// Set turns the switch. Muting is written to disk first and unmuting last, so that
// a gateway killed in between starts muted. A state that cannot be written holds
// until the program ends, and the error says so. The end of the caller's ctx does
// not stop Set: a switch turned halfway would report the wrong state.
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

// keep stores the switch.
func (s *Switch) keep(on bool) error {
	disk, err := keep.Open(s.dir)
	if err == nil {
		err = disk.Save(switchFile, kept{Muted: on, Since: time.Now()})
	}
	if err != nil {
		return fmt.Errorf("it holds until the gateway ends and is forgotten then: %w", err)
	}
	return nil
}
