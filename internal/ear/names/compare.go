package names

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"voicegateway/internal/ear/stt"
	"voicegateway/internal/home"
)

// Compare reports what the names of a house show without any sound: which are pronounced
// nearly alike, and which words no dictionary has. It takes a second, or a few if
// hundreds of names are new to the dictionary. If no recogniser uses the dictionary, the
// report is empty.
func Compare(ctx context.Context, cfg stt.Config, h *home.House) (Report, error) {
	r := Report{Time: time.Now(), Confused: []Confusion{}, Growing: []string{}}
	likeness, unknown, err := compare(ctx, cfg, h)
	r.Unknown = unknown
	if err != nil || likeness == nil {
		return r, err
	}
	r.Left = likeness.Left
	alike, err := likeness.FindConfusions(ctx)
	r.Confused = append(r.Confused, alike...)
	return r, err
}

// Compares reports whether names are compared by their sound: a recogniser goes by the
// dictionary.
func Compares(cfg stt.Config) bool { return slices.ContainsFunc(cfg.Engines, stt.ByGrammar) }

// compare returns the likeness of the names, nil if their pronunciations are unknown, and
// the words that no dictionary has.
func compare(ctx context.Context, cfg stt.Config, h *home.House) (*Likeness, []Word, error) {
	unknown := []Word{}
	if !Compares(cfg) {
		return nil, unknown, nil
	}
	dictionary := "" // the packaged one
	if cfg.ModelDir != "" {
		dictionary = filepath.Join(cfg.ModelDir, "cmudict-en-us.dict")
	}
	p, users := stt.NewPronouncer(dictionary, cfg.Pronunciations), usersOf(h, cfg.Language)
	missing, err := p.Unknown(slices.Sorted(maps.Keys(users)))
	if err != nil {
		return nil, unknown, err
	}
	sounds, _, err := p.All(ctx, Vocabulary(h, cfg.Language))
	if err != nil {
		return nil, unknown, err
	}
	for _, w := range missing {
		x := Word{Word: w, Names: users[w]}
		if guesses := sounds[w]; len(guesses) > 0 {
			x.Guess = guesses[0]
		}
		unknown = append(unknown, x)
	}
	return NewLikeness(h, cfg.Language, sounds), unknown, nil
}
