package ear_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// Loudness in a scene, in dBFS.
const (
	roomLevel  = -62.0
	voiceLevel = -24.0
	lowLevel   = -31.0 // a voice a little above our own echo
	farLevel   = -44.0 // somebody on television
	loudLevel  = -50.0 // above is speech to the stand-in engines
)

// scene is a room with a microphone and a speaker, in virtual time. What the
// speaker plays comes back through the microphone, later and quieter. What
// happens is written down with its time.
type scene struct {
	t      *testing.T
	frames chan audio.Frame
	stt    *fake.Script
	wake   *fake.WakeDetector
	end    *simpleEnd
	loop   *ear.Loop
	world  *fake.World
	cfg    ear.Config

	hit       speech.Detection         // of the next frame
	lost      int                      // samples that are missing before the next frame
	deaf      error                    // what is wrong with the wake word engine
	unplugged atomic.Bool              // there is no speaker
	dumb      error                    // what is wrong with the voice
	fill      func(line string) string // fills in what is known only when a line is acted; may be nil
	begun     int                      // utterances when the last words were said
	words     int                      // loud frames of the utterance so far
	noise     uint32

	mu       sync.Mutex
	told     func(ids []string) // which alerts are over; nil: only noted
	start    time.Time
	log      []string
	voices   []string // what clips of a voice say, by their length
	sounding []*sounding
	clips    []audio.Clip // that were kept
	shown    []string     // partial texts
	records  []record.Record
}

// sounding is a clip on its way through the room.
type sounding struct {
	samples []int16
	from    time.Time
	until   time.Time // it was cut then
}

// The way from the speaker to the microphone.
const (
	echoDelay = 60 * time.Millisecond
	echoGain  = 0.5 // -6 dB
)

// simpleEnd ends a sentence after 100 ms of quiet, one that may grow after 360 ms,
// half of one after 800 ms.
type simpleEnd struct {
	mu    sync.Mutex
	at    time.Duration
	first time.Time
	last  time.Time
	took  []audio.Frame
}

func (e *simpleEnd) Observe(audio.Frame) {}

func (e *simpleEnd) Reset(speech.Detection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at, e.first, e.last = 0, time.Time{}, time.Time{}
}

func (e *simpleEnd) Admit(f audio.Frame) []audio.Frame { return []audio.Frame{f} }

func (e *simpleEnd) Push(f audio.Frame, p speech.Partial, c speech.Completeness) speech.Endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.took = append(e.took, f)
	e.at += audio.FrameLength
	if audio.Level(f.Samples) > loudLevel {
		if e.first.IsZero() {
			e.first = f.At.Add(-audio.FrameLength)
		}
		e.last = f.At
	}
	quiet := f.At.Sub(e.last)
	reason := ""
	switch {
	case e.first.IsZero() && e.at >= 5*time.Second:
		reason = "no_speech"
	case e.first.IsZero():
	case c >= speech.Closed && p.Stable >= 3 && quiet >= 100*time.Millisecond:
		reason = "sentence"
	case c == speech.Growable && p.Stable >= 3 && quiet >= 360*time.Millisecond:
		reason = "sentence_may_grow"
	case quiet >= 800*time.Millisecond:
		reason = "silence"
	}
	return speech.Endpoint{Done: reason != "", Reason: reason, SpeechStart: e.first, SpeechEnd: e.last}
}

// asker is a mind that asks about half a sentence.
type asker struct{ *mind.Mind }

// Answer asks about half a sentence, and answers a whole one.
func (a asker) Answer(ctx context.Context, t record.Turn) {
	if !t.Unfinished {
		a.Mind.Answer(ctx, t)
		return
	}
	t.Record.Route, t.Record.Outcome, t.Record.Reply = record.RouteLocal, record.Asked, "What was it?"
	t.Say(t.Record.Reply)
}

