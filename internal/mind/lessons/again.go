package lessons

import (
	"context"
	"errors"
	"fmt"

	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/replay"
)

// Replay runs one of the last turns, or a marked one, through the present
// understanding, and returns the result with what happened then. Nothing is called or
// remembered. It runs the text, even if the sound is kept.
func (l *Lessons) Replay(ctx context.Context, id string) (record.Replay, error) {
	c, err := l.caseOf(id)
	if err != nil {
		return record.Replay{}, err
	}
	select {
	case l.replaying <- struct{}{}: // a house is learnt for it, which takes the machine
		defer func() { <-l.replaying }()
	case <-ctx.Done():
		return record.Replay{}, fmt.Errorf("%w: other turns are run again", httpapi.ErrBusy)
	}
	today := l.cfg.Today
	today.Wordings = l.Wordings()
	r, err := replay.New(today)
	if err != nil {
		return record.Replay{}, err
	}
	o, err := r.Run(ctx, c)
	if errors.Is(err, replay.ErrNoWords) {
		err = fmt.Errorf("%w: %w", httpapi.ErrConflict, err)
	}
	return o, err
}

// caseOf returns a turn with its house: the house at that time if it was kept, else the
// present one.
func (l *Lessons) caseOf(id string) (replay.Case, error) {
	m, rooms, err := l.Mark(id)
	if err != nil && !errors.Is(err, httpapi.ErrNotFound) {
		return replay.Case{}, err
	}
	c := replay.Case{Then: m.Then, Marked: err == nil, Should: m.Should, Rooms: rooms}
	if !c.Marked {
		var there bool
		if c.Then, there = l.turn(id); !there {
			return c, unknownTurn(id)
		}
	}
	if len(c.Rooms.Entities) == 0 {
		c.Rooms = l.House().Structure()
	}
	return c, nil
}

// unknownTurn says that there is no such turn to look at.
func unknownTurn(id string) error {
	return fmt.Errorf("turn %q: %w among the last ones", id, httpapi.ErrNotFound)
}
