package stt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ground/process"
)

// unspeakable is the pronunciation of a word that has none: the grammar must have one for
// every word, and no speech contains this one.
const unspeakable = "ZH OY ZH OY ZH OY ZH OY ZH"

// Pronouncer finds out how words are spoken: as the configuration says, else as
// the recogniser's dictionary says, else as espeak-ng would read them.
type Pronouncer struct {
	dictionary string
	own        map[string]string
	command    string // espeak-ng
}

// NewPronouncer uses a dictionary file (the packaged model's if empty) and,
// before it, own pronunciations (word to phones).
func NewPronouncer(dictionary string, own map[string]string) *Pronouncer {
	dictionary = cmp.Or(dictionary, filepath.Join(sphinx.DefaultModelDir, "cmudict-en-us.dict"))
	return &Pronouncer{dictionary: dictionary, own: own, command: "espeak-ng"}
}

// All returns the pronunciations of the words and those that have none. Without
// espeak-ng that is every word outside the dictionary.
func (p *Pronouncer) All(ctx context.Context, words []string) (found map[string][]string, missing []string, err error) {
	found, err = sphinx.Lookup(p.dictionary, words)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range words {
		if own := p.own[w]; own != "" {
			if err := checkPhones(own); err != nil {
				return nil, nil, fmt.Errorf("the pronunciation of %q: %w", w, err)
			}
			found[w] = []string{own}
		}
		if len(found[w]) > 0 || slices.Contains(missing, w) {
			continue
		}
		guess, err := p.guess(ctx, w)
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("finding out how %q is spoken: %w", w, err)
		}
		if err != nil {
			missing = append(missing, w)
			continue
		}
		found[w] = []string{guess}
	}
	return found, missing, nil
}

// Unknown lists the words that neither the dictionary nor the configuration has.
func (p *Pronouncer) Unknown(words []string) ([]string, error) {
	found, err := sphinx.Lookup(p.dictionary, words)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return p.own[w] != "" || len(found[w]) > 0 }), nil
}

func checkPhones(s string) error {
	known := sphinx.Phones()
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return errors.New("it has no phones")
	}
	for _, f := range fields {
		if !slices.Contains(known, f) {
			return fmt.Errorf("%q is no phone; there are %s", f, strings.Join(known, " "))
		}
	}
	return nil
}

// Bounds of asking espeak-ng, both generous: it takes 10 ms, and a word has some
// twenty phonemes.
const (
	guessTimeout = 5 * time.Second
	maxPhonemes  = 64 << 10 // bytes
)

// guess asks espeak-ng for its phonemes, which it separates by "_" on request.
func (p *Pronouncer) guess(ctx context.Context, word string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, guessTimeout)
	defer cancel()
	out, err := process.Run(ctx, process.Task{
		Program: process.Program{Path: p.command, Args: []string{"-q", "-x", "--sep=_", "-v", "en-us", "--stdin"}, Env: process.SmallEnv()},
		Stdin:   word + "\n", MaxOutput: maxPhonemes,
	})
	if err != nil {
		return "", fmt.Errorf("asking espeak-ng how %q is spoken: %w", word, err)
	}
	return fromEspeak(string(out))
}

// fromEspeak turns espeak-ng's phoneme names (American English) into the 39
// phones of the recogniser.
func fromEspeak(s string) (string, error) {
	var out []string
	for _, token := range strings.FieldsFunc(s, func(r rune) bool { return r == '_' || r == ' ' || r == '\n' }) {
		token = strings.Trim(token, "',=%|-;#!")
		if token == "" {
			continue
		}
		phones, ok := espeakPhones[token]
		if !ok {
			return "", fmt.Errorf("espeak-ng's phoneme %q has no English equal", token)
		}
		out = append(out, strings.Fields(phones)...)
	}
	if len(out) == 0 {
		return "", errors.New("espeak-ng finds nothing to say in it")
	}
	return strings.Join(out, " "), nil
}

// espeakPhones maps espeak-ng's phonemes. The sounds English lacks (the German
// ch, a rolled r, rounded front vowels) become what an English speaker says.
var espeakPhones = map[string]string{
	"a": "AE", "aa": "AE", "a#": "AH", "A": "AA", "A:": "AA", "A@": "AA R", "0": "AA", "O": "AO", "O:": "AO", "O2": "AO", "O@": "AO R",
	"o@": "AO R", "o": "OW", "o:": "OW", "oU": "OW", "E": "EH", "E2": "EH", "e": "EY", "e:": "EY", "eI": "EY", "e@": "EH R",
	"3": "ER", "3:": "ER", "@": "AH", "@2": "AH", "@5": "AH", "@L": "AH L", "I": "IH", "I2": "IH", "I#": "IH", "i": "IY", "i:": "IY",
	"i@": "IY AH", "i@3": "IH R", "U": "UH", "U@": "UH R", "u": "UW", "u:": "UW", "V": "AH", "aI": "AY", "aI@": "AY AH", "aI3": "AY ER",
	"aU": "AW", "aU@": "AW ER", "OI": "OY", "y": "UW", "y:": "UW", "Y": "UH", "W": "EH", "Y:": "ER",
	"b": "B", "d": "D", "D": "DH", "dZ": "JH", "f": "F", "g": "G", "h": "HH", "j": "Y", "k": "K", "l": "L", "L": "L", "m": "M", "n": "N",
	"N": "NG", "p": "P", "r": "R", "R": "R", "R2": "R", "s": "S", "S": "SH", "t": "T", "t#": "T", "T": "TH", "tS": "CH", "v": "V", "w": "W",
	"z": "Z", "Z": "ZH", "?": "T", "x": "K", "C": "SH", "C2": "SH", "pF": "P F", "ts": "T S", "n^": "N Y", "l^": "L Y",
}
