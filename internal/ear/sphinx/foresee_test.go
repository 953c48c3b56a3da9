//go:build cgo

package sphinx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
)

// TestForesightIsTaken: the answer is there when the speaker is done as foreseen, and
// only then.
func TestForesightIsTaken(t *testing.T) {
	r := &recogniser{}
	t.Cleanup(r.free)
	request := func(kind byte, payload []byte) {
		t.Helper()
		if _, err := r.answer(t.Context(), kind, payload); err != nil {
			t.Fatal(err)
		}
	}
	encoded := func(v any) []byte {
		t.Helper()
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	c, err := New(Config{Name: "stt", Command: []string{os.Args[0]}, Reject: true})
	if err != nil {
		t.Fatal(err)
	}
	const jsgf = "#JSGF V1.0;\ngrammar g;\npublic <s> = turn ( on | off ) the ( kitchen light | heater ) ;\n"
	words, err := Lookup(c.Dictionary(), strings.Fields("turn on off the kitchen light heater"))
	if err != nil {
		t.Fatal(err)
	}
	request(kindLoad, encoded(loadRequest{Acoustic: filepath.Join(DefaultModelDir, "en-us"), Loop: true}))
	request(kindGrammar, encoded(grammarRequest{JSGF: jsgf, Words: words}))
	light, err := os.Open(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_000.wav"))
	if err != nil {
		t.Fatal(err)
	}
	defer light.Close()
	clip, err := audio.ReadWAV(light)
	if err != nil {
		t.Fatal(err)
	}
	said := append(clip.Samples, make([]int16, audio.SpeechRate/4)...)
	asked := scoreRequest{Sentences: []string{"turn on the kitchen light", "turn off the kitchen light"}, Within: 50}
	for name, tt := range map[string]struct {
		sound []int16
		wants scoreRequest
		known bool
	}{
		"as foreseen":      {said, asked, true},
		"more was said":    {slices.Concat(said, said), asked, true}, // asked anew
		"still speaking":   {slices.Concat(said, clip.Samples[:loudest(clip.Samples)]), asked, false},
		"another limit":    {said, scoreRequest{asked.Sentences, 300}, false},
		"other words":      {said, scoreRequest{asked.Sentences[1:], 50}, false},
		"nothing was said": {make([]int16, audio.SpeechRate), asked, false},
	} {
		request(kindStart, nil)
		request(kindForesee, encoded(asked))
		for frame := range slices.Chunk(tt.sound, audio.FrameSamples) {
			request(kindPush, encodeSamples(frame))
		}
		if _, known, err := r.ahead.answerFor(tt.wants, r.speechEnd()); known != tt.known || err != nil {
			t.Errorf("%s: known %t, %v; expected %t", name, known, err, tt.known)
		}
		request(kindFinish, nil)
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
