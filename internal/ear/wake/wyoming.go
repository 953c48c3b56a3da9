package wake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wyoming"
	"voicegateway/internal/ground/reconnect"
	"voicegateway/internal/language/speech"
)

// How a service is kept. A lost one is tried again after 1, 2, 4 … seconds.
const (
	connectTime  = 3 * time.Second
	describeTime = 3 * time.Second // services answer at once; a silent peer is not a service
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// A service that has taken no sound for writeTime has stopped. writeBuffer
	// bounds what the system keeps for it; otherwise minutes of sound could pile up
	// before that shows.
	writeTime   = 3 * time.Second
	writeBuffer = 32 << 10 // bytes, a second of sound
	// queued is how many frames may wait to be sent: a second. A wake word that is
	// heard later than that comes too late.
	queued = 50
	// believable is how far a timestamp may be behind or ahead of the newest sound.
	believable = 5 * time.Second
)

// distant lets a Wyoming service listen. It gets all sound as it comes and tells
// of wake words when it hears them.
type distant struct {
	cfg    Config
	frames chan audio.Frame

	mu         sync.Mutex
	detections []speech.Detection
	trouble    error // nil while the service listens
	dropped    int   // frames of this connection that found the queue full

	// last is the end of the newest frame, resumed the beginning of the first frame after a
	// pause: while a command is spoken, the engine gets no frames.
	last, resumed time.Time
}

func newWyoming(cfg Config) (Engine, error) {
	if err := wyoming.Check(cfg.Wyoming.URI); err != nil {
		return nil, fmt.Errorf("wake.wyoming.uri: %w", err)
	}
	cfg.Words = slices.DeleteFunc(slices.Clone(cfg.Words), func(w string) bool { return plainPhrase(w) == "" })
	if len(cfg.Words) == 0 {
		return nil, errNoWords
	}
	return &distant{cfg: cfg, frames: make(chan audio.Frame, queued), trouble: errors.New("the wake word service is being connected")}, nil
}

// Run keeps the service connected.
func (d *distant) Run(ctx context.Context) error {
	loop := reconnect.Loop{
		Pauses: reconnect.Pauses{First: firstPause, Longest: longestPause},
		Ended: func(err error, pause time.Duration) {
			d.condition(err)
			d.cfg.Log.Warn("wake word service lost", "err", err, "retry_in", pause)
		},
	}
	loop.Run(ctx, d.serve)
	return nil
}

func (d *distant) condition(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = err
}

// serve handles one connection, from its beginning to its loss. useful is true if
// the service heard something or listened for longer than longestPause: a service
// that takes every connection and ends it at once must not be asked every second.
func (d *distant) serve(ctx context.Context) (useful bool, err error) {
	limited, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := wyoming.Dial(limited, d.cfg.Wyoming.URI)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	conn.Buffer(writeBuffer)
	names, err := d.introduce(ctx, conn)
	if err != nil {
		return false, err
	}
	d.empty()
	ctx, stop := context.WithCancel(ctx)
	clock := &streamClock{}
	var sender sync.WaitGroup
	var sending error
	sender.Go(func() {
		defer stop() // without sound there is nothing to hear
		sending = d.send(ctx, conn, names, clock)
	})
	d.condition(nil)
	d.cfg.Log.Info("wake word service listens")
	began := time.Now()
	detected, err := d.listen(ctx, conn, names, clock)
	useful = detected || time.Since(began) > longestPause
	stop()
	sender.Wait()
	if sending != nil && !errors.Is(sending, context.Canceled) {
		err = sending
	}
	return useful, err
}

