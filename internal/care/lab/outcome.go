package lab

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
)

// Outcome is the result of one recording.
type Outcome struct {
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Voice   string `json:"voice"`
	Noise   string `json:"snr"`
	Denoise string `json:"denoise"`
	Said    string `json:"said"`
	speech.Transcript
	Ended  string `json:"ended"` // the endpointer's reason
	Added  string `json:"added"` // words after the sentence that were acted on too, although they were not meant
	Exact  bool   `json:"exact"`
	Intent bool   `json:"intent"` // the gateway would do what was meant
	Wrong  bool   `json:"wrong"`  // a device that was not meant would act
	among
}

// among is what a mix with other speech adds.
type among struct {
	Placed string `json:"placed,omitempty"`
	Gate   bool   `json:"gate,omitempty"`
	Late   int64  `json:"late_ms,omitempty"` // from the command's end to the turn's
}

// judge compares what would be done with what was meant. It judges the sentence
// that is acted on at once, or the sentence with its additions if they were meant.
func (m *Lab) judge(o *Outcome, whole string) {
	m.compare(o)
	if whole == o.Text {
		return
	}
	longer := *o
	longer.Text = whole
	m.compare(&longer)
	if longer.Intent {
		*o = longer
		return
	}
	o.Added = strings.TrimSpace(strings.TrimPrefix(whole, o.Text))
	o.Wrong = longer.Wrong
}

// compare judges one text.
func (m *Lab) compare(o *Outcome) {
	o.Exact = plainly(o.Text) == plainly(o.Said)
	if o.Text == "" {
		o.Intent = o.Kind != "command"
		o.Exact = o.Intent
		return
	}
	understood := m.Rooms.Match(o.Text, "")
	meant := intent.Decision{}
	if o.Kind == "command" {
		meant = m.Rooms.Match(o.Said, "")
	}
	o.Intent = o.Kind == "command" && understood.Route == meant.Route && same(understood.Actions, meant.Actions)
	allowed := map[string]bool{}
	for _, act := range meant.Actions {
		for _, d := range act.Devices {
			allowed[d] = true
		}
	}
	for _, act := range understood.Actions {
		asks := strings.Contains(act.Intent, "Get") // it changes nothing
		o.Wrong = o.Wrong || !asks && slices.ContainsFunc(act.Devices, func(d string) bool { return !allowed[d] })
	}
}

// plainly leaves out what makes no difference to a listener: politeness, and the
// "s" of a plural.
func plainly(text string) string {
	var words []string
	for w := range strings.FieldsSeq(text) {
		if w != "please" {
			words = append(words, strings.TrimSuffix(w, "s"))
		}
	}
	return strings.Join(words, " ")
}

// same reports whether the same would be done to the same things, by whatever words
// they are called: the kitchen light, or the lighting of a kitchen that has no other.
func same(a, b []intent.Action) bool {
	x, errX := json.Marshal(dropNames(a))
	y, errY := json.Marshal(dropNames(b))
	return errX == nil && errY == nil && string(x) == string(y)
}

// dropNames leaves out of actions how their devices were called.
func dropNames(actions []intent.Action) []intent.Action {
	out := slices.Clone(actions)
	for i := range out {
		if len(out[i].Devices) == 0 {
			continue // the words are all there is
		}
		out[i].Slots = maps.Clone(out[i].Slots)
		for _, slot := range []string{"name", "area", "floor", "domain"} {
			delete(out[i].Slots, slot)
		}
	}
	return out
}

// voices groups the outcomes by voice and noise, with the keys in a stable order.
func voices(all []Outcome) (keys []string, by map[string][]Outcome) {
	by = map[string][]Outcome{}
	for _, o := range all {
		voice := strings.TrimRight(o.Voice, "-0123456789")
		by[voice+"\t"+o.Noise] = append(by[voice+"\t"+o.Noise], o)
	}
	return slices.Sorted(maps.Keys(by)), by
}