// Extend answers the whole of half a sentence.
func (a asker) Extend(ctx context.Context, t record.Turn, whole speech.Transcript) {
	if !t.Unfinished {
		a.Mind.Extend(ctx, t, whole)
		return
	}
	t.Unsay()
	t.Text, t.Unfinished = whole.Text, whole.Unfinished
	t.Record.Route, t.Record.Outcome, t.Record.Reply = record.RouteNone, "", ""
	a.Answer(ctx, t)
}

func newScene(t *testing.T, cfg ear.Config) *scene {
	t.Helper()
	return newSceneWith(t, cfg, 5)
}

// newSceneWith asks about more devices than a limit.
func newSceneWith(t *testing.T, cfg ear.Config, limit int) *scene {
	t.Helper()
	return newSceneIn(t, cfg, fake.Cottage(), guard.Limits{FanOutLimit: limit})
}

// newSceneIn is a scene in a house.
func newSceneIn(t *testing.T, cfg ear.Config, house *home.House, limits guard.Limits) *scene {
	t.Helper()
	s := &scene{t: t, frames: make(chan audio.Frame), world: fake.NewWorldOf(house), end: &simpleEnd{}, start: time.Now(), cfg: cfg, noise: 1}
	s.stt = &fake.Script{Loud: func(f audio.Frame) bool { return audio.Level(f.Samples) > loudLevel }}
	s.wake = &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
		d := s.hit
		s.hit = speech.Detection{}
		d.At = f.At
		return d, d.Word != "" && (!d.Stop || s.wake.Stops), s.deaf
	}}
	matcher, err := intent.New(intent.English(), house)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	answerer, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: house, JudgeFunc: func(text string) speech.Completeness {
		switch d := matcher.Match(text, "Kitchen"); {
		case d.Route != intent.Local && d.Route != intent.Ask:
			return speech.Incomplete
		case strings.HasSuffix(text, " lamp"): // a room may follow
			return speech.Growable
		}
		return speech.Closed
	}}, &fake.Caller{CallFunc: s.call}, &fake.Assistant{}, fake.English(), limits, mind.Recovery{}, log)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Area, cfg.Source, cfg.Live = "Kitchen", record.FromMic, true
	s.loop, err = ear.NewLoop(cfg, ear.Parts{
		Mic: s, Wake: s.wake, Stt: s.stt, End: s.end, Mind: asker{answerer}, Voice: s, Speaker: s, Observer: s, Keep: s, Log: log,
		Acknowledged: s.acknowledged,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play runs the loop while the lines of a scene are acted out.
func (s *scene) play(lines ...string) {
	s.t.Helper()
	s.begin(func() {
		for _, l := range lines {
			if s.fill != nil {
				l = s.fill(l)
			}
			s.act(l)
		}
	})
}

// begin runs the loop while a scene is acted out.
func (s *scene) begin(acted func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.loop.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	acted()
	cancel()
	running.Wait()
}

// mend breaks the voice with an error, or mends it without one.
func (s *scene) mend(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dumb = err
}

func (s *scene) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%6d ", time.Since(s.start).Milliseconds())+fmt.Sprintf(format, args...))
}

// events returns the notes in a fixed order: events that happen at the same time on
// both sides of a channel have no order of their own.
func (s *scene) events() []string {
	order := []string{"refused:", "state", "cut", "turn", "call", "acknowledged", "over", "sound", "plays"}
	rank := func(note string) int {
		words := strings.Fields(note)
		if words[1] == "plays" && words[2] == "sound" {
			return slices.Index(order, "sound")
		}
		return slices.Index(order, words[1])
	}
	slices.SortStableFunc(s.log, func(a, b string) int {
		sameCall := cmp.Compare(a, b)
		if rank(a) != slices.Index(order, "call") {
			sameCall = 0
		}
		return cmp.Or(cmp.Compare(a[:6], b[:6]), cmp.Compare(rank(a), rank(b)), sameCall)
	})
	return s.log
}

// act acts one line out: "wake", "stopword", "say WORDS", "begin WORDS" of a sentence
// that is not finished, "early WORDS" and "early-murmur WORDS" before the recogniser is
// open for them, "murmur WORDS", "television WORDS", "cough", "mumble" for speech that
// cannot be understood, "quiet 2s", "gap 2s" of a microphone without frames, "lost 2s" of
// sound that the card has lost, "deaf" for a
// wake word engine and "dumb" for a voice in trouble, "unplug" and "plug" for the speaker, or what a button does: listen,
// stop, mute, unmute, speak WORDS; down, held and up of one that is held.
//
// "ring ID EVERY MOST TEXT" rings an alert and "alarm ID EVERY TEXT" an urgent one, "hush
// ID" ends it.
func (s *scene) act(line string) {
	s.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	var err error
	switch verb {
	case "wake":
		s.sound(24, voiceLevel)
		s.hit = speech.Detection{Word: "hey jarvis", Score: 0.9, Engine: "fake"}
		s.sound(1, voiceLevel)
		s.hit = speech.Detection{} // a muted microphone has not heard it
	case "stopword":
		s.hit = speech.Detection{Word: "stop", Engine: "fake", Stop: true}
		s.sound(1, voiceLevel)
	case "say":
		s.speak(rest, false, voiceLevel)
	case "begin":
		s.speak(rest, true, voiceLevel)
	case "early":
		s.speakEarly(rest, voiceLevel)
	case "early-murmur":
		s.speakEarly(rest, lowLevel)
	case "murmur":
		s.speak(rest, false, lowLevel)
	case "cough":
		s.sound(10, voiceLevel)
	case "mumble":
		s.stt.Lines = nil
		s.sound(40, voiceLevel)
	case "dumb":
		s.mend(errors.New("it is gone"))
	case "unplug":
		s.unplugged.Store(true)
	case "plug":
		s.unplugged.Store(false)
	case "deaf":
		s.deaf = errors.New("it is gone")
	case "gap", "lost":
		d, bad := time.ParseDuration(rest)
		if bad != nil {
			s.t.Fatal(bad)
		}
		<-time.After(d)
		if verb == "lost" {
			s.lost = int(d * time.Duration(audio.SpeechRate) / time.Second)
		}
	case "television":
		s.speak(rest, false, farLevel)
	case "quiet":
		d, bad := time.ParseDuration(rest)
		if bad != nil {
			s.t.Fatal(bad)
		}
		s.sound(int(d/audio.FrameLength), roomLevel)
	case "listen":
		err = s.loop.Listen(s.t.Context())
	case "down", "held", "up":
		err = s.loop.Hold(s.t.Context(), ear.Button(verb))
	case "stop":
		err = s.loop.Stop(s.t.Context())
	case "mute":
		err = s.loop.Mute(s.t.Context(), true)
	case "unmute":
		err = s.loop.Mute(s.t.Context(), false)
	case "ring", "alarm":
		err = s.loop.Ring(s.t.Context(), alertOf(s.t, verb, rest))
	case "hush":
		err = s.loop.Quiet(s.t.Context(), strings.Fields(rest)...)
	case "speak":
		err = s.loop.Say(s.t.Context(), rest)
	default:
		s.t.Fatalf("nobody knows how to act %q out", line)
	}
	if err != nil {
		s.note("refused: %v", err)
	}
	synctest.Wait()
}

// speak says words, a fifth of a second each. The recogniser understands them
// with the last of their frames, after what it has heard of the utterance.
func (s *scene) speak(words string, unfinished bool, level float64) {
	if _, begun := s.stt.Open(); begun != s.begun {
		s.begun, s.words, s.stt.Lines = begun, 0, nil
	}
	n := 10 * len(strings.Fields(words))
	before := ""
	if len(s.stt.Lines) > 0 {
		before = s.stt.Lines[len(s.stt.Lines)-1].Text + " "
	}
	s.words += n
	s.stt.Lines = append(s.stt.Lines, fake.Line{After: s.words - 5, Text: before + words, Unfinished: unfinished})
	s.sound(n, level)
}

// speakEarly says words that begin before the recogniser is open for them, which
// understands them if it gets three quarters of their sound.
func (s *scene) speakEarly(words string, level float64) {
	_, begun := s.stt.Open()
	n := 10 * len(strings.Fields(words))
	s.begun, s.words, s.stt.Lines = begun+1, n, []fake.Line{{After: 3 * n / 4, Text: words}}
	s.sound(n, level)
}

// sound lets time go by, with noise of a level in front of the microphone.
func (s *scene) sound(frames int, level float64) {
	for range frames {
		<-time.After(audio.FrameLength)
		s.frames <- audio.Frame{At: time.Now(), Samples: s.hear(level), Lost: s.lost}
		s.lost = 0
		synctest.Wait()
	}
}

func (s *scene) hear(level float64) []int16 {
	samples := make([]int16, audio.FrameSamples)
	most := int32(32768 * math.Pow(10, level/20) * math.Sqrt(3))
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := time.Now().Add(-audio.FrameLength - echoDelay)
	for i := range samples {
		s.noise = s.noise*1664525 + 1013904223
		v := float64(int32(s.noise>>16)%(2*most+1) - most)
		at := begin.Add(time.Duration(i) * time.Second / time.Duration(audio.SpeechRate))
		for _, c := range s.sounding {
			if n := int(at.Sub(c.from) * time.Duration(audio.SpeechRate) / time.Second); n >= 0 && n < len(c.samples) && (c.until.IsZero() || at.Before(c.until)) {
				v += echoGain * float64(c.samples[n])
			}
		}
		samples[i] = int16(v)
	}
	return samples
}

// Read makes the scene a microphone.
func (s *scene) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case f, ok := <-s.frames:
		if !ok {
			return f, io.EOF
		}
		return f, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

// Synthesize turns a sentence into a second of noise; the sentence's number is added to
// the length, so that it can be recognised.
func (s *scene) Synthesize(_ context.Context, sentence string) (audio.Clip, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.voices = append(s.voices, sentence)
	if s.dumb != nil {
		return audio.Clip{}, s.dumb
	}
	c := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 16000+len(s.voices))}
	for i := range c.Samples {
		s.noise = s.noise*1664525 + 1013904223
		c.Samples[i] = int16(s.noise>>16) / 16
	}
	return c, nil
}

