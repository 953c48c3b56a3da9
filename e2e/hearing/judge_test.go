package hearing

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// The judge looks at what was done in the house and at the answer, not at the text that
// was heard.
func TestTheJudge(t *testing.T) {
	t.Parallel()
	h := lamps()
	lamp, fan := "lamp on", "fan on"
	turn := func(outcome record.Outcome, reply string) []record.Record {
		return []record.Record{{Verdict: record.Verdict{Outcome: outcome, Reply: reply}}}
	}
	done, question, ignored := turn(record.Done, "It is on."), turn(record.Asked, "Which one?"), turn(record.Ignored, "")
	for name, tt := range map[string]struct {
		meant, did []string
		answer     string // a question is meant, and this is its answer
		turns      []record.Record
		want       verdict
		acted      bool
	}{
		"done":                       {meant: []string{lamp}, did: []string{lamp}, turns: done, want: right},
		"another device":             {meant: []string{lamp}, did: []string{fan}, turns: done, want: wrong, acted: true},
		"another act":                {meant: []string{lamp}, did: []string{"lamp off"}, turns: done, want: wrong, acted: true},
		"one device more":            {meant: []string{lamp}, did: []string{lamp, fan}, turns: done, want: wrong, acted: true},
		"put back, and then right":   {meant: []string{lamp}, did: []string{fan, "fan off", lamp}, turns: done, want: right},
		"a correction of the device": {meant: []string{"lamp off"}, did: []string{lamp, "lamp off"}, turns: done, want: right},
		"the half of it":             {meant: []string{lamp, fan}, did: []string{lamp}, turns: done, want: part},
		"asked":                      {meant: []string{lamp}, turns: question, want: asked},
		"asked, and then done":       {meant: []string{lamp}, did: []string{lamp}, turns: slices.Concat(question, done), want: right},
		"not heard":                  {meant: []string{lamp}, turns: ignored, want: rejected},
		"no turn":                    {meant: []string{lamp}, want: rejected},
		"a question instead":         {meant: []string{lamp}, turns: done, want: wrong},
		"answered":                   {answer: "It is on.", turns: done, want: right},
		"answered otherwise":         {answer: "It is off.", turns: done, want: wrong},
		"an act for a question":      {answer: "It is on.", did: []string{lamp}, turns: done, want: wrong, acted: true},
		"nothing for nothing":        {turns: ignored, want: right},
		"an act for nothing":         {did: []string{lamp}, turns: done, want: wrong, acted: true},
		"an answer for nothing":      {turns: done, want: wrong},
		"a question for nothing":     {turns: question, want: asked},
		"a refusal for nothing":      {turns: turn(record.Failed, "I know no fan."), want: refused},
	} {
		m := meant{text: name}
		if tt.answer != "" {
			m.rec = record.Record{Verdict: record.Verdict{Outcome: record.Done, Reply: tt.answer}}
		}
		if tt.meant != nil {
			m.rec.Outcome, m.deeds = record.Done, worldOf(t, h, tt.meant).deeds(h, nil)
		}
		o := judge(m, h, worldOf(t, h, tt.did), lab.Hearing{Turns: tt.turns})
		if o.verdict != tt.want || o.acted != tt.acted {
			t.Errorf("%s: %s, acted %t; want %s, %t", name, o.verdict, o.acted, tt.want, tt.acted)
		}
	}
}

// lamps is a house with a lamp and a fan.
func lamps() *home.House {
	h := &home.House{}
	for _, name := range []string{"lamp", "fan"} {
		h.Entities = append(h.Entities, home.Entity{ID: name, Name: name, Domain: "switch", Read: &home.Control{ID: name}})
	}
	return h
}

// worldOf is a house in which calls were made, each a device and an action.
func worldOf(tb testing.TB, h *home.House, calls []string) reached {
	tb.Helper()
	w := reached{fake.NewWorldOf(h)}
	for _, c := range calls {
		device, action := c[:len(c)-len(" off")], "off"
		if c[len(c)-3:] == " on" {
			device, action = c[:len(c)-len(" on")], "on"
		}
		args, err := json.Marshal(map[string]string{"device_name": device, "action": action})
		if err == nil {
			_, err = w.Call(tb.Context(), tools.Call{Server: "house", Tool: "control", Args: args})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// Noise is added at the requested distance below the loud third of a sound, and a
// recording is cut where its speech begins and ends.
func TestTheSound(t *testing.T) {
	t.Parallel()
	tone := make([]int16, audio.SpeechRate)
	for i := range tone {
		tone[i] = int16(8000 * math.Sin(float64(i)/5))
	}
	hiss := make([]int16, 3*audio.SpeechRate)
	for i := range hiss {
		hiss[i] = int16(200 * (1 - 2*(i%2)))
	}
	c := speech(tone, 500*time.Millisecond, 2*time.Second).noisy(hiss, 12, 1)
	clip := c.clip().Samples
	// The loudest third of 3.5 s is the tone alone, whose power is 3 dB under its peak.
	if got := audio.Level(clip[len(clip)-8000:]); math.Abs(got-(20*math.Log10(8000./32768)-3-12)) > 1.5 {
		t.Errorf("the noise is at %.1f dBFS", got)
	}
	if again := speech(tone, 500*time.Millisecond, 2*time.Second).noisy(hiss, 12, 1).clip().Samples; !slices.Equal(clip, again) {
		t.Error("the same seed gives other noise")
	}
	if got := audio.Level(make(canvas, 16000).room(3).clip().Samples); math.Abs(got-roomLevel) > 1 {
		t.Errorf("the quiet room is at %.1f dBFS", got)
	}
	if got := trimmed(speech(tone, time.Second, time.Second).clip().Samples); len(got) != len(tone) {
		t.Errorf("%d samples are left of %d", len(got), len(tone))
	}
}
