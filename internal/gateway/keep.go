package gateway

import (
	"path/filepath"

	"voicegateway/internal/httpapi"
	"voicegateway/internal/recorder"
	"voicegateway/internal/turn"
)

// The recorder's state as one word.
const (
	recorderOn  = "on"
	recorderOff = "off"
)

// buildRecorder makes the recorder where it is turned on. Recordings that are
// played in place of a microphone are on the disk already.
func (g *Gateway) buildRecorder() (turn.Keeper, error) {
	cfg := g.cfg.Recorder
	if !cfg.Enabled || g.opts.Private || g.opts.Mic != nil {
		return nil, nil //nolint:nilnil // nobody keeps anything
	}
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(g.cfg.Gateway.StateDir, recorder.Dir)
	}
	cfg.Log = g.log.With("part", "recorder")
	var err error
	g.ear.keeper, err = recorder.New(cfg)
	if err != nil {
		return nil, err
	}
	return g.ear.keeper, nil
}

// recording is the recorder's state as one word.
func (e *ear) recording() string {
	if e.keeper == nil {
		return recorderOff
	}
	return recorderOn
}

// recorderAbout is what /readyz tells of it; that nothing is kept is worth
// telling, too.
func recorderAbout(g *Gateway) string {
	if g.ear.keeper == nil {
		return "off: nothing that is said is kept"
	}
	return g.ear.keeper.About()
}

// recorderTrouble is why nothing is kept that should be.
func recorderTrouble(g *Gateway) string {
	if g.ear.keeper == nil {
		return ""
	}
	return g.ear.keeper.Trouble()
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
	g.observer.recorder = g.ear.recording()
	if g.link.api != nil {
		g.link.api.Recorder(g.ear.recording())
	}
}