// introduce asks the service for its names of our words. They are found by
// phrase, by name, or by a name with a version behind it, such as
// hey_jarvis_v0.1.
func (d *distant) introduce(ctx context.Context, conn *wyoming.Conn) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	info, err := conn.Describe(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkService(info); err != nil {
		return nil, err
	}
	names := map[string]string{} // the service's name to our word
	var offered []string
	for _, program := range info.Wake {
		for _, m := range program.Models {
			offered = append(offered, m.Name)
			for _, w := range d.cfg.Words {
				if plainPhrase(m.Phrase) == plainPhrase(w) || plainPhrase(version.ReplaceAllString(m.Name, "")) == plainPhrase(w) {
					names[m.Name] = w
				}
			}
		}
	}
	if len(offered) == 0 { // it does not tell; the usual form of a name may do
		for _, w := range d.cfg.Words {
			names[strings.ReplaceAll(plainPhrase(w), " ", "_")] = w
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the wake word service knows none of %q; it has %s", d.cfg.Words, strings.Join(offered[:min(len(offered), 20)], ", "))
	}
	return names, nil
}

// checkService returns an error if a service offers something, but no wake words, and says
// what it offers. A service that describes nothing may be of the right kind.
func checkService(info wyoming.Info) error {
	var kind string
	switch {
	case len(info.Wake) > 0:
		return nil
	case len(info.ASR) > 0:
		kind = "a speech recogniser"
	case len(info.TTS) > 0:
		kind = "a voice"
	default:
		return nil
	}
	return fmt.Errorf("wake.wyoming.uri is the address of %s, which hears no wake words; give that of a wake word service, such as tcp://127.0.0.1:10400", kind)
}

var version = regexp.MustCompile(`[_-]?v[0-9][0-9._-]*$`)

// empty drops queued sound from before the connection.
func (d *distant) empty() {
	d.mu.Lock()
	d.dropped = 0
	d.mu.Unlock()
	for {
		select {
		case <-d.frames:
		default:
			return
		}
	}
}

// streamClock tells the time of a sample by its place in the stream.
type streamClock struct {
	mu     sync.Mutex
	newest time.Time // end of the last frame that was sent
	sent   int64     // samples
}

// milliseconds of the stream.
func (c *streamClock) sentTime() int64 { return c.sent * 1000 / int64(audio.SpeechRate) }

func (c *streamClock) push(f audio.Frame) (start int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	start = c.sentTime()
	c.sent += int64(len(f.Samples))
	c.newest = f.At
	return start
}

// at returns when the sample at a service's timestamp was heard, or the time of
// the newest sound if there is no timestamp that can be believed.
func (c *streamClock) at(timestamp *int64) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if timestamp == nil {
		return c.newest
	}
	ago := time.Duration(c.sentTime()-*timestamp) * time.Millisecond
	if *timestamp < 0 || ago < 0 || ago > believable {
		return c.newest
	}
	return c.newest.Add(-ago)
}

// send passes the sound on.
func (d *distant) send(ctx context.Context, conn *wyoming.Conn, names map[string]string, clock *streamClock) error {
	wanted := slices.Sorted(maps.Keys(names))
	for _, e := range []wyoming.Event{wyoming.Detect(wanted), wyoming.Start(0)} {
		if err := pass(ctx, conn, e); err != nil {
			return err
		}
	}
	for {
		select {
		case f := <-d.frames:
			if err := pass(ctx, conn, wyoming.Chunk(f.Samples, clock.push(f))); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errFrozen = fmt.Errorf("the wake word service takes no sound for %s; it may have to be restarted", writeTime)

// pass sends one event, or finds out that the service has stopped.
func pass(ctx context.Context, conn *wyoming.Conn, e wyoming.Event) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	err := conn.Write(ctx, e)
	if errors.Is(err, context.DeadlineExceeded) {
		return errFrozen
	}
	return err
}

// listen reads detections until the connection is lost, and reports whether there
// was one.
func (d *distant) listen(ctx context.Context, conn *wyoming.Conn, names map[string]string, clock *streamClock) (detected bool, err error) {
	for {
		e, err := conn.Await(ctx, wyoming.TypeDetection)
		if err != nil {
			return detected, err
		}
		var told wyoming.Detection
		if err := e.Decode(&told); err != nil {
			return detected, err
		}
		word, ok := names[told.Name]
		if told.Name == "" {
			word, ok = d.cfg.Words[0], true // a service with one word need not say which
		}
		if !ok {
			continue // it is not one of our words
		}
		detected = true
		d.mu.Lock()
		// One is enough to wake, and a flood of them must not grow.
		d.detections = append(d.detections[:min(len(d.detections), queued)], speech.Detection{Word: word, Score: 1, Engine: "wyoming", At: clock.at(told.Timestamp)})
		d.mu.Unlock()
	}
}

// Detect queues the frame and returns a detection that came in the meantime. It
// never waits: sound that finds the queue full is lost. Each connection logs that
// once, when a second of sound has been lost.
func (d *distant) Detect(_ context.Context, f audio.Frame) (speech.Detection, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last.IsZero() || f.At.Sub(d.last) > gap {
		d.resumed = f.At.Add(-audio.FrameLength)
	}
	d.last = f.At
	select {
	case d.frames <- f:
	default:
		d.dropped++
		if d.trouble == nil && d.dropped == queued {
			d.cfg.Log.Warn("the wake word service does not take the sound fast enough", "lost_frames", d.dropped)
		}
	}
	for len(d.detections) > 0 {
		hit := d.detections[0]
		d.detections = d.detections[1:]
		// A late detection belongs to sound from before the pause.
		if hit.At.After(d.resumed) && f.At.Sub(hit.At) < believable {
			return hit, true, nil
		}
	}
	return speech.Detection{}, false, d.trouble
}
