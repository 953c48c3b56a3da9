package ai

import (
	"cmp"
	"strings"
	"sync"

	"voicegateway/internal/ai/sentence"
	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/grounded"
	"voicegateway/internal/tools"
)

// knownHouse caches the names of the house that was last asked for. It is safe for
// concurrent use.
type knownHouse struct {
	mu    sync.Mutex
	house *home.House // does not change once it is given
	known *grounded.House
}

func (k *knownHouse) of(h *home.House, language string) *grounded.House {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || k.house != h {
		k.house, k.known = h, grounded.Know(h, language)
	}
	return k.known
}

// learn notes what a call proves about the house.
func (r *reply) learn(rec dialogue.Call) {
	if rec.Took == 0 || rec.Err != nil {
		return
	}
	if rec.Spec.Risk != tools.Read {
		r.ground.Act(rec.Tool, rec.Args, rec.Result)
		return
	}
	outside := r.ofOthers(rec)
	r.ground.Reading(rec.Tool, rec.Args, rec.Result, outside)
	if !outside && !rec.Result.Failed {
		r.facts.readings = append(r.facts.readings, rec)
	}
}

// sentence speaks a sentence of the model at once, if it is part of the answer and
// claims nothing that this turn does not carry. What a receipt has told already is
// not told again.
func (r *reply) sentence(rd *round, s string) {
	machinery := rd.text.Names(s)
	s = rd.plain.sentence(s)
	if s == "" || machinery || rd.hold(s) {
		return
	}
	r.speak(s)
}

// speak speaks a sentence if it claims nothing that this turn does not carry.
func (r *reply) speak(s string) {
	v := r.ground.Judge(s)
	r.facts.verdicts[v]++
	if v == grounded.Free || v == grounded.Proven {
		r.say(s, false, true)
	}
}

// instead returns what the gateway says itself in place of the model's words that were
// not spoken, or "" if nothing needs to be said.
func (r *reply) instead() string {
	seen := &r.facts.verdicts
	switch {
	case r.facts.wrote:
		return ""
	case r.facts.denied && seen[grounded.Invented]+seen[grounded.Doubtful]+seen[grounded.Hollow] > 0:
		return r.a.phrases["denied"]
	case seen[grounded.Invented] > 0, r.prompt.MayAct && seen[grounded.Doubtful] > 0 && seen[grounded.Proven]+len(r.facts.readings) == 0:
		return r.a.phrases["model_did_nothing"]
	case seen[grounded.Doubtful] > 0 && seen[grounded.Proven] == 0:
		return r.read()
	case len(r.said) > 0 || seen[grounded.Hollow] == 0:
		return ""
	case r.prompt.MayAct:
		return r.a.phrases["model_did_nothing"]
	}
	return r.a.phrases["model_did_not_look"]
}

// maxReadings is how many readings are spoken in place of the model's words.
const maxReadings = 3

// read returns the readings of this turn in our own words, or a sentence that says that
// nothing was read.
func (r *reply) read() string {
	var told []string
	for _, rec := range r.facts.readings[:min(len(r.facts.readings), maxReadings)] {
		if said := r.readingIn(rec); said != "" {
			told = append(told, said)
		}
	}
	switch {
	case len(told) > 0:
		return strings.Join(told, " ")
	case len(r.facts.readings) > 0:
		return r.a.phrases["model_failed"]
	}
	return r.a.phrases["model_did_not_look"]
}

// readingIn is what one reading says: as the mind tells it, or in an English house
// in the tool's own words.
func (r *reply) readingIn(rec dialogue.Call) string {
	if r.prompt.Read != nil {
		if said := r.prompt.Read(rec); said != "" {
			return said
		}
	}
	text := strings.TrimSpace(rec.Result.Text)
	if cmp.Or(r.a.cfg.Language, sentences.OfTools) != sentences.OfTools || text == "" || strings.ContainsAny(text[:1], "{[") {
		return ""
	}
	var p plainer
	return p.sentence(clip(text, sentence.Longest))
}
