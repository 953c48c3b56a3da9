//go:build cgo

package stt_test

import (
	"testing"

	"voicegateway/internal/ear/stt"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/language/speech"
)

// saidToAlerts is what people say to an alert that rings; saidNearAlerts is other speech
// near one.
var (
	saidToAlerts = []string{
		"stop.", "okay.", "thanks.", "alright.", "got it.", "snooze.", "five more minutes.", "I'm awake.", "stop the alarm.", "quiet.",
	}
	saidNearAlerts = []string{
		"dinner is ready.", "where are my keys.", "I think it was on Tuesday.", "no way, really.", "did you feed the cat.", "can you get that.",
		"what is that noise.", "it's yours.", "coming up next.", "and the weather.", "good morning.", "is it done.", "five people were hurt.", "the minister said.",
		"could you pass the salt.", "I heard him say so.", "we stopped at the shop.", "he is quite right.", "on the stove.", "not at all.", "oh dear.",
	}
)

// TestHearsWordsToAlerts: what people say to a ringing timer is heard as one of the
// words for it, and what they say to each other rarely is. It uses every other text,
// said by one of the voices; in the acceptance test each voice says all texts.
func TestHearsWordsToAlerts(t *testing.T) {
	for _, engine := range []string{"pocketsphinx", "moonshine"} {
		t.Run(engine, func(t *testing.T) { wordsToAlerts(t, listening(t, engine), 2, 1) })
	}
}

// TestHearsWordsToAlertsWithoutAHouse: where the recogniser does not know the language, it is
// given a grammar of one word, and still hears the words to an alert.
func TestHearsWordsToAlertsWithoutAHouse(t *testing.T) {
	e := listening(t, "pocketsphinx")
	if missing, err := e.SetGrammar(t.Context(), speech.Grammar{JSGF: "#JSGF V1.0;\ngrammar alerts;\npublic <said> = stop ;\n", Words: []string{"stop"}}); err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	wordsToAlerts(t, e, 6, 1)
}

// wordsToAlerts has so many voices say, by turns, one text of every so many.
func wordsToAlerts(t *testing.T, e stt.Engine, every, each int) {
	t.Helper()
	words, err := choosing.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	voices := []string{"slt", "awb"}
	count := func(texts []string, wanted func(heard, said choosing.Reaction) bool) (met, all int) {
		for n, text := range texts {
			if n%every > 0 {
				continue
			}
			for k := range each {
				all++
				i := (n/every + k) % len(voices)
				voice := voices[i]
				got := spokenTo(t, e, speech.AlertWords, inRoom(say(t, voice, text), 1, quietRoom, uint64(i)))
				reaction := words.Reaction(got.Text)
				if wanted(reaction, words.Reaction(text)) {
					met++
				} else {
					t.Logf("%-7s %-30s %q %s", voice, text, got.Text, got.Rejected)
				}
			}
		}
		return met, all
	}
	right, all := count(saidToAlerts, func(heard, said choosing.Reaction) bool { return heard == said })
	left, others := count(saidNearAlerts, func(heard, _ choosing.Reaction) bool { return heard == choosing.NoReaction })
	t.Logf("heard %d of %d; left alone %d of %d", right, all, left, others)
	if right < all*3/4 || left < others*9/10 {
		t.Errorf("heard %d of %d; left alone %d of %d", right, all, left, others)
	}
}
