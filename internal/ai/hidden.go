package ai

import "sync"

// thinkers are the models that end their thoughts and do not begin them, because
// the server's template has begun them already. It is safe for concurrent use.
type thinkers struct {
	mu    sync.Mutex
	known map[string]bool
}

func (t *thinkers) endOnly(model string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[model]
}

func (t *thinkers) learn(model string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[string]bool{}
	}
	t.known[model] = true
}

// visible returns what a piece of the model's text adds to its answer. When a
// thought ends that had no beginning, what was not spoken of it is forgotten, and
// the next answer of that model is spoken only after its thought.
func (r *reply) visible(rd *round, text string) string {
	said := rd.text.Push(text)
	if rd.text.Ended() {
		rd.split, rd.plain = splitter{}, plainer{}
		r.a.thoughts.learn(r.model)
	}
	return said
}

// remaining is the rest of the answer at its end, and takes the calls that the model
// wrote as text, if it made none. A text that was held back as a thought and leads to
// a call was one.
func (r *reply) remaining(rd *round) string {
	thought := rd.text.Held && len(rd.calls) > 0
	rest := rd.text.Flush()
	if len(rd.calls) == 0 && !rd.last {
		rd.calls = rd.text.Calls()
	}
	if thought {
		return ""
	}
	return rest
}

// whole speaks what there is in whole sentences of an answer that broke off.
func (r *reply) whole(rd *round) {
	for _, s := range rd.split.push(rd.text.Cut()) {
		r.sentence(rd, s)
	}
	r.sentence(rd, rd.split.whole())
}
