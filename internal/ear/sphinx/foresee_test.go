//go:build cgo

package sphinx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
)

// ahead is a recogniser that counts the work it does before the end of an utterance.
type ahead struct {
	recogniser

	done, thrown int
}

// ask makes a request.
func (a *ahead) ask(t *testing.T, kind byte, v any) []byte {
	t.Helper()
	payload, raw := v.([]byte)
	if v != nil && !raw {
		var err error
		if payload, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := a.answer(t.Context(), kind, payload)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// say begins an utterance whose end is foreseen, and gives it a sound.
func (a *ahead) say(t *testing.T, q foreseeRequest, sound []int16) {
	t.Helper()
	a.done, a.thrown = 0, 0
	a.ask(t, kindStart, nil)
	if len(q.Sentences) > 0 {
		a.ask(t, kindForesee, q)
	}
	for frame := range slices.Chunk(sound, audio.FrameSamples) {
		before := a.ahead.end
		a.ask(t, kindPush, encodeSamples(frame))
		switch after := a.ahead.end; {
		case before == 0 && after != 0:
			a.done++
		case before != 0 && after == 0:
			a.thrown++
		}
	}
}

// finish ends the utterance.
func (a *ahead) finish(t *testing.T) (r Result) {
	t.Helper()
	if err := json.Unmarshal(a.ask(t, kindFinish, nil), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// newAhead makes a recogniser of sentences about a light and a heater.
func newAhead(t *testing.T) *ahead {
	t.Helper()
	c, err := New(Config{Name: "stt", Command: []string{os.Args[0]}, Reject: true})
	if err != nil {
		t.Fatal(err)
	}
	const jsgf = "#JSGF V1.0;\ngrammar g;\npublic <s> = turn ( on | off ) the ( kitchen light | heater ) ;\n"
	words, err := Lookup(c.Dictionary(), strings.Fields("turn on off the kitchen light heater"))
	if err != nil {
		t.Fatal(err)
	}
	a := &ahead{}
	t.Cleanup(a.free)
	a.ask(t, kindLoad, loadRequest{Acoustic: filepath.Join(DefaultModelDir, "en-us"), Loop: true, Patience: time.Hour})
	a.ask(t, kindGrammar, grammarRequest{JSGF: jsgf, Words: words})
	return a
}

// kitchenLight is "turn on the kitchen light".
func kitchenLight(t *testing.T) []int16 {
	t.Helper()
	light, err := os.Open(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_000.wav"))
	if err != nil {
		t.Fatal(err)
	}
	defer light.Close()
	clip, err := audio.ReadWAV(light)
	if err != nil {
		t.Fatal(err)
	}
	return clip.Samples
}

// fitOf is how well a sound fits; a limit a little above it makes a second decoding, which
// counts, and one far below it none.
func (a *ahead) fitOf(t *testing.T, sound []int16) (poor, good float64) {
	t.Helper()
	a.say(t, foreseeRequest{}, sound)
	margin := a.finish(t).Margin()
	return margin + 1, margin - 100
}

// turnOnOff are two sentences that may be scored.
var turnOnOff = []string{"turn on the kitchen light", "turn off the kitchen light"}

// TestTheWorkOfTheEndIsDoneInTheQuiet: the work is done once, when the speaker is quiet
// after a sentence, and its answers are there when the utterance is over. Where the speaker
// continues it is thrown away, and done again in the next quiet.
func TestTheWorkOfTheEndIsDoneInTheQuiet(t *testing.T) {
	said := kitchenLight(t)
	quiet := make([]int16, audio.SpeechRate/4)
	whole := slices.Concat(said, quiet)
	a := newAhead(t)
	poor, good := a.fitOf(t, whole)
	const never = 1000.0 // fits so well
	for name, tt := range map[string]struct {
		retry        float64
		wanted       []string
		sound        []int16
		done, thrown int
		again        bool // a second decoding
		anew         bool // one at the end
	}{
		"a sentence that fits":                 {good, turnOnOff, whole, 1, 0, false, false},
		"a sentence that fits poorly":          {poor, turnOnOff, whole, 1, 0, true, false},
		"a second decoding that fits poorly":   {never, turnOnOff, whole, 1, 0, true, true},
		"nothing sounds alike":                 {poor, turnOnOff[:1], whole, 1, 0, true, false},
		"the speaker continues":                {never, turnOnOff, slices.Concat(whole, whole), 4, 3, true, true}, // two of its words have a gap
		"the speaker is still speaking":        {never, turnOnOff, slices.Concat(whole, said[:loudest(said)]), 1, 1, false, false},
		"another sentence is expected":         {never, turnOnOff[1:], whole, 0, 0, false, true},
		"nobody has said that it is a whole":   {never, nil, whole, 0, 0, false, true},
		"the speaker is quiet from the start":  {never, turnOnOff, make([]int16, audio.SpeechRate), 0, 0, false, false},
		"the end comes before it can be known": {never, turnOnOff, said[:loudest(said)], 0, 0, false, true},
	} {
		a.retry = tt.retry
		a.say(t, foreseeRequest{tt.wanted, Nearness{Clear: 50}}, tt.sound)
		if a.done != tt.done || a.thrown != tt.thrown {
			t.Errorf("%s: the work was done %d times and thrown away %d times, expected %d and %d", name, a.done, a.thrown, tt.done, tt.thrown)
		}
		if again := a.ahead.again; (again != nil) != tt.again {
			t.Errorf("%s: a second decoding is %t, expected %t", name, again != nil, tt.again)
		}
		if scored := a.ahead.scored; (scored != nil) != (tt.done > tt.thrown && len(tt.wanted) > 1) {
			t.Errorf("%s: scores are on their way: %t", name, scored != nil)
		}
		begun := a.second.begun
		if r := a.finish(t); tt.done > tt.thrown && r.Text != turnOnOff[0] {
			t.Errorf("%s: heard %q", name, r.Text)
		}
		if anew := a.second.begun != begun; anew != tt.anew {
			t.Errorf("%s: a second decoding at the end is %t, expected %t", name, anew, tt.anew)
		}
	}
}

// TestScoresAreForeseen: scores that were worked out in the quiet are taken only for the
// request that was foreseen, and are those that are worked out afterwards.
func TestScoresAreForeseen(t *testing.T) {
	whole := slices.Concat(kitchenLight(t), make([]int16, audio.SpeechRate/4))
	// With so wide a limit another sentence is always near.
	const wide, wider = 100_000, 200_000
	a := newAhead(t)
	poor, good := a.fitOf(t, whole)
	more := slices.Concat(turnOnOff, []string{"turn on the heater"})
	for name, tt := range map[string]struct {
		retry    float64
		foreseen foreseeRequest
		asked    scoreRequest
		known    bool
	}{
		"the same":                    {good, foreseeRequest{turnOnOff, Nearness{Clear: wide}}, scoreRequest{turnOnOff, wide}, true},
		"the same after two readings": {poor, foreseeRequest{turnOnOff, Nearness{Clear: wide}}, scoreRequest{turnOnOff, wide}, true},
		"it fits poorly":              {poor, foreseeRequest{turnOnOff, Nearness{wide, wider, 1000}}, scoreRequest{turnOnOff, wider}, true},
		"another limit":               {good, foreseeRequest{turnOnOff, Nearness{Clear: 50}}, scoreRequest{turnOnOff, wide}, false},
		"other sentences":             {good, foreseeRequest{more, Nearness{Clear: wide}}, scoreRequest{turnOnOff, wide}, false},
		"nothing":                     {good, foreseeRequest{}, scoreRequest{turnOnOff, wide}, false},
	} {
		a.retry = tt.retry
		a.say(t, tt.foreseen, whole)
		a.finish(t)
		_, known, err := a.ahead.scoresFor(tt.asked, a.speechEnd())
		if known != tt.known || err != nil {
			t.Errorf("%s: the scores were known: %t, expected %t; %v", name, known, tt.known, err)
		}
		a.say(t, tt.foreseen, whole)
		a.finish(t)
		scores := string(a.ask(t, kindScore, tt.asked))
		a.say(t, foreseeRequest{}, whole)
		a.finish(t)
		if now := string(a.ask(t, kindScore, tt.asked)); scores != now || len(scores) < 5 {
			t.Errorf("%s: the scores are %s, and %s without foresight", name, scores, now)
		}
	}
}

// TestNobodyWaitsForWorkAhead: while the second decoding is slow, sound is taken all the same,
// and the end of the utterance still has what was begun in the quiet.
func TestNobodyWaitsForWorkAhead(t *testing.T) {
	whole := slices.Concat(kitchenLight(t), make([]int16, audio.SpeechRate/4))
	a := newAhead(t)
	a.patience = 0
	a.retry, _ = a.fitOf(t, whole)
	a.say(t, foreseeRequest{turnOnOff, Nearness{Clear: 50}}, nil)
	free := make(chan struct{})
	a.second.main.ask(func(*decoder) error { <-free; return nil })
	longest := time.Duration(0)
	for frame := range slices.Chunk(whole, audio.FrameSamples) {
		before := time.Now()
		a.ask(t, kindPush, encodeSamples(frame))
		longest = max(longest, time.Since(before))
	}
	begun := a.second.begun
	if longest > pushTimeout/2 || a.ahead.again == nil || a.ahead.scored != nil {
		t.Errorf("a frame took %v; a second decoding is on its way: %t, scores: %t", longest, a.ahead.again != nil, a.ahead.scored != nil)
	}
	close(free)
	if r := a.finish(t); r.Text != turnOnOff[0] || a.second.begun != begun {
		t.Errorf("heard %q, with a second decoding at the end: %t", r.Text, a.second.begun != begun)
	}
}

// loudest returns where the loudest frame of a sound ends.
func loudest(samples []int16) (end int) {
	most := audio.Silence
	for at := 0; at+audio.FrameSamples <= len(samples); at += audio.FrameSamples {
		if level := audio.Level(samples[at : at+audio.FrameSamples]); level > most {
			most, end = level, at+audio.FrameSamples
		}
	}
	return end
}
