package turn

import (
	"context"
	"log/slog"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// Reopener is a transcriber on this machine, with a grammar and partial texts,
// that can go on with the utterance it has just finished, as if Finish had not
// been: the text of the next Finish is that of the whole. With it, a sentence
// that is complete is acted on at once although its speaker may go on
// (REQUIREMENTS H6), and a correction is heard without a wake word (U5): what
// nobody said to us stays in this machine.
type Reopener interface {
	Reopen(ctx context.Context) error
}

// earBudget bounds one call of an engine of the ear, which may have to start its
// worker anew: longer than any that works takes, short enough that a stop or a
// deadline is not kept waiting. Sound that can be held back has all the time an
// engine may need to start.
const earBudget = 2 * time.Second

func budgetOf(live bool) time.Duration {
	if live {
		return earBudget
	}
	return deadlines[Thinking]
}

// recogniser is the transcriber with what decides which frames it may have and
// when a sentence has ended. No call of it takes longer than its budget.
type recogniser struct {
	stt    Transcriber
	end    Endpointer
	judge  func(partial string) speech.Completeness
	budget time.Duration
	log    *slog.Logger
}

// words are the text of an utterance that is not over.
type words struct {
	partial speech.Partial
	judged  speech.Completeness
}

// begin opens an utterance and drops one that is open.
func (r *recogniser) begin(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	return r.stt.Begin(limited)
}

// push gives the transcriber what it may have of a frame, and brings the words and
// their judgement up to date.
func (r *recogniser) push(ctx context.Context, f audio.Frame, w *words) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	for _, admitted := range r.end.Admit(f) {
		p, err := r.stt.Push(limited, admitted)
		if err != nil {
			return err
		}
		if p.Text != w.partial.Text {
			w.judged = r.judge(p.Text)
		}
		w.partial = p
	}
	return nil
}

// pushAll gives the transcriber a frame as it is, without asking for its words.
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

// drop closes the utterance without asking what was said, which may take a while:
// a new grammar waits for the end of an utterance.
func (r *recogniser) drop(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, earBudget)
	defer cancel()
	err := r.stt.Begin(limited) // drops what is open
	if err == nil {
		_, err = r.stt.Finish(limited)
	}
	if err != nil {
		r.log.Debug("utterance not closed", "part", "turn", "err", err)
	}
}

// canReopen says whether the utterance that was finished last can be gone on with.
func (r *recogniser) canReopen() bool {
	_, ok := r.stt.(Reopener)
	return ok
}

// reopen goes on with the utterance that was finished last.
func (r *recogniser) reopen(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	stt, _ := r.stt.(Reopener) // canReopen was asked before
	return stt.Reopen(limited)
}
