package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/stt"
)

// labelled is a recording and what is said in it, a line of manifest.jsonl.
type labelled struct {
	File  string `json:"file"`
	Text  string `json:"text"` // the words, or the command after the wake word
	Voice string `json:"voice"`
	Noise any    `json:"snr"`  // in dB, "clean" or "as-recorded"
	Wake  string `json:"wake"` // the wake word in it, as its model is called
	Kind  string `json:"kind"` // command, oog (other speech), wake, wake-negative, wake+command
	clip  audio.Clip
}

// commanded says whether the recording is a command alone.
func (l labelled) commanded() bool { return l.Kind == "command" }

// other says whether the recording holds nothing to be done.
func (l labelled) other() bool {
	return l.Kind == "oog" || l.Kind == "wake" || l.Kind == "wake-negative"
}

// outcome is what one recording came to.
type outcome struct {
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Voice   string `json:"voice"`
	Noise   string `json:"snr"`
	Denoise string `json:"denoise"`
	Said    string `json:"said"`
	speech.Transcript
	Ended  string `json:"ended"` // the endpointer's reason
	Exact  bool   `json:"exact"`
	Intent bool   `json:"intent"` // the same would be done
	Wrong  bool   `json:"wrong"`  // a device that was not meant would act
	among
}

// among is what a mix with other speech adds.
type among struct {
	Placed string `json:"placed,omitempty"`
	Gate   bool   `json:"gate,omitempty"`
	Late   int64  `json:"late_ms,omitempty"` // from the command's end to the turn's
}

// accuracy measures the recogniser on labelled recordings: what the gateway
// would do with each, as a turn by push-to-talk.
type accuracy struct {
	clips   []labelled
	matcher *intent.Matcher
	grammar *grammar.Grammar
	engine  stt.Engine
	denoise string
	config  gateway.Config
	err     io.Writer // for progress
}

// job is one recording to be heard.
type job func(ctx context.Context) (outcome, error)

// readLabelled reads DIR/manifest.jsonl and the recordings it names.
func readLabelled(dir string) ([]labelled, error) {
	f, err := os.Open(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("reading the list of recordings: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	var all []labelled
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("reading %s, line %d: %w", f.Name(), len(all)+1, err)
		}
		if !filepath.IsLocal(l.File) {
			return nil, fmt.Errorf("%s, line %d: %q is no file beside it", f.Name(), len(all)+1, l.File)
		}
		if l.clip, err = file.Load(filepath.Join(dir, l.File)); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no recordings", f.Name())
	}
	return all, nil
}

// hearTable prints how well the recordings of a directory are heard.
func (a *app) hearTable(ctx context.Context, h hearing) error {
	l, err := a.load()
	if err != nil {
		return err
	}
	clips, err := readLabelled(h.table)
	if err != nil {
		return err
	}
	house, err := readHouse(cmp.Or(h.home, filepath.Join(h.table, "home.json")))
	if err != nil {
		return err
	}
	m := accuracy{clips: clips, config: l.Config, err: a.Err}
	if err := m.prepare(house); err != nil {
		return err
	}
	var all []outcome
	for _, m.denoise = range []string{"on", "off"} {
		if l.STT.Denoise != "auto" && l.STT.Denoise != m.denoise {
			continue
		}
		cfg := stt.Default()
		cfg.Command, cfg.ModelDir, cfg.Wakes = []string{a.Executable, "worker", "stt"}, l.STT.ModelDir, gateway.WakePhrases(l.Wake.Words)
		cfg.Pronunciations, cfg.Denoise, cfg.Log = l.STT.Pronunciations, m.denoise, a.logger(slog.LevelError)
		jobs := m.recordings()
		if m.denoise == "on" {
			jobs = append(jobs, m.mixes()...)
		}
		out, err := m.run(ctx, cfg, jobs)
		if err != nil {
			return err
		}
		all = append(all, out...)
	}
	if h.asJSON {
		for _, o := range all {
			if err := json.NewEncoder(a.Out).Encode(o); err != nil {
				return fmt.Errorf("printing the outcomes: %w", err)
			}
		}
		return nil
	}
	wakes, err := a.hearWakes(ctx, l, clips)
	if err != nil {
		return err
	}
	a.tellAccuracy(all, wakes)
	return nil
}

// prepare makes what understands the house.
func (m *accuracy) prepare(house *home.House) error {
	pack := intent.English()
	var err error
	if m.matcher, err = intent.New(pack, house); err != nil {
		return fmt.Errorf("preparing the sentences for the house: %w", err)
	}
	if m.grammar, err = grammar.New(pack, house); err != nil {
		return fmt.Errorf("preparing the grammar for the house: %w", err)
	}
	return nil
}

