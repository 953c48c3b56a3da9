package gateway

import (
	"fmt"
	"path/filepath"

	"voicegateway/internal/httpapi"
	"voicegateway/internal/recorder"
	"voicegateway/internal/turn"
)

// recordings is their directory in the state directory.
const recordings = "recordings"

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
		cfg.Dir = filepath.Join(g.cfg.Gateway.StateDir, recordings)
	}
	var err error
	g.ear.keeper, err = recorder.New(recorder.Config{
		Dir: cfg.Dir, MaxAge: cfg.MaxAge, MaxBytes: int64(cfg.MaxMB) << 20, Log: g.log.With("part", "recorder"),
	})
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

// validate says what is wrong with the recorder's settings.
func (c RecorderConfig) validate(bad reporter) {
	if !c.Enabled {
		return
	}
	if c.MaxAge <= 0 {
		bad("recorder.max_age", "%s is no age; expected something like 168h", c.MaxAge)
	}
	if c.MaxMB < 1 {
		bad("recorder.max_mb", "%d is too small; expected 1 or more", c.MaxMB)
	}
	if c.Dir != "" && !filepath.IsAbs(c.Dir) {
		bad("recorder.dir", "%q depends on where the gateway is started; expected a whole path, such as %s", c.Dir, fmt.Sprint("/var/lib/voice-gateway/", recordings))
	}
}
