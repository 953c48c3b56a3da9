package httpapi

import (
	"context"
	"net/http"
	"time"
)

// devicesTimeout bounds the listing of sound devices: starting a sound library
// on a small machine takes seconds.
const devicesTimeout = 20 * time.Second

// earDoor answers what is about the microphone and the speaker.
type earDoor struct{ *Server }

// listen opens an utterance: push to talk.
func (s earDoor) listen(w http.ResponseWriter, r *http.Request) {
	s.act(w, r, "listening", s.deps.Ear.Listen)
}

// stop ends what is being heard or said.
func (s earDoor) stop(w http.ResponseWriter, r *http.Request) {
	s.act(w, r, "stopped", s.deps.Ear.Stop)
}

// act runs an action whose only answer is that it was done.
func (s earDoor) act(w http.ResponseWriter, r *http.Request, done string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	s.result(w, r, http.StatusAccepted, map[string]bool{done: true}, do(ctx))
}

// muteState is the position of the mute switch.
type muteState struct {
	Muted bool `json:"muted"`
}

// muted answers with the position of the mute switch.
func (s earDoor) muted(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, muteState{s.deps.Ear.Muted()})
}

// mute sets the mute switch.
func (s earDoor) mute(w http.ResponseWriter, r *http.Request) {
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

// volume answers with how loud the speaker is.
func (s earDoor) volume(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	level, err := s.deps.Volume.Volume(ctx)
	s.result(w, r, http.StatusOK, level, err)
}

// setVolume sets the volume and answers with what it then is.
func (s earDoor) setVolume(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Level *int `json:"level"`
	}
	if !s.read(w, r, &request) {
		return
	}
	if request.Level == nil || *request.Level < 0 || *request.Level > 100 {
		s.refuse(w, http.StatusBadRequest, `"level" is a number from 0 to 100`)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	if err := s.deps.Volume.SetVolume(ctx, *request.Level); err != nil {
		s.failed(w, r, err)
		return
	}
	s.volume(w, r)
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
func (s earDoor) devices(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), devicesTimeout)
	defer cancel()
	list, err := s.deps.Ear.Devices(ctx)
	s.result(w, r, http.StatusOK, list, err)
}
