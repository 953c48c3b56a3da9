package ear

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Reopener is a transcriber on this machine, with a grammar and partial texts, that can
// continue the utterance it has just finished, as if Finish had not been called: the next
// Finish returns the text of the whole. It lets a complete sentence be acted on at once
// although its speaker may continue (REQUIREMENTS H6), and lets a correction be heard
// without a wake word (U5), because speech not meant for the house stays in this machine.
type Reopener interface {
	Reopen(ctx context.Context) error
}

// earBudget bounds one call of an engine of the ear, which may have to restart its
// worker: it is longer than any working engine takes, and short enough not to delay
// a stop or a deadline. With sound that can be held back nobody waits, and an engine may
// take all the time that a busy machine needs.
const (
	earBudget      = 2 * time.Second
	recordedBudget = time.Hour
)

func budgetOf(live bool) time.Duration {
	if live {
		return earBudget
	}
	return recordedBudget
}

// recogniser is the transcriber together with the endpointer, which decides which
// frames the transcriber gets and when a sentence has ended. No call takes longer
// than budget.
type recogniser struct {
	stt    Transcriber
	end    Endpointer
	judge  func(partial string) speech.Completeness
	budget time.Duration
	log    *slog.Logger
}

// partialText hold the text so far of an open utterance, and whether it is a sentence.
type partialText struct {
	partial speech.Partial
	judged  speech.Completeness
	secret  bool // they answer a challenge: they are not shown, and they are not a sentence
}

// asPartial are the words as others may see them.
func (w partialText) asPartial() speech.Partial {
	if w.secret {
		return speech.Partial{}
	}
	return w.partial
}

// begin opens an utterance for what is expected, and drops one that is open.
func (r *recogniser) begin(ctx context.Context, what speech.Expected) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	switch stt, able := r.stt.(Selective); {
	case able:
		return stt.BeginFor(limited, what)
	case what == speech.ChallengeWords:
		return errors.New("it knows no words of challenges")
	default:
		return r.stt.Begin(limited)
	}
}

// expects is what a turn listens for.
func (t *telling) expects() speech.Expected {
	if t.challenge != "" {
		return speech.ChallengeWords
	}
	return speech.Sentence
}

// push gives the transcriber the frames that the endpointer admits, and updates the
// words and their judgement.
func (r *recogniser) push(ctx context.Context, f audio.Frame, w *partialText) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	for _, admitted := range r.end.Admit(f) {
		p, err := r.stt.Push(limited, admitted)
		if err != nil {
			return err
		}
		if p.Text != w.partial.Text && !w.secret {
			w.judged = r.judge(p.Text)
		}
		w.partial = p
	}
	return nil
}

// pushAll gives the transcriber a frame unchanged, without asking for its words.
func (r *recogniser) pushAll(ctx context.Context, f audio.Frame) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	_, err := r.stt.Push(limited, f)
	return err
}

// finish closes the utterance and returns its text.
func (r *recogniser) finish(ctx context.Context) (speech.Transcript, error) {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	return r.stt.Finish(limited)
}

// drop closes the utterance without asking for its text, which could take a while.
// The utterance must be closed because a new grammar waits for its end.
func (r *recogniser) drop(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	err := r.stt.Begin(limited) // drops what is open
	if err == nil {
		_, err = r.stt.Finish(limited)
	}
	if err != nil {
		r.log.Debug("utterance not closed", "part", "turn", "err", err)
	}
}

// canReopen reports whether the utterance that was finished last can be continued.
func (r *recogniser) canReopen() bool {
	_, ok := r.stt.(Reopener)
	return ok
}

// reopen continues the utterance that was finished last.
func (r *recogniser) reopen(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	stt, _ := r.stt.(Reopener) // canReopen was called before
	return stt.Reopen(limited)
}
