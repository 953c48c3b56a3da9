package house

import (
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/language/speech"
)

// Hear has the recogniser listen for texts beside the sentences: the family's own
// wordings. One that cannot be part of a grammar is understood only where it is written.
func (h *House) Hear(texts []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Equal(h.texts, texts) {
		return
	}
	before := h.texts
	h.texts = slices.Clone(texts)
	if err := h.rebuild(); err != nil {
		h.texts = before
		h.log.Warn("wordings are not listened for", "err", err)
	}
}

// Bare returns the form in which a wording is compared.
func (h *House) Bare(text string) string { return h.pack.Bare(text) }

func (h *House) bare(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = h.Bare(text)
	}
	return out
}

// understands reports whether a text is a sentence or a wording.
func (u *understanding) understands(text string) bool {
	return intent.Short{Matcher: u.matcher}.Understands(text) || slices.Contains(u.texts, u.bare(text))
}

// cannotGoOn reports whether a text is a sentence that cannot go on.
func (u *understanding) cannotGoOn(text string) bool { return u.grammar.Judge(text) == speech.Closed }

// reads reports whether a text that fits no sentence would be done or asked about as one of
// ours (REQUIREMENTS U17).
func (u *understanding) reads(text string) bool {
	words, d := reader.WordsOf(u.language), u.matcher.Match(text, "")
	if words == nil || u.house.Empty() || d.Route != intent.Model || !reader.Reads(d) {
		return false
	}
	kinds, err := reader.Load(u.language)
	if err != nil {
		return false
	}
	act := d.Act
	if act == "" {
		act = u.matcher.SpeechAct(text)
	}
	match := func(sentence string) intent.Decision { return u.matcher.Match(sentence, "") }
	return words.Read(reader.Text{Words: text, Act: act}, kinds, u.house, match).Verdict != reader.Leave
}
