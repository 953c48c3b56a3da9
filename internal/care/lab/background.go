package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/language/speech"
)

// mixWord is the wake word of the mixes. Every mixEvery-th command is used, because
// all of them would take minutes.
const (
	mixWord  = "hey_jarvis"
	mixEvery = 3
)

// nobody marks a mix without other speech.
const nobody = "none"

// unwoken is the outcome of a mix whose wake word was not heard.
const unwoken = "no_wake_word"

// mixes returns a job for each mix, in every place and at every level, heard with
// the gate and without it. There are none if the wake word's model is not
// installed.
func (m *Lab) mixes() (jobs []job) {
	if _, err := micro.Find(m.cfg.Gateway.Wake.ModelsDir, mixWord); err != nil {
		return nil
	}
	for _, x := range m.mixClips() {
		for _, gated := range []bool{true, false} {
			if x.placed == nobody && !gated {
				continue // it makes no difference
			}
			x := x // each job keeps its own
			x.gated = gated
			jobs = append(jobs, func(ctx context.Context) (Outcome, error) { return m.overhear(ctx, x) })
		}
	}
	return jobs
}

func (m *Lab) mixClips() (all []mixed) {
	var wakes, commands []Recording
	var others [][]int16
	for _, l := range m.cfg.Recordings {
		switch {
		case l.Kind == "wake" && l.Wake == mixWord:
			wakes = append(wakes, l)
		case l.Kind == "oog":
			if said, _ := trim(l.clip, spokenTo); said != nil {
				others = append(others, said)
			}
		case l.commanded() && fmt.Sprint(l.Noise) == "clean" && !strings.HasPrefix(l.Voice, "espeak"):
			commands = append(commands, l)
		}
	}
	if len(wakes) == 0 || len(others) == 0 {
		return nil
	}
	for i, c := range commands {
		if i%mixEvery != 0 {
			continue
		}
		n := i / mixEvery
		all = append(all, mix(n, wakes[n%len(wakes)], c, others, mixed{level: audio.Silence, placed: nobody}))
		for _, placed := range []string{"through", "after"} {
			for _, level := range []float64{-20, -10} {
				all = append(all, mix(n, wakes[n%len(wakes)], c, others, mixed{level: level, placed: placed}))
			}
		}
	}
	return all
}

// overhear plays one mix and judges what was heard.
func (m *Lab) overhear(ctx context.Context, x mixed) (Outcome, error) {
	o := Outcome{
		File: x.File, Kind: "background", Voice: x.Voice, Noise: fmt.Sprint(x.level), Denoise: m.denoise, Said: x.Text,
		among: among{Placed: x.placed, Gate: x.gated},
	}
	word, err := wake.New(wake.Config{Engine: "micro", Words: []string{strings.ReplaceAll(mixWord, "_", " ")}, ModelsDir: m.cfg.Gateway.Wake.ModelsDir, Log: m.cfg.Log})
	if err != nil {
		return o, err
	}
	cfg := file.Default()
	cfg.Clips, cfg.Start, cfg.Lead = []audio.Clip{x.clip}, time.Unix(0, 0), 0
	h, err := m.Play(ctx, Playing{Sound: cfg, Word: asked{word, x.gated}, First: true})
	if err != nil {
		return o, err
	}
	if len(h.Turns) == 0 {
		o.Ended = unwoken
		return o, nil
	}
	o.Transcript, o.Ended = h.First, h.endReason()
	o.Late = h.Over.Sub(cfg.Start.Add(x.ends)).Milliseconds()
	o.Kind = "command"
	m.judge(&o, h.whole())
	o.Kind = "background"
	return o, nil
}

// asked is a wake word engine. Without the gate it hides where the wake word was, and so
// how loud its speaker is; all later speech then counts alike.
type asked struct {
	wake.Engine
	gated bool
}

// Detect listens for the wake word.
func (a asked) Detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error) {
	d, hit, err := a.Engine.Detect(ctx, f)
	if !a.gated {
		d.Word = ""
	}
	return d, hit, err
}

// backgrounds are the rows of the table. The reference figures were measured with
// the gate's level given, and without the gate by a full decoding instead of the
// turn's.
var backgrounds = []struct{ placed, level, gated, ungated string }{ //nolint:gochecknoglobals // never written
	{nobody, fmt.Sprint(audio.Silence), "94", ""},
	{"through", "-20", "89", "38"},
	{"through", "-10", "57", "16"},
	{"after", "-20", "91", "79"},
	{"after", "-10", "90", "78"},
}

// tellBackground prints the results of the mixes, with and without the gate.
func (s sheet) tellBackground(all []Outcome) {
	fmt.Fprintln(s.to, "\n"+s.paint.Bold("Commands with other speech")+" through or after them, by its level; when the turn ended, from the end of the command")
	if len(all) == 0 {
		fmt.Fprintf(s.to, "  needs the model %s; get it with: voice-gateway models pull %s\n", mixWord, mixWord)
		return
	}
	var rows [][]string
	for _, b := range backgrounds {
		for _, gate := range []bool{true, false} {
			var some []Outcome
			for _, o := range all {
				if o.Placed == b.placed && o.Noise == b.level && o.Gate == gate {
					some = append(some, o)
				}
			}
			if len(some) == 0 {
				continue
			}
			row := []string{b.placed, b.level + " dB", "gate"}
			if b.placed == nobody {
				row[1] = ""
			}
			reference := b.gated
			if !gate {
				row[2], reference = "no gate", b.ungated
			}
			rows = append(rows, append(append(row, sumUp(some)...), reference))
		}
	}
	console.Table(s.to, s.paint, []string{"speech", "level", "", "woken", "exact / intent / wrong", "added", "ends p50", "p95", "reference exact %"}, rows)
}

func sumUp(some []Outcome) []string {
	var t tally
	added := 0
	var late []int64
	for _, o := range some {
		if o.Ended == unwoken {
			continue
		}
		t.add(o)
		added += one(o.Added != "")
		late = append(late, o.Late)
	}
	n := t.n
	if n == 0 {
		return []string{fmt.Sprintf("0 of %d", len(some)), "", "", "", ""}
	}
	slices.Sort(late)
	return []string{
		fmt.Sprintf("%d of %d", n, len(some)), t.String(),
		fmt.Sprintf("%3.0f %%", percent(added, n)), fmt.Sprintf("%d ms", late[n/2]), fmt.Sprintf("%d ms", late[min(n-1, n*95/100)]),
	}
}
