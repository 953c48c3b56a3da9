package stt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/language/speech"
)

// SlowReading is how long the neural recogniser may take to read a short command. It begins
// when the speaker pauses; one that takes longer keeps a family waiting longer than a
// recogniser that waits for 0.7 s of silence.
const SlowReading = 600 * time.Millisecond

// roomToRead is the free memory that a measurement needs, in bytes: its worker loads the
// network once more, which takes up to 213 MB for a moment.
const roomToRead = 300 << 20

// ErrNoRoom means that there is too little free memory for a measurement.
var ErrNoRoom = errors.New("too little memory is free to measure how fast it reads")

// readings is how many readings are measured; the one before them is slower, because memory
// is used for the first time.
const readings = 5

// ReadingTime measures how long the neural recogniser takes to read a sound at
// audio.SpeechRate along the sentences of an automaton, on this machine as it is now: the
// median of several readings, to ten milliseconds. It starts a worker of its own, and fails with ErrNoRoom where that
// would take the memory that others need.
func ReadingTime(ctx context.Context, cfg Config, sentences speech.Automaton, sound []int16) (median time.Duration, err error) {
	if free, err := freeMemory("/proc/meminfo"); err == nil && free < roomToRead {
		return 0, ErrNoRoom
	}
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
	return took[len(took)/2].Round(10 * time.Millisecond), nil
}

// freeMemory reads from the kernel's list how many bytes programs may still take.
func freeMemory(meminfo string) (int64, error) {
	text, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); n == 1 {
			return kB << 10, nil
		}
	}
	return 0, fmt.Errorf("%s does not say how much is available", meminfo)
}
