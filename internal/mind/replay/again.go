package replay

import (
	"context"
	"errors"
	"fmt"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/lessons"
)

// Again runs turns of a family once more, one at a time. It is safe for concurrent use.
type Again struct {
	lessons *lessons.Lessons
	today   Config        // without wordings: they are the kept ones
	running chan struct{} // of size one
}

// NewAgain makes what runs the turns of a family through today's program.
func NewAgain(l *lessons.Lessons, today Config) *Again {
	return &Again{lessons: l, today: today, running: make(chan struct{}, 1)}
}

// Replay runs one of the last turns, or a marked one, through the present
// understanding, and returns the result with what happened then. Nothing is called or
// remembered. It runs the text, even if the sound is kept.
func (a *Again) Replay(ctx context.Context, id string) (record.Replay, error) {
	c, err := a.find(id)
	if err != nil {
		return record.Replay{}, err
	}
	select {
	case a.running <- struct{}{}: // a house is learnt for it, which takes the machine
		defer func() { <-a.running }()
	case <-ctx.Done():
		return record.Replay{}, fmt.Errorf("%w: other turns are run again", lessons.ErrBusy)
	}
	today := a.today
	today.Wordings = a.lessons.Wordings()
	r, err := New(today)
	if err != nil {
		return record.Replay{}, err
	}
	o, err := r.Run(ctx, c)
	if errors.Is(err, ErrNoWords) {
		err = fmt.Errorf("%w: %w", lessons.ErrConflict, err)
	}
	return o, err
}

// find returns a turn with its house: the house at that time if it was kept, else the
// present one.
func (a *Again) find(id string) (Case, error) {
	m, rooms, err := a.lessons.Mark(id)
	if err != nil && !errors.Is(err, lessons.ErrNotFound) {
		return Case{}, err
	}
	c := Case{Then: m.Then, Marked: err == nil, Should: m.Should, Rooms: rooms}
	if !c.Marked {
		var there bool
		if c.Then, there = a.lessons.Turn(id); !there {
			return c, lessons.UnknownTurn(id)
		}
	}
	if len(c.Rooms.Entities) == 0 {
		c.Rooms = a.lessons.House().Structure()
	}
	return c, nil
}
