//go:build cgo

package sphinx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
)

// Work is the child's side: `voice-gateway worker stt`. It returns when the
// parent closes the pipe.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	r := &recogniser{}
	defer r.free()
	return worker.Serve(ctx, in, worker.NewOutlet(out), worker.Answer(r.answer))
}

// recogniser is what the child keeps: the decoder with the grammar or the wake
// phrases, and the one that scores the same sound as arbitrary speech.
type recogniser struct {
	main  *decoder
	loop  *side   // nil when not asked for
	retry float64 // the margin below which an utterance is decoded again
	// patience is how long the caller waits for an answer about a recording; 0 for a microphone.
	patience time.Duration
	// second is nil without a loop.
	second *second
	utterance
}

func (r *recogniser) free() {
	if r.second != nil {
		r.second.close()
	}
	if r.loop != nil {
		r.loop.close()
	}
	if r.main != nil {
		r.main.free()
	}
}

func (r *recogniser) answer(_ context.Context, kind byte, payload []byte) ([]byte, error) {
	if kind == kindLoad {
		return nil, r.load(payload)
	}
	if r.main == nil {
		return nil, errors.New("no speech model has been loaded")
	}
	switch kind {
	case kindGrammar:
		return nil, r.grammar(payload)
	case kindPhrases:
		return nil, r.phrases(payload)
	case kindStart:
		return nil, r.start(string(payload))
	case kindPush:
		return r.push(audio.PCM(payload))
	case kindFinish:
		return r.finish(time.Now().Add(within(payload)))
	case kindScore:
		return r.score(payload)
	case kindForesee:
		return nil, r.foresee(payload)
	case kindReopen:
		return nil, r.reopen(string(payload))
	case kindSpot:
		return r.spot(audio.PCM(payload))
	}
	return nil, fmt.Errorf("request %d is unknown", kind)
}

func (r *recogniser) load(payload []byte) error {
	var q loadRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if r.main != nil {
		return errors.New("a speech model is loaded already")
	}
	main, err := newDecoder(q.Acoustic, wide...)
	if err != nil {
		return err
	}
	if q.Loop {
		if r.loop, err = newLoop(q.Acoustic); err != nil {
			main.free()
			return err
		}
		if r.second, err = newSecond(q.Acoustic); err != nil {
			main.free()
			r.loop.close()
			r.loop = nil
			return err
		}
		r.second.reset()
	}
	r.main, r.retry, r.patience = main, q.Retry, q.Patience
	return nil
}

func (r *recogniser) grammar(payload []byte) error {
	var q grammarRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	return r.grammars(func(d *decoder) error {
		if err := d.addWords(q.Words); err != nil {
			return err
		}
		return d.useGrammar(q.JSGF)
	})
}

func (r *recogniser) phrases(payload []byte) error {
	var q phrasesRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if len(q.Phrases) == 0 {
		return errors.New("no wake phrases were given")
	}
	if err := r.main.addWords(q.Words); err != nil {
		return err
	}
	if err := r.main.usePhrases(q.Phrases); err != nil {
		return err
	}
	return r.main.start()
}

func (r *recogniser) spot(samples []int16) ([]byte, error) {
	if err := r.main.feed(samples); err != nil {
		return nil, err
	}
	h, ok, err := r.main.spot()
	if err != nil || !ok {
		return nil, err
	}
	return json.Marshal(h)
}