// Play makes the scene a speaker.
func (s *scene) Play(ctx context.Context, c audio.Clip) error {
	if s.unplugged.Load() {
		return errors.New("there is no speaker")
	}
	what := "sound"
	if n := len(c.Samples) - 16000; n > 0 && n < 1000 {
		s.mu.Lock()
		what = fmt.Sprintf("%q", s.voices[n-1])
		s.mu.Unlock()
	}
	for _, e := range []earcon.Sound{earcon.Wake, earcon.FollowUp, earcon.Done, earcon.Refused, earcon.Error, earcon.Muted, earcon.Unmuted, earcon.Ring, earcon.Alarm} {
		if slices.Equal(c.Samples, s.cfg.Earcons.Clip(e).Samples) {
			what = "sound " + string(e)
		}
	}
	s.note("plays %s", what)
	out := &sounding{samples: c.Samples, from: time.Now()}
	s.mu.Lock()
	s.sounding = append(s.sounding, out)
	s.mu.Unlock()
	select {
	case <-time.After(c.Duration()):
		return nil
	case <-ctx.Done():
		s.note("cut %s", what)
		s.mu.Lock()
		out.until = time.Now()
		s.mu.Unlock()
		return ctx.Err()
	}
}

func (s *scene) call(ctx context.Context, c tools.Call) (tools.Result, error) {
	s.note("call %s/%s %s", c.Server, c.Tool, c.Args)
	if c.Server == "" {
		select { // a slow tool
		case <-time.After(2 * time.Second):
			return tools.Result{Text: "It's noon."}, nil
		case <-ctx.Done():
			return tools.Result{}, ctx.Err()
		}
	}
	if ctx.Err() != nil {
		return tools.Result{}, errors.New("too late")
	}
	<-time.After(100 * time.Millisecond)
	return s.world.Call(ctx, c)
}

