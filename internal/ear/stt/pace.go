package stt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/language/speech"
)

// readings is how many readings are measured; the one before them is slower, because memory
// is used for the first time.
const readings = 5

// ReadingTime measures how long the neural recogniser takes to read a sound at
// audio.SpeechRate along the sentences of an automaton, on this machine as it is now: the
// median of several readings. It starts a worker of its own, which takes up to 150 MB for a
// moment.
func ReadingTime(ctx context.Context, cfg Config, sentences speech.Automaton, sound []int16) (median time.Duration, err error) {
	network, err := newNetwork(cfg)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var died error
	running.Go(func() { died = network.Run(ctx) })
	defer func() {
		cancel()
		running.Wait()
		if err != nil {
			err = fmt.Errorf("measuring how fast the neural recogniser reads: %w", errors.Join(err, died))
		}
	}()
	if err := network.SetGrammar(ctx, sentences); err != nil {
		return 0, err
	}
	var took []time.Duration
	for range 1 + readings {
		began := time.Now()
		if _, err := network.Decode(ctx, sound); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	took = took[1:]
	slices.Sort(took)
	return took[len(took)/2], nil
}
