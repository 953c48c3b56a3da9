package stt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/sentences"
)

// Limits of what can have been said.
const (
	// The fastest speakers say some 20 characters a second, spaces included; the
	// first word's begin and the last one's end are often not loud.
	fastest   = 30 // characters a second
	unhurried = 300 * time.Millisecond
	// A phrase that is repeated this often, over this many words, comes from a network in a
	// loop. People do say "no no no no".
	loopTimes = 4
	loopWords = 6
	// A text that is one of the phrases of silence is not believed where the speech
	// is shorter than weakTime or stands out by less than weakAbove.
	weakTime  = 400 * time.Millisecond
	weakAbove = 14.0 // dB
	maxText   = 500  // bytes of a text; the longest command has a fifth
)

// remark is what recognisers write beside the words: [BLANK_AUDIO], (music), ♪.
var remark = regexp.MustCompile(`\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|<[^>]*>|♪[^♪]*♪?`)

// invented is what networks trained on subtitles write when they hear silence, in all our
// languages. Credits are parts of texts that no user says to a house; murmurs are whole
// texts that are invented as often as said. Both are lower case without punctuation.
var invented = sync.OnceValue(func() sentences.Invented {
	var all sentences.Invented
	for _, w := range sentences.EveryWords() {
		all.Credits, all.Murmurs = append(all.Credits, w.Invented.Credits...), append(all.Murmurs, w.Invented.Murmurs...)
	}
	return all
})

// credible cleans a recogniser's text and returns why it cannot have been said,
// "" when it can.
func credible(a answer, l loudness) (text, why string) {
	text = strings.Join(strings.Fields(remark.ReplaceAllString(strings.ToValidUTF8(a.text, ""), " ")), " ")
	text = strings.TrimSpace(strings.TrimLeft(text, "-–—♪>"))
	plain := splitWords(text)
	joined := strings.Join(plain, " ")
	characters := utf8.RuneCountInString(joined)
	switch {
	case len(plain) == 0:
		return "", "no words in the speech"
	case a.doubt != "":
		return "", a.doubt
	case len(text) > maxText:
		return "", "the recogniser wrote far more than can be said in one command"
	case time.Duration(characters)*time.Second/fastest > l.span+unhurried:
		return "", fmt.Sprintf("the recogniser wrote %d characters for %s of speech", characters, l.span)
	case loops(plain):
		return "", "the recogniser repeats itself"
	case slices.ContainsFunc(invented().Credits, func(c string) bool { return strings.Contains(joined, c) }):
		return "", "the recogniser wrote what is usual under silence"
	case slices.Contains(invented().Murmurs, joined) && (l.speech < weakTime || l.above < weakAbove):
		return "", "too little speech for what the recogniser wrote"
	}
	return text, ""
}

// splitWords are the lower case words of a text, without punctuation.
func splitWords(text string) []string {
	var all []string
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		w = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '-' || unicode.Is(unicode.M, r) {
				return r
			}
			return -1
		}, w)
		if w = strings.Trim(w, "'-"); w != "" {
			all = append(all, w)
		}
	}
	return all
}

// loops finds a phrase that is repeated over and over.
func loops(words []string) bool {
	for length := 1; length <= len(words)/loopTimes; length++ {
		run := 0 // words in a row that equal the word one phrase earlier
		for i := length; i < len(words); i++ {
			if words[i] != words[i-length] {
				run = 0
				continue
			}
			if run++; run+length >= max(length*loopTimes, loopWords) {
				return true
			}
		}
	}
	return false
}
