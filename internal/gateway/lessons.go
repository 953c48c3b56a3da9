package gateway

import (
	"context"
	"errors"

	"voicegateway/internal/doors"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/mind/lessons"
	"voicegateway/internal/mind/replay"
)

// soundReader returns what reads the sound that was recorded of a turn; nil if nothing is
// recorded.
func (s setup) soundReader() func(record.Record) []byte {
	dir := s.recordings()
	if dir == "" {
		return nil
	}
	return func(r record.Record) []byte {
		sound, err := recorder.Sound(dir, r)
		if err != nil {
			return nil // it may be gone, or there was none
		}
		return sound
	}
}

// lessonView is what the family has taught, as the HTTP interface sees it.
type lessonView struct {
	*lessons.Lessons
	again *replay.Again
	discreet
}

// Replay runs a turn once more, and hides the secrets in its new record as in the old
// one.
func (l lessonView) Replay(ctx context.Context, id string) (record.Replay, error) {
	o, err := l.again.Replay(ctx, id)
	o.Now = l.record(o.Now)
	return o, answerable(err)
}

// Mark is a marked turn with the house as it was.
func (l lessonView) Mark(id string) (record.Mark, home.Snapshot, error) {
	m, house, err := l.Lessons.Mark(id)
	return m, house, answerable(err)
}

// Wrong marks one of the last turns.
func (l lessonView) Wrong(id, should string) (record.Mark, error) {
	m, err := l.Lessons.Wrong(id, should)
	return m, answerable(err)
}

// Unmark removes a mark.
func (l lessonView) Unmark(id string) error { return answerable(l.Lessons.Unmark(id)) }

// Remember keeps the words of one of the last turns.
func (l lessonView) Remember(id string) (record.Wording, error) {
	w, err := l.Lessons.Remember(id)
	return w, answerable(err)
}

// Reword changes a wording.
func (l lessonView) Reword(id, text, area string) (record.Wording, error) {
	w, err := l.Lessons.Reword(id, text, area)
	return w, answerable(err)
}

// Forget removes a wording.
func (l lessonView) Forget(id string) error { return answerable(l.Lessons.Forget(id)) }

// answerable returns an error of the lessons as one that HTTP has a status for, with the
// same words.
func answerable(err error) error {
	for own, http := range map[error]error{
		lessons.ErrNotFound: doors.ErrNotFound, lessons.ErrConflict: doors.ErrConflict, lessons.ErrBusy: doors.ErrBusy,
	} {
		if errors.Is(err, own) {
			return doors.Refuse(http, "%s", err)
		}
	}
	return err
}
