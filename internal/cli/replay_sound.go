package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/home"
)

// taughtEar is a recogniser that has learnt one house. It is kept from one turn to the next,
// because learning takes longer than hearing. The zero value has learnt nothing.
type taughtEar struct {
	*lab.Ear
	end   func() error
	house string // as JSON
}

// close ends the recogniser.
func (e *taughtEar) close() {
	if e.end != nil {
		_ = e.end() // what it heard is heard
	}
	*e = taughtEar{}
}

// hear has today's recogniser hear the sound of a turn, if there is one.
func (r *replaying) hear(ctx context.Context, j *job) error {
	if len(j.sound) == 0 || r.textOnly {
		return nil
	}
	clip, err := audio.ReadWAV(bytes.NewReader(j.sound))
	if err == nil && len(clip.Samples) == 0 {
		err = errors.New("the recording is empty")
	}
	if err != nil {
		return err
	}
	if err := r.learn(ctx, j.Rooms); err != nil {
		return err
	}
	play := file.Default()
	play.Clips = []audio.Clip{clip}
	heard, err := r.ear.Play(ctx, lab.Playing{Sound: play, First: true})
	if err != nil {
		return err
	}
	text := heard.First.Text
	if len(heard.Turns) > 0 && heard.Turns[0].Transcript != nil {
		text = heard.Turns[0].Transcript.Text
	}
	j.Heard = &text
	return nil
}

// learn teaches the recogniser a house, unless it is the one that it knows.
func (r *replaying) learn(ctx context.Context, rooms home.Snapshot) error {
	key, err := json.Marshal(rooms)
	if err != nil {
		return fmt.Errorf("reading the house: %w", err)
	}
	if r.ear.Ear != nil && r.ear.house == string(key) {
		return nil
	}
	r.ear.close()
	h := home.House{Floors: rooms.Floors, Areas: rooms.Areas}
	for _, e := range rooms.Entities {
		h.Entities = append(h.Entities, e.Entity)
	}
	made, err := lab.NewEar(lab.EarConfig{Gateway: r.Config, Pack: r.today, House: &h, Executable: r.Executable, Log: r.log})
	if err != nil {
		return err
	}
	end, err := made.Open(ctx)
	if err != nil {
		return err
	}
	r.ear = taughtEar{made, end, string(key)}
	return nil
}
