package learn_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

// few are sentences of two kinds and of none.
func few() []learn.Example {
	var out []learn.Example
	for _, drink := range []string{"coffee", "espresso", "latte", "cappuccino", "mocha"} {
		for _, verb := range []string{"make", "brew", "prepare", "pour"} {
			out = append(out, learn.Example{Text: verb + " me a " + drink, Kind: reader.Coffee})
		}
	}
	for _, room := range []string{"kitchen", "hall", "study", "cellar", "attic"} {
		for _, verb := range []string{"turn off", "put out", "kill", "switch off"} {
			out = append(out,
				learn.Example{Text: verb + " the light in the " + room, Kind: reader.LightOff},
				learn.Example{Text: "what is a " + room + " " + verb, Kind: reader.None})
		}
	}
	return out
}

func TestWeights(t *testing.T) {
	t.Parallel()
	data := learn.Weights("en", few())
	if !bytes.Equal(data, learn.Weights("en", few())) {
		t.Fatal("the same sentences give other bytes")
	}
	m, err := reader.Read("en", data)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]reader.Kind{
		"brew me a lungo":              reader.Coffee,
		"kill the light in the garage": reader.LightOff,
		"what is a garage":             reader.None,
	} {
		if got := m.Kind(text); got.Kind != want {
			t.Errorf("%q is %q (%.2f), want %q", text, got.Kind, got.Share, want)
		}
	}
	// None of so few is ever wrong, and yet so few prove nothing.
	if got := m.Marks(reader.Coffee); got.Sure < 0.5 || got.Nearly > got.Sure {
		t.Errorf("the marks of coffee are %+v", got)
	}
	if got := m.Marks(reader.Clock); got.Sure < 1 {
		t.Errorf("a kind that was never seen has the marks %+v", got)
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	crowd, err := learn.Crowd(strings.NewReader(`{"text": "make coffee please", "label": "iot/coffee", "source": "one", "entities": [{"type": "time", "text": "now"}]}
{"text": "make the coffee", "label": "iot/coffee", "source": "two"}
{"text": "tell me a joke", "label": "general/joke", "source": "one"}
{"text": "wake me", "label": "alarm/set", "source": "two"}
`))
	if err != nil {
		t.Fatal(err)
	}
	if p := crowd[0].Parts; len(p) != 1 || p[0].Type != "time" {
		t.Errorf("the parts are %+v", p)
	}
	for without, want := range map[string]string{
		"":    "make coffee please (coffee), tell me a joke (), wake me (alarm_set)",
		"two": "tell me a joke ()",
		"one": "wake me (alarm_set)",
	} {
		var got []string
		for _, e := range learn.Examples(crowd, without) {
			got = append(got, e.Text+" ("+string(e.Kind)+")")
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("without %q: %s, want %s", without, got, want)
		}
	}
	if _, err := learn.Crowd(strings.NewReader("{}\nnothing")); err == nil || !strings.Contains(err.Error(), "sentence 2") {
		t.Errorf("a line that cannot be read: %v", err)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	examples := learn.Draw(intent.English(), 2)
	counts := map[reader.Kind]int{}
	for _, e := range examples {
		counts[e.Kind]++
		if e.Kind == reader.None || strings.ContainsAny(e.Text, "{}<>[]()|") {
			t.Errorf("%q is %q", e.Text, e.Kind)
		}
	}
	for _, kind := range []reader.Kind{reader.LightOff, reader.LightUp, reader.VolumeSet, reader.VolumeMute, reader.AlarmSet, reader.AlarmRemove, reader.Clock} {
		if counts[kind] < 3 {
			t.Errorf("%d sentences of ours are %s", counts[kind], kind)
		}
	}
	if !slices.Equal(examples, learn.Draw(intent.English(), 2)) {
		t.Error("the same pack gives other sentences")
	}
}
