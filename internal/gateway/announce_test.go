package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
)

// night is a gateway in a dark, silent house; everything that it plays is kept.
type night struct {
	*Gateway
	mu     sync.Mutex
	sounds []string
}

// Read hears nothing.
func (n *night) Read(ctx context.Context) (audio.Frame, error) {
	<-ctx.Done()
	return audio.Frame{}, ctx.Err()
}

// Play takes as long as the clip.
func (n *night) Play(ctx context.Context, c audio.Clip) error {
	n.mu.Lock()
	what := "something else"
	if slices.Equal(c.Samples, earcon.Off.Clip(earcon.Alarm).Samples) {
		what = "alarm"
	}
	n.sounds = append(n.sounds, fmt.Sprintf("%s %s", time.Now().Format("15:04"), what))
	n.mu.Unlock()
	select {
	case <-time.After(c.Duration()):
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (n *night) heard() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.sounds)
}

// fall starts a gateway whose short sounds are off and whose voice is broken, with what
// an earlier one has kept.
func fall(t *testing.T, dir string) (*night, func()) {
	t.Helper()
	n := &night{}
	cfg := Default()
	cfg.Gateway.StateDir, cfg.Audio.Earcons = dir, earcon.Off
	cfg.TTS.Engines = []string{"piper"}
	cfg.TTS.Piper.Command, cfg.TTS.Piper.Model = "/nowhere/piper", "/nowhere/model"
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway", Mic: n, Speaker: n}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	n.Gateway = g
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = g.hearing.listen(ctx) })
	running.Go(func() { _ = g.tellNews(ctx) })
	return n, func() { cancel(); running.Wait() }
}

// TestSmokeAtNight: the alarm sounds in the quiet hours, with the short sounds switched
// off and without a voice, again and again until a person stops it. Then it stays
// silent, also after a restart.
func TestSmokeAtNight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		now := time.Now()
		<-time.After(time.Until(time.Date(now.Year(), now.Month(), now.Day()+1, 3, 0, 0, 0, now.Location())))
		smoke := home.Event{
			Kind: home.Reported, Entity: "n7", Thing: "Attic Smoke Alarm", Area: "Attic", Class: "smoke", State: "detected", Before: "clear", Time: time.Now(), Server: "zwave",
		}
		n, end := fall(t, dir)
		n.thinking.news.Reported(smoke)
		<-time.After(time.Minute)
		synctest.Wait()
		if got := n.heard(); got < 8 || n.sounds[0] != "03:00 alarm" || slices.ContainsFunc(n.sounds, func(s string) bool { return s[6:] != "alarm" }) {
			t.Errorf("heard in a minute: %v", n.sounds)
		}
		if n.journal.state() != ear.Speaking {
			t.Errorf("while it rings, the state is %s", n.journal.state())
		}
		if w := n.ask(t, http.MethodPost, "/api/stop", ""); w.Code/100 != 2 {
			t.Errorf("stop: %d %s", w.Code, w.Body)
		}
		synctest.Wait()
		before := n.heard()
		<-time.After(time.Hour)
		synctest.Wait()
		if got := n.heard(); got != before || n.journal.state() == ear.Speaking {
			t.Errorf("%d sounds after it was acknowledged, state %s", got-before, n.journal.state())
		}
		end()
		var kept map[string]struct{ Acknowledged bool }
		data, err := os.ReadFile(filepath.Join(dir, "alarms.json"))
		if err == nil {
			err = json.Unmarshal(data, &kept)
		}
		if err != nil || len(kept) != 1 {
			t.Errorf("kept %s, %v", data, err)
		}

		smoke.First, smoke.Before = true, nil
		n, end = fall(t, dir)
		n.thinking.news.Reported(smoke)
		<-time.After(time.Hour)
		if got := n.heard(); got > 0 {
			t.Errorf("%d sounds after a restart, of what was acknowledged before", got)
		}
		end()
	})
}
