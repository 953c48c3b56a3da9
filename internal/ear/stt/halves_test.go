//go:build cgo

package stt_test

import (
	"flag"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/language/speech"
)

// every has the tests hear all of their sets, which takes minutes.
var every = flag.Bool("every", false, "hear every sentence, not some of them")

// whole plays a clip to its end, as push-to-talk does, and returns the transcript.
func whole(tb testing.TB, e stt.Engine, clip audio.Clip) speech.Transcript {
	tb.Helper()
	if room, ok := e.(stt.Listener); ok {
		room.Forget()
	}
	if err := e.Begin(within(tb)); err != nil {
		tb.Fatal(err)
	}
	ctx := within(tb)
	for at := 0; at+audio.FrameSamples <= len(clip.Samples); at += audio.FrameSamples {
		if _, err := e.Push(ctx, audio.Frame{Samples: clip.Samples[at : at+audio.FrameSamples]}); err != nil {
			tb.Fatal(err)
		}
	}
	t, err := e.Finish(within(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// half is the beginning of a sentence and not a sentence itself.
type half struct{ said, rest string }

// halves cuts the sentences wherever that leaves no sentence.
func halves(tb testing.TB, g *grammar.Grammar) (all []half) {
	tb.Helper()
	for _, text := range sentencesSaid(tb) {
		words := strings.Fields(text)
		for n := 1; n < len(words); n++ {
			if said := strings.Join(words[:n], " "); g.Judge(said) == speech.Incomplete {
				all = append(all, half{said, strings.Join(words[n:], " ")})
			}
		}
	}
	return all
}

// TestNothingIsCompleted: if the speaker stops inside a sentence, the rest is not added,
// however long the silence.
func TestNothingIsCompleted(t *testing.T) {
	e, g := ready(t)
	all := halves(t, g)
	completed, told, same, heard, short := 0, 0, 0, 0, 0
	for n, h := range all {
		if n%23 != 0 && !*every {
			continue
		}
		voice, after := voices[n%len(voices)], []float64{1, 2, 4}[n/len(voices)%3]
		text := whole(t, e, inRoom(say(t, voice, h.said), after, quietRoom, uint64(n)))
		heard++
		if !strings.Contains(h.said, " ") { // nothing to ask about
			short++
		}
		switch {
		case text.Text != "" && !text.Unfinished:
			completed++
			t.Logf("%s said %q: completed to %q, %.2f", voice, h.said, text.Text, text.Confidence)
		case text.Text == h.said:
			same++
			told++
		case text.Text != "":
			told++
		}
		if *every {
			t.Logf("%s %v said %q: heard %+v", voice, after, h.said, text)
		}
	}
	t.Logf("%d halves: %d completed, %d told as unfinished (%d as they were said), %d rejected", heard, completed, told, same, heard-completed-told)
	if completed > 0 {
		t.Errorf("%d of %d beginnings were completed", completed, heard)
	}
	if told*2 < heard-short {
		t.Errorf("%d of %d beginnings of two words or more were told as such, want most", told, heard-short)
	}
}

// TestWholeSentencesAreFinished: a right sentence is not taken for a beginning.
func TestWholeSentencesAreFinished(t *testing.T) {
	e, _ := ready(t)
	counts := map[string]int{}
	hear := func(set, said, who string, clip audio.Clip) {
		t.Helper()
		text := whole(t, e, clip)
		counts[set+" heard"]++
		switch {
		case text.Unfinished:
			counts[set+" unfinished"]++
			t.Logf("%s, %s said %q: heard %q as a beginning", set, who, said, text.Text)
		case same(text.Text, said):
			counts[set+" right"]++
		case text.Text != "":
			counts[set+" wrong"]++
		}
		if *every {
			t.Logf("%s %s said %q: heard %+v", set, who, said, text)
		}
	}
	for n, text := range sentencesSaid(t) {
		for k, voice := range voices {
			if (n*len(voices)+k)%37 != 0 && !*every {
				continue
			}
			said := say(t, voice, text)
			hear("quiet", text, voice, inRoom(said, 0.5, quietRoom, uint64(n)))
			if k%2 == 0 {
				hear("20 dB", text, voice, inRoom(said, 0.5, loudness(said)-20, uint64(n)))
			}
			hear("cut off", text, voice, inRoom(said, 0, quietRoom, uint64(n)))
		}
	}
	for n, r := range recordings(t) {
		if r.Kind != "command" || n%20 != 0 && !*every {
			continue
		}
		clip, err := file.Load(fake.Shared(t, "speech", "clips", r.File))
		if err != nil {
			t.Fatal(err)
		}
		hear("clips", r.Text, r.File, clip)
	}
	t.Logf("%v", counts)
	for _, set := range []string{"quiet", "20 dB", "clips"} {
		if counts[set+" unfinished"]*50 > counts[set+" heard"]*2 {
			t.Errorf("%s: %d of %d whole sentences are called beginnings", set, counts[set+" unfinished"], counts[set+" heard"])
		}
	}
}