// StateChanged makes the scene an observer.
func (s *scene) StateChanged(to ear.State) { s.note("state %s", to) }

// acknowledged notes which alerts are over.
func (s *scene) acknowledged(ids []string, over bool) {
	if over {
		s.note("over %v", ids)
	} else {
		s.note("acknowledged %v", ids)
	}
	if s.told != nil {
		s.told(ids)
	}
}

// alertOf reads an alert.
func alertOf(t *testing.T, verb, line string) ear.Alert {
	t.Helper()
	words := strings.SplitN(line, " ", 4)
	a := ear.Alert{ID: words[0], Sound: earcon.Ring}
	var err error
	if a.Every, err = time.ParseDuration(words[1]); err != nil {
		t.Fatal(err)
	}
	if verb == "alarm" {
		a.Sound, a.Urgent = earcon.Alarm, true
		a.Text = strings.Join(words[2:], " ")
		return a
	}
	if a.Most, err = time.ParseDuration(words[2]); err != nil {
		t.Fatal(err)
	}
	a.Text = strings.Join(words[3:], " ")
	return a
}

// Hearing keeps what is shown of the words.
func (s *scene) Hearing(h ear.Hearing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, h.Partial.Text)
}

// Replied does nothing.
func (s *scene) Replied(string, string) {}

