//go:build accept

package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestAcceptPipes plays recordings of people, at the pace of a microphone: every wake
// word is heard, the command after it is done in the simulated house, and other speech
// wakes nothing. It runs before what runs in parallel: where ten other programs want the
// processors, the recogniser does not keep up with a microphone, and says so.
func TestAcceptPipes(t *testing.T) {
	dir, all := manifest(t, "clips")
	var clips []labelled
	for _, l := range all {
		if strings.HasPrefix(l.File, "pipe_") || strings.HasPrefix(l.File, "real_") {
			clips = append(clips, l)
		}
	}
	house := fake.Shared(t, "speech", "clips", "home.json")
	const gateways = 5
	records := make([][]record.Record, gateways)
	var group errgroup.Group
	for i := range gateways {
		args := []string{"--home", house}
		for k := i; k < len(clips); k += gateways {
			args = append(args, filepath.Join(dir, clips[k].File))
		}
		env := environ(t, microWords(t)...)
		group.Go(func() (err error) {
			records[i], _, err = live(t.Context(), env, args)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	by := map[string][]record.Record{}
	for _, list := range records {
		for _, r := range list {
			by[filepath.Base(r.File)] = append(by[filepath.Base(r.File)], r)
		}
	}
	words, done := 0, 0
	for _, l := range clips {
		if list := by[l.File]; len(list) == 1 && strings.Contains(list[0].Error, context.DeadlineExceeded.Error()) {
			t.Logf("%s: the machine had no time for the recogniser; once more: %s", l.File, list[0].Error)
			again, _, err := live(t.Context(), environ(t, microWords(t)...), []string{"--home", house, filepath.Join(dir, l.File)})
			if err != nil {
				t.Fatal(err)
			}
			by[l.File] = again
		}
		word, heard := strings.ReplaceAll(l.Wake, "_", " "), ""
		if len(by[l.File]) != 1 {
			t.Errorf("%s: %d turns, expected one: %+v", l.File, len(by[l.File]), by[l.File])
			continue
		}
		r := by[l.File][0]
		if r.Wake != nil {
			heard = r.Wake.Word
		}
		text := ""
		if r.Transcript != nil {
			text = r.Transcript.Text
		}
		t.Logf("%-28s %-12q %-45q %s %s", l.File, heard, text, r.Outcome, r.Error)
		if heard != word {
			t.Errorf("%s: the wake word is %q, heard %q", l.File, word, heard)
		}
		if word != "" {
			words++
		}
		switch {
		case l.Kind == "wake+command" && word != "":
			if text != l.Text || r.Outcome != record.Done || r.Calls == nil {
				t.Errorf("%s: said %q, heard %q, %s (%s)", l.File, l.Text, text, r.Outcome, r.Error)
			}
			done++
		case r.Outcome != record.Ignored || len(r.Calls) > 0:
			t.Errorf("%s: nothing was asked for, and it %s: %+v", l.File, r.Outcome, r)
		}
	}
	shows(t, "%d recordings at the pace of a microphone: %d wake words, %d commands after them", len(clips), words, done)
}
