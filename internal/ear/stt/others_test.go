//go:build cgo

package stt_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
)

// TestWhatIsNearlyAsGoodIsNamed: a man says "turn off all lights in the office" in a
// noisy room, and "on" fits about as well, so it is reported as another reading. Clear
// speech has no other reading that means another act.
func TestWhatIsNearlyAsGoodIsNamed(t *testing.T) {
	e, _ := ready(t)
	clip, err := file.Load(fake.Shared(t, "speech", "human", "home/h10.wav"))
	if err != nil {
		t.Fatal(err)
	}
	text := whole(t, e, clip)
	off := func(s string) bool { return strings.Contains(s+" ", " off ") }
	if text.Text != "" && !off(text.Text) && !slices.ContainsFunc(text.Others, off) {
		t.Errorf("said to turn off, heard %+v", text)
	}
	for voice, said := range map[string]string{
		"slt": "turn off the heater", "rms": "set the living room lights to fifty percent", "awb": "unlock the front door",
	} {
		text := whole(t, e, inRoom(say(t, voice, said), 0.4, quietRoom, 1))
		if !same(text.Text, said) {
			t.Errorf("%s said %q: heard %+v", voice, said, text)
		}
		for _, other := range text.Others {
			if !same(other, said) {
				t.Errorf("%s said %q: %q is taken for nearly as good", voice, said, other)
			}
		}
	}
}

// TestTheWholeUtteranceIsNotWeighedAgain: what was done cannot become something else
// when more is said.
func TestTheWholeUtteranceIsNotWeighedAgain(t *testing.T) {
	e, _ := ready(t)
	first := whole(t, e, inRoom(say(t, "slt", "turn off the heater"), 0.4, quietRoom, 1))
	again, ok := e.(stt.Reopener)
	if !ok {
		t.Fatal("the recogniser cannot go on")
	}
	if err := again.Reopen(within(t)); err != nil {
		t.Fatal(err)
	}
	text, err := e.Finish(within(t))
	if err != nil || text.Text != first.Text || len(text.Others) > 0 {
		t.Errorf("heard %+v, %v; before %+v", text, err, first)
	}
}