// run hears every recording with a recogniser of its own process.
func (m *accuracy) run(ctx context.Context, cfg stt.Config, jobs []job) (all []outcome, err error) {
	if m.engine, err = stt.New(cfg); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var died error
	running.Go(func() { died = m.engine.Run(ctx) })
	defer func() {
		cancel()
		running.Wait()
		err = errors.Join(err, died)
	}()
	if err := m.teach(ctx); err != nil {
		return nil, err
	}
	shown := console.Progress{To: m.err, What: "recordings heard, denoiser " + cfg.Denoise, Of: len(jobs)}
	for n, hear := range jobs {
		o, err := again(ctx, hear)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		shown.Tell(n + 1)
	}
	return all, nil
}

// recordings are the commands and what is none.
func (m *accuracy) recordings() (jobs []job) {
	for _, l := range m.clips {
		if l.commanded() || l.other() {
			jobs = append(jobs, func(ctx context.Context) (outcome, error) { return m.hear(ctx, l) })
		}
	}
	return jobs
}

// tries is how often a recording is heard. On a busy machine a worker may be given
// up, which says nothing of how well it hears.
const tries = 10

func again(ctx context.Context, hear job) (o outcome, err error) {
	for range tries {
		if o, err = hear(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return o, err
}

// teach gives the recogniser the grammar, without what it cannot pronounce.
func (m *accuracy) teach(ctx context.Context) error {
	missing, err := m.engine.SetGrammar(ctx, stt.Grammar{JSGF: m.grammar.JSGF(), Words: m.grammar.Words()})
	if err != nil || len(missing) == 0 {
		return err
	}
	m.grammar, _ = m.grammar.Without(missing)
	_, err = m.engine.SetGrammar(ctx, stt.Grammar{JSGF: m.grammar.JSGF(), Words: m.grammar.Words()})
	return err
}

// hear plays one recording to the recogniser until its turn would end.
func (m *accuracy) hear(ctx context.Context, l labelled) (outcome, error) {
	o := outcome{File: l.File, Kind: l.Kind, Voice: l.Voice, Noise: fmt.Sprint(l.Noise), Denoise: m.denoise, Said: l.Text}
	play := file.Default()
	play.Clips, play.Start = []audio.Clip{l.clip}, time.Unix(0, 0)
	sound, err := file.New(play)
	if err != nil {
		return o, err
	}
	if room, ok := m.engine.(stt.Listener); ok {
		room.Forget()
	}
	if err := m.engine.Begin(ctx); err != nil {
		return o, err
	}
	ender, err := gateway.NewEndpointer(m.config, slog.New(slog.DiscardHandler))
	if err != nil {
		return o, err
	}
	var end speech.Endpoint
	for !end.Done {
		f, err := sound.Read(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return o, err
		}
		p, err := m.engine.Push(ctx, f)
		if err != nil {
			return o, err
		}
		end = ender.Push(f, p, completeness(m.grammar.Judge(p.Text)))
	}
	o.Ended = end.Reason
	if o.Transcript, err = m.engine.Finish(ctx); err != nil {
		return o, err
	}
	m.judge(&o)
	return o, nil
}

func completeness(c grammar.Completeness) speech.Completeness {
	switch c {
	case grammar.Closed:
		return speech.Closed
	case grammar.Growable:
		return speech.Growable
	default:
		return speech.Incomplete
	}
}

// judge compares what would be done with what was meant.
func (m *accuracy) judge(o *outcome) {
	o.Exact = plainly(o.Text) == plainly(o.Said)
	if o.Text == "" {
		o.Intent = o.Kind != "command"
		o.Exact = o.Intent
		return
	}
	heard := m.matcher.Match(o.Text, "")
	meant := intent.Decision{}
	if o.Kind == "command" {
		meant = m.matcher.Match(o.Said, "")
	}
	o.Intent = o.Kind == "command" && heard.Route == meant.Route && same(heard.Actions, meant.Actions)
	allowed := map[string]bool{}
	for _, act := range meant.Actions {
		for _, d := range act.Devices {
			allowed[d] = true
		}
	}
	for _, act := range heard.Actions {
		o.Wrong = o.Wrong || !asking(act.Intent) && slices.ContainsFunc(act.Devices, func(d string) bool { return !allowed[d] })
	}
}

// asking says whether an intent changes nothing.
func asking(name string) bool { return strings.Contains(name, "Get") }

// plainly leaves out what makes no difference to a listener: politeness, and one
// light or several.
func plainly(text string) string {
	var words []string
	for w := range strings.FieldsSeq(text) {
		if w != "please" {
			words = append(words, strings.TrimSuffix(w, "s"))
		}
	}
	return strings.Join(words, " ")
}

func same(a, b []intent.Action) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// voices are the outcomes by voice and noise, in a stable order.
func voices(all []outcome) (keys []string, by map[string][]outcome) {
	by = map[string][]outcome{}
	for _, o := range all {
		voice := strings.TrimRight(o.Voice, "-0123456789")
		by[voice+"\t"+o.Noise] = append(by[voice+"\t"+o.Noise], o)
	}
	return slices.Sorted(maps.Keys(by)), by
}
