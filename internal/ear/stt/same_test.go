//go:build cgo

package stt_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// TestTheSameSoundHasTheSameText: what was heard before, and how busy the machine
// is, changes nothing.
func TestTheSameSoundHasTheSameText(t *testing.T) {
	e := start(t)
	g, _ := grammarOf(sentences)
	if _, err := e.SetGrammar(within(t), g); err != nil {
		t.Fatal(err)
	}
	all := slices.DeleteFunc(recordings(t), func(r recording) bool { return r.Kind != "command" || r.SNR == "clean" })
	if !*every {
		all = slices.DeleteFunc(all, func(r recording) bool { return r.SNR != float64(10) })[:3]
	}
	first := map[string]speech.Transcript{}
	runs := 3
	if *every {
		runs = 10
	}
	for run := range runs {
		busy, quit := context.WithCancel(t.Context())
		var burning sync.WaitGroup
		if run == 1 {
			for range 2 {
				burning.Go(func() {
					for n := 0; busy.Err() == nil; n++ {
					}
				})
			}
		}
		for _, r := range all {
			clip, err := file.Load(fake.Shared(t, "speech", "clips", r.File))
			if err != nil {
				t.Fatal(err)
			}
			text := whole(t, e, clip)
			switch before, known := first[r.File]; {
			case !known:
				first[r.File] = text
			case text.Text != before.Text || text.Confidence != before.Confidence || text.Rejected != before.Rejected:
				t.Errorf("%s, run %d: heard %+v, the first time %+v", r.File, run, text, before)
			}
		}
		quit()
		burning.Wait()
		slices.Reverse(all)
	}
}