// TurnEnded notes what a turn was.
func (s *scene) TurnEnded(r record.Record) {
	text, name, wake := "", "-", "unasked"
	if r.Transcript != nil {
		text = r.Transcript.Text
	}
	if r.Intent != nil {
		name = r.Intent.Name
	}
	for _, more := range r.Intents[min(1, len(r.Intents)):] {
		name += "+" + more.Name
	}
	if r.Wake != nil {
		wake = "woken"
	}
	s.mu.Lock()
	s.records = append(s.records, r)
	s.mu.Unlock()
	s.note("turn %s %q %s %s, %d calls, reply %q%s", wake, text, name, r.Outcome, len(r.Calls), r.Reply, strings.TrimRight(" "+r.Error, " "))
}

// Keep keeps the sound.
func (s *scene) Keep(_ record.Record, c audio.Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clips = append(s.clips, c)
}

// TestScenes plays scenes in which a microphone hears people, other sounds of the
// house and our own sound, and compares what happens and when.
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cfg, scene, want, limit := ear.Config{Earcons: earcon.Soft}, "", -1, 5
			for i, f := range archive.Files {
				switch f.Name {
				case "earcons":
					cfg.Earcons = earcon.Set(strings.TrimSpace(string(f.Data)))
				case "limit":
					if limit, err = strconv.Atoi(strings.TrimSpace(string(f.Data))); err != nil {
						t.Fatal(err)
					}
				case "scene":
					scene = strings.TrimSpace(string(f.Data))
				case "happens":
					want = i
				}
			}
			got := ""
			synctest.Test(t, func(t *testing.T) {
				s := newSceneWith(t, cfg, limit)
				s.play(strings.Split(scene, "\n")...)
				if open, _ := s.stt.Open(); open {
					t.Error("the recogniser's utterance is open for ever")
				}
				got = lines(s.events())
				tellOracle(t, "scenes/"+filepath.Base(file), strings.Split(got, "\n"), s.records)
			})
			switch {
			case want < 0:
				t.Fatal("nothing is said of what happens")
			case got == string(archive.Files[want].Data):
			case *update:
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("what happens:\n%sexpected:\n%s", got, archive.Files[want].Data)
			}
		})
	}
}
