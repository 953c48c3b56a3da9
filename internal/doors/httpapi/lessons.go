package httpapi

import (
	"context"
	"net/http"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// Lessons are what a family has taught its gateway: which turns were wrong, and which
// wordings of its own are understood.
type Lessons interface {
	Marks() []record.Mark // the newest first, never nil
	// Mark returns a marked turn and its house at that time, which has no entities if it was
	// not kept; ErrNotFound.
	Mark(id string) (record.Mark, home.Snapshot, error)
	// Wrong marks one of the last turns, or adds to a marked one what should have happened;
	// ErrNotFound, ErrConflict.
	Wrong(id, should string) (record.Mark, error)
	Unmark(id string) error // ErrNotFound
	// Replay runs one of the last turns, or a marked one, through the present understanding,
	// and calls nothing; ErrNotFound, ErrConflict, ErrBusy.
	Replay(ctx context.Context, id string) (record.Replay, error)
	Wordings() []record.Wording
	// Remember keeps the words of one of the last turns; ErrNotFound, ErrConflict.
	Remember(id string) (record.Wording, error)
	// Reword changes the words of a wording and the room to which it applies; ErrNotFound,
	// ErrConflict.
	Reword(id, text, area string) (record.Wording, error)
	Forget(id string) error // ErrNotFound
}

// markWithHouse is a mark in the answer to a request for it alone.
type markWithHouse struct {
	record.Mark
	Rooms home.Snapshot `json:"rooms"`
}

// lessonDoor answers what is about lessons.
type lessonDoor struct{ *Server }

func (d lessonDoor) marks(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, d.deps.Lessons.Marks())
}

// mark shows a marked turn with the house as it was.
func (d lessonDoor) mark(w http.ResponseWriter, r *http.Request) {
	m, house, err := d.deps.Lessons.Mark(r.PathValue("id"))
	d.result(w, r, http.StatusOK, markWithHouse{m, house}, err)
}

// wrong marks a turn.
func (d lessonDoor) wrong(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Should string `json:"should"`
	}
	if !d.read(w, r, &request) {
		return
	}
	if request.Should = strings.TrimSpace(request.Should); request.Should != "" && !d.textRight(w, &request.Should) {
		return
	}
	m, err := d.deps.Lessons.Wrong(r.PathValue("id"), request.Should)
	d.result(w, r, http.StatusOK, m, err)
}

// replay runs a turn again.
func (d lessonDoor) replay(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	o, err := d.deps.Lessons.Replay(ctx, r.PathValue("id"))
	d.result(w, r, http.StatusOK, o, err)
}

func (d lessonDoor) unmark(w http.ResponseWriter, r *http.Request) {
	d.gone(w, r, d.deps.Lessons.Unmark(r.PathValue("id")))
}

func (d lessonDoor) wordings(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, d.deps.Lessons.Wordings())
}

// remember keeps the words of a turn.
func (d lessonDoor) remember(w http.ResponseWriter, r *http.Request) {
	kept, err := d.deps.Lessons.Remember(r.PathValue("id"))
	d.result(w, r, http.StatusCreated, kept, err)
}

// reword changes a wording.
func (d lessonDoor) reword(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Text string `json:"text"`
		Area string `json:"area"`
	}
	if !d.read(w, r, &request) || !d.textRight(w, &request.Text) {
		return
	}
	kept, err := d.deps.Lessons.Reword(r.PathValue("id"), request.Text, request.Area)
	d.result(w, r, http.StatusOK, kept, err)
}

func (d lessonDoor) forget(w http.ResponseWriter, r *http.Request) {
	d.gone(w, r, d.deps.Lessons.Forget(r.PathValue("id")))
}

// gone answers that something is not there any more.
func (d lessonDoor) gone(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		d.failed(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
