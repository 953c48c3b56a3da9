package house

import (
	"context"
	"fmt"
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/language/speech"
)

// Teach keeps the recogniser's grammar equal to the house (REQUIREMENTS H5). Where nobody
// hears, engine is nil: no grammar is written, and the house counts as learnt.
func (h *House) Teach(ctx context.Context, engine Pupil) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.changed:
		}
		for h.offer(ctx, engine) != nil {
			again := time.NewTimer(teachAgain)
			select {
			case <-ctx.Done():
				again.Stop()
				return nil
			case <-again.C:
			}
		}
	}
}

// teachAgain is the pause before a refused grammar is offered again.
const teachAgain = 5 * time.Second

// Pupil is a recogniser that uses a grammar. SetGrammar names the words that it can
// neither find nor pronounce.
type Pupil interface {
	SetGrammar(ctx context.Context, g speech.Grammar) (missing []string, err error)
}

// offer gives the recogniser the grammar. Words it can neither find nor pronounce
// are left out, together with the names that use them, and the rest of the grammar
// is kept.
func (h *House) offer(ctx context.Context, engine Pupil) error {
	view := h.current.Load()
	g := view.grammar
	var trouble error
	for range 3 {
		if engine == nil {
			break
		}
		missing, err := engine.SetGrammar(ctx, speech.Grammar{
			JSGF: g.JSGF(), Automaton: g.Automaton(), Wide: g.Wide(), Join: g.Joins(), LeadOn: g.LeadOn(), Words: g.Words(), Names: names(view.house),
			Understood: view.understands, Closed: view.cannotGoOn, Readable: view.reads,
		})
		if trouble = err; err != nil || len(missing) == 0 {
			break
		}
		without, lost := g.Without(missing)
		h.log.Warn("names the recogniser cannot pronounce are not heard; give them another name or a pronunciation (stt.pronunciations)",
			"names", lost, "words", missing)
		g = without
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if trouble != nil && ctx.Err() == nil && (h.trouble == nil || h.trouble.Error() != trouble.Error()) {
		h.log.Warn("recogniser did not take the grammar; it is offered again", "err", trouble)
	}
	h.taught, h.trouble = view, trouble
	close(h.learnt)
	h.learnt = make(chan struct{})
	return trouble
}

// Learnt waits until the recogniser has taken or refused the grammar of the current
// house. It returns the error of a refusal.
func (h *House) Learnt(ctx context.Context) error {
	for {
		h.mu.Lock()
		done, trouble, learnt := h.taught == h.current.Load(), h.trouble, h.learnt
		h.mu.Unlock()
		if done {
			return trouble
		}
		select {
		case <-learnt:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the recogniser to learn the house: %w", ctx.Err())
		}
	}
}

// Offered reports whether the recogniser has answered about the house at least
// once.
func (h *House) Offered() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.taught != nil
}

// Trouble says why the recogniser does not know the house, "" when it does.
func (h *House) Trouble() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trouble == nil {
		return ""
	}
	return h.trouble.Error()
}

// names lists the names in a house as people say them, the most spoken first:
// areas, then things that can be controlled, then things that only measure.
func names(h *home.House) []string {
	var all []string
	add := func(name string) {
		if said := home.SpokenName(name); !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	for _, area := range h.AreaNames() {
		add(area)
	}
	for _, acts := range []bool{true, false} {
		for _, e := range h.Entities {
			if (e.Control != nil) == acts {
				add(e.Name)
			}
		}
	}
	return all
}
