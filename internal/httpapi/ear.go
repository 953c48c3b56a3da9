package httpapi

import (
	"context"
	"net/http"
	"time"
)

// devicesTimeout bounds the listing of sound devices: starting a sound library
// on a small machine takes seconds.
const devicesTimeout = 20 * time.Second

// listen opens an utterance: push to talk.
func (s *Server) listen(w http.ResponseWriter, r *http.Request) {
	s.act(w, r, "listening", s.deps.Ear.Listen)
}

// stop ends what is being heard or said.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	s.act(w, r, "stopped", s.deps.Ear.Stop)
}

// act runs an action whose only answer is that it was done.
func (s *Server) act(w http.ResponseWriter, r *http.Request, done string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	s.result(w, r, http.StatusAccepted, map[string]bool{done: true}, do(ctx))
}

// muteState is the position of the mute switch.
type muteState struct {
	Muted bool `json:"muted"`
}

// muted answers with the position of the mute switch.
func (s *Server) muted(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, muteState{s.deps.Ear.Muted()})
}

// mute sets the mute switch.
func (s *Server) mute(w http.ResponseWriter, r *http.Request) {
	var request struct {
		On *bool `json:"on"`
	}
	if !s.read(w, r, &request) {
		return
	}
	if request.On == nil {
		s.refuse(w, http.StatusBadRequest, `"on" is missing; expected true or false`)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	err := s.deps.Ear.Mute(ctx, *request.On)
	s.result(w, r, http.StatusOK, muteState{s.deps.Ear.Muted()}, err)
}

// wakeDoor answers what is about wake words.
type wakeDoor struct{ *Server }

// show answers with what is known of them.
func (d wakeDoor) show(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, d.deps.Wakes.State())
}

// rehearsalDoor answers what is about the rehearsal.
type rehearsalDoor struct{ *Server }

// show answers with how it stands.
func (d rehearsalDoor) show(w http.ResponseWriter, _ *http.Request) {
	d.answer(w, http.StatusOK, d.deps.Rehearsal.State())
}

// start begins one.
func (d rehearsalDoor) start(w http.ResponseWriter, r *http.Request) {
	var nothing struct{}
	if d.read(w, r, &nothing) {
		err := d.deps.Rehearsal.Start()
		d.result(w, r, http.StatusAccepted, d.deps.Rehearsal.State(), err)
	}
}

// devices lists the sound devices.
func (s *Server) devices(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), devicesTimeout)
	defer cancel()
	list, err := s.deps.Ear.Devices(ctx)
	s.result(w, r, http.StatusOK, list, err)
}
