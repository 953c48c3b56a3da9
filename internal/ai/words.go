package ai

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/ai/filter"
	"voicegateway/internal/ai/offer"
	"voicegateway/internal/ai/sentence"
	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// knownHouse caches the names of the house that was last asked for. It is safe for
// concurrent use.
type knownHouse struct {
	mu     sync.Mutex
	house  *home.House // does not change once it is given
	labels *offer.Labels
	names  *filter.House
}

func (k *knownHouse) of(h *home.House, language string) (*offer.Labels, *filter.House) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.labels == nil || k.house != h {
		k.house, k.labels = h, offer.LabelsOf(h)
		k.names = filter.Know(h, language, k.labels.Of)
	}
	return k.labels, k.names
}

// learn notes what a call has read. What came of calls that change something is told by
// the mind, and proves no sentence of the model.
func (r *reply) learn(rec dialogue.Call) {
	if rec.Took == 0 || rec.Err != nil || rec.Result.Failed || rec.Spec.Risk != tools.Read {
		return
	}
	outside := r.ofOthers(rec)
	r.filter.Read(rec.Args, rec.Result.Text, outside)
	if !outside {
		r.facts.readings = append(r.facts.readings, rec)
	}
}

// sentence speaks a sentence of the model at once, if it is part of the answer and the
// filter lets it pass.
func (r *reply) sentence(rd *round, s string) {
	machinery := rd.text.Names(s)
	s = rd.plain.sentence(s)
	if s == "" || machinery || rd.hold(s) {
		return
	}
	r.speak(s)
}

// speak speaks a sentence that the filter lets pass. In a turn that changed the house only
// what came of that is spoken, and what was read comes before any word of the model
// (REQUIREMENTS U4).
func (r *reply) speak(s string) {
	v := r.filter.Judge(s)
	if r.facts.changed {
		if v == filter.Read {
			r.tellReadings()
		}
		return
	}
	r.tellReadings()
	if r.isSilenced(s) {
		return
	}
	v = r.filter.Judge(s) // it may have been told just now
	r.facts.verdicts[v]++
	if v == filter.Free || v == filter.Read {
		r.say(dialogue.Part{Sentence: s}, true)
	}
}

// isSilenced reports whether a sentence of the model is held back because all servers that
// it asked came to nothing. It may say that it could not do something, unless it has heard
// nothing at all.
func (r *reply) isSilenced(s string) bool {
	if len(r.facts.lost) == 0 || r.facts.answered {
		return false
	}
	silent := slices.ContainsFunc(r.facts.lost, func(l loss) bool { return l.silent })
	return silent || !r.filter.IsUnable(s)
}

// tellLost says which servers came to nothing, each once.
func (r *reply) tellLost() {
	told := map[loss]bool{}
	for _, l := range r.facts.lost {
		if told[l] {
			continue
		}
		told[l] = true
		key := "server_failed"
		if l.silent {
			key = "server_silent"
		}
		r.say(dialogue.Part{Sentence: withServer(r.a.phrases[key], l.server), Undone: true, Lost: true}, false)
	}
}

// withServer fills a phrase with the name of a server.
func withServer(phrase, server string) string {
	name := speech.Speakable(strings.NewReplacer("_", " ", "-", " ").Replace(server))
	said := strings.ReplaceAll(phrase, "{server}", name)
	first, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(first)) + said[size:]
}

// tellReadings says what was read of things since the last act, once.
func (r *reply) tellReadings() {
	untold := r.facts.readings[r.facts.told:]
	if len(untold) == 0 {
		return
	}
	r.facts.told = len(r.facts.readings)
	said := ""
	if r.prompt.Read != nil {
		said = r.prompt.Read(untold)
	}
	if said == "" && r.facts.changed {
		said = r.read(untold) // else the model may tell it
	}
	if said != "" {
		r.filter.Tell()
		r.say(dialogue.Part{Sentence: said, Receipt: true}, true)
	}
}

// instead says what the gateway says itself in place of the model's words that were held
// back, if anything needs to be said.
func (r *reply) instead(ctx context.Context) {
	seen := &r.facts.verdicts
	acted, unread := seen[filter.Acted] > 0, seen[filter.Unread] > 0
	switch {
	case r.facts.wrote || !acted && !unread:
	case r.facts.miscalls > 0 && r.facts.made == 0:
		r.sayUndone("model_miscalled")
	case r.facts.denied:
		r.sayUndone("denied")
	case r.prompt.MayAct && (acted || len(r.facts.readings) == 0), acted && !r.filter.HasTold():
		r.sayUndone("model_did_nothing")
	case !r.filter.HasTold() && seen[filter.Read] == 0:
		r.sayUnread(ctx)
	}
}

// sayUndone says that nothing came of what was asked.
func (r *reply) sayUndone(phrase string) {
	r.say(dialogue.Part{Sentence: r.a.phrases[phrase], Undone: true}, false)
}

// sayUnread says what can be read now in place of what the model told, or that it was not
// read, if nothing else was said.
func (r *reply) sayUnread(ctx context.Context) {
	said := cmp.Or(r.look(ctx), r.read(r.facts.readings))
	switch {
	case said != "":
		r.say(dialogue.Part{Sentence: said, Receipt: true}, false)
	case len(r.said) > 0:
	case len(r.facts.readings) > 0:
		r.sayUndone("model_failed")
	default:
		r.sayUndone("model_did_not_look")
	}
}

// look reads what the model has told of without reading it, and says how it is; "" if
// that cannot be read now.
func (r *reply) look(ctx context.Context) string {
	things := r.filter.Missing()
	if r.prompt.Look == nil || len(things) == 0 {
		return ""
	}
	r.watch.pause()
	defer r.watch.resume(false)
	return r.prompt.Look(ctx, things)
}

// maxReadings is how many readings are spoken in place of the model's words.
const maxReadings = 3

// read returns, in an English house, what a few calls have read in the tools' own words.
func (r *reply) read(readings []dialogue.Call) string {
	var told []string
	for _, rec := range readings[:min(len(readings), maxReadings)] {
		text := strings.TrimSpace(rec.Result.Text)
		if cmp.Or(r.a.cfg.Language, sentences.OfTools) != sentences.OfTools || text == "" || strings.ContainsAny(text[:1], "{[") {
			continue
		}
		var p plainer
		told = append(told, p.sentence(clip(text, sentence.Longest)))
	}
	return strings.Join(told, " ")
}
