package gateway

import (
	"path/filepath"

	"voicegateway/internal/httpapi"
	"voicegateway/internal/recorder"
)

// The recorder's state as one word.
const (
	recorderOn  = "on"
	recorderOff = "off"
)

// records says whether utterances are kept. Recordings that are played in place of
// a microphone are on the disk already.
func (s setup) records() bool {
	return s.cfg.Recorder.Enabled && !s.opts.Private && !s.opts.TextOnly && s.opts.Mic == nil
}

// recording is that as one word.
func (s setup) recording() string {
	if s.records() {
		return recorderOn
	}
	return recorderOff
}

func (s setup) newRecorder() (*recorder.Recorder, error) {
	cfg := s.cfg.Recorder
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(s.cfg.Gateway.StateDir, recorder.Dir)
	}
	cfg.Log = s.log.With("part", "recorder")
	return recorder.New(cfg)
}

// recorderAbout is what /readyz tells of it; that nothing is kept is worth
// telling, too.
func (e *ear) recorderAbout() string {
	if e.keeper == nil {
		return "off: nothing that is said is kept"
	}
	return e.keeper.About()
}

// recorderTrouble is why nothing is kept that should be.
func (e *ear) recorderTrouble() string {
	if e.keeper == nil {
		return ""
	}
	return e.keeper.Trouble()
}

// tellRecorder makes it visible that utterances are kept, or that they are not
// (REQUIREMENTS H10): in the log, in /readyz, and on MQTT.
func (g *Gateway) tellRecorder() {
	if g.ear.loop == nil {
		return
	}
	if g.ear.keeper != nil {
		g.log.Warn("the recorder keeps what is said to the gateway", "part", "recorder", "about", g.ear.keeper.About())
	}
	g.board.set("recorder", false, httpapi.PartReady, "")
	if g.link.api != nil {
		g.link.api.Recorder(g.recording())
	}
}
