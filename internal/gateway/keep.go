package gateway

import (
	"cmp"
	"path/filepath"

	"voicegateway/internal/doors"
	"voicegateway/internal/keep/recorder"
)

// The recorder's state as one word.
const (
	recorderOn  = "on"
	recorderOff = "off"
)

// records reports whether utterances are recorded. Recordings played instead of a
// microphone are not, because they are on the disk already.
func (s setup) records() bool {
	return s.cfg.Recorder.Enabled && !s.opts.Private && !s.opts.TextOnly && s.opts.Mic == nil
}

// recording is the answer of records as one word.
func (s setup) recording() string {
	if s.records() {
		return recorderOn
	}
	return recorderOff
}

// recordings is the directory of the recorder; "" if nothing is recorded.
func (s setup) recordings() string {
	if !s.records() {
		return ""
	}
	return cmp.Or(s.cfg.Recorder.Dir, filepath.Join(s.cfg.Gateway.StateDir, recorder.Dir))
}

func (s setup) newRecorder() (*recorder.Recorder, error) {
	cfg := s.cfg.Recorder
	cfg.Dir = s.recordings()
	cfg.Log = s.log.With("part", "recorder")
	return recorder.New(cfg)
}

// recorderAbout is what /readyz says of the recorder, also when it is off.
func (e *earParts) recorderAbout() string {
	if e.keeper == nil {
		return "off: nothing that is said is kept"
	}
	return e.keeper.About()
}

// recorderTrouble says why sound that should be recorded is not, "" if nothing is
// wrong.
func (e *earParts) recorderTrouble() string {
	if e.keeper == nil {
		return ""
	}
	return e.keeper.Trouble()
}

// tellRecorder shows whether utterances are recorded (REQUIREMENTS H10): in the
// log, in /readyz and on MQTT.
func (g *Gateway) tellRecorder() {
	if g.hearing.loop == nil {
		return
	}
	if g.hearing.keeper != nil {
		g.log.Warn("the recorder keeps what is said to the gateway", "part", "recorder", "about", g.hearing.keeper.About())
	}
	g.board.set("recorder", false, doors.PartReady, "")
	if g.link.api != nil {
		g.link.api.Recorder(g.recording())
	}
}
