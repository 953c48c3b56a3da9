package gateway

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep"
)

// lossLook is how often damaged files are looked for after the start: most of what is kept is
// read at the start.
const lossLook = time.Minute

// lossWait is how long the first words wait for the broker, so that they are published, too.
const lossWait = 30 * time.Second

// losses are the files of the state directory that were found damaged and set aside, with
// what the family had saved in them.
type losses struct {
	dir     string // "": nothing is kept
	phrases *reply.Phrases
	told    map[string]bool // the files of which the voice need not speak; belongs to the service
}

// newLosses looks for damaged files of earlier runs, so it is made before anything is read.
func (s setup) newLosses(phrases *reply.Phrases) *losses {
	dir := s.cfg.Gateway.StateDir
	if s.opts.TextOnly {
		dir = ""
	}
	l := &losses{dir: dir, phrases: phrases, told: map[string]bool{}}
	for _, b := range l.found() {
		l.told[b.File] = true // by an earlier run
	}
	return l
}

// found lists the damaged files, those of the newest day first.
func (l *losses) found() []keep.Broken {
	if l.dir == "" {
		return nil
	}
	return keep.BrokenIn(l.dir)
}

// said is the sentence about a lost value.
func (l *losses) said(b keep.Broken) string {
	if text := l.phrases.Phrase("lost_"+b.Name, nil); text != "" {
		return text
	}
	return l.phrases.Phrase("lost_state", nil)
}

// trouble names the files that were set aside lately.
func (l *losses) trouble() trouble {
	var files, said []string
	for _, b := range l.found() {
		if !b.News() {
			continue
		}
		files = append(files, filepath.Base(b.File))
		if text := l.said(b); !strings.Contains(strings.Join(said, " "), text) {
			said = append(said, text)
		}
	}
	if len(files) == 0 {
		return trouble{}
	}
	return trouble{
		why:  "what was saved here was damaged and is lost: " + strings.Join(files, ", ") + " in " + l.dir + "; this is shown for a week, or until the files are removed",
		said: strings.Join(said, " "),
	}
}

// tellLosses says aloud, once, what is lost, until ctx ends.
func (g *Gateway) tellLosses(ctx context.Context) error {
	to := announcer{loop: g.loop, api: g.link.api}
	linked, cancel := context.WithTimeout(ctx, lossWait)
	_ = g.link.bus.AwaitConnected(linked) // without a broker it is only spoken
	cancel()
	tick := time.NewTicker(lossLook)
	defer tick.Stop()
	for {
		for _, b := range g.thinking.losses.found() {
			if g.thinking.losses.told[b.File] {
				continue
			}
			g.thinking.losses.told[b.File] = true
			text := g.thinking.losses.said(b)
			g.observer.Replied("", text)
			if err := to.Say(ctx, text); err != nil && ctx.Err() == nil {
				g.log.Warn("that something is lost was not spoken", "part", "losses", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
