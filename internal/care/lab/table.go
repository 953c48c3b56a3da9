package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/wake"
)

// reference is what the recogniser's own measurement gave with a grammar of 25
// rules, wide beams and no denoiser: exact sentences, in percent of 60.
var reference = map[string]string{ //nolint:gochecknoglobals // never written
	"flite-slt\tclean": "100", "flite-slt\t20": "96.7", "flite-slt\t10": "30.0",
	"flite-rms\tclean": "98.3", "flite-rms\t20": "96.7", "flite-rms\t10": "50.0",
	"festival-kal\tclean": "100", "festival-kal\t20": "96.7", "festival-kal\t10": "88.3",
	"espeak-us\tclean": "78.3", "espeak-us\t20": "86.7", "espeak-us\t10": "90.0",
	"tortoise\tas-recorded": "90.0",
}

// wakeReference is what was measured for the wake word engines, by engine or by
// engine and word: recordings heard, and false detections in ten minutes of other
// speech.
var wakeReference = map[string]string{ //nolint:gochecknoglobals // never written
	"micro": "all, 0", "pocketsphinx\they jarvis": "2 to 3 of 4, 0", "pocketsphinx\talexa": "4 of 5, 0",
}

// Spotted is how often one engine heard one word.
type Spotted struct {
	engine, word    string
	of, hits        int // recordings with the word
	others, falsely int // recordings without it
	trouble         string
}

// wakeLead is sound before a recording: the models need a second to warm up.
const wakeLead = 1500 * time.Millisecond

// HearWakes listens for each wake word of the recordings with each engine.
func (m *Lab) HearWakes(ctx context.Context) ([]Spotted, error) {
	var words []string
	for _, c := range m.cfg.Recordings {
		if c.Wake != "" && !slices.Contains(words, c.Wake) {
			words = append(words, c.Wake)
		}
	}
	slices.Sort(words)
	var all []Spotted
	for _, engine := range []string{"micro", "pocketsphinx"} {
		for _, word := range words {
			s := Spotted{engine: engine, word: strings.ReplaceAll(word, "_", " ")}
			err := m.spot(ctx, word, &s)
			switch {
			case errors.Is(err, micro.ErrNoModel):
				s.trouble = "no model is installed"
			case err != nil:
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

func (m *Lab) spot(ctx context.Context, word string, s *Spotted) error {
	e, err := wake.New(wake.Config{
		Engine: s.engine, Words: []string{s.word}, Command: m.worker(),
		ModelDir: m.cfg.Gateway.STT.ModelDir, ModelsDir: m.cfg.Gateway.Wake.ModelsDir, Log: m.cfg.Log,
		Pronounce: stt.NewPronouncer("", m.cfg.Gateway.STT.Pronunciations).All,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var died error
	running.Go(func() { died = e.Run(ctx) })
	defer func() {
		cancel()
		running.Wait()
	}()
	at := time.Unix(0, 0)
	for _, c := range m.cfg.Recordings {
		play := file.Default()
		play.Clips, play.Start, play.Lead = []audio.Clip{c.clip}, at, wakeLead
		sound, err := file.New(play)
		if err != nil {
			return err
		}
		detected := false
		for {
			f, err := sound.Read(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			at = f.At
			_, hit, err := e.Detect(ctx, f)
			if err != nil {
				return errors.Join(err, died)
			}
			detected = detected || hit
		}
		s.count(c.Wake == word, detected)
	}
	return nil
}

func (s *Spotted) count(spoken, detected bool) {
	switch {
	case spoken:
		s.of++
		if detected {
			s.hits++
		}
	default:
		s.others++
		if detected {
			s.falsely++
		}
	}
}

// sheet is where the tables are printed.
type sheet struct {
	to    io.Writer
	paint console.Paint
}

// Tell prints the tables.
func Tell(w io.Writer, p console.Paint, all []Outcome, wakes []Spotted) {
	s := sheet{w, p}
	var commands, others, mixes []Outcome
	for _, o := range all {
		switch o.Kind {
		case "command":
			commands = append(commands, o)
		case "background":
			mixes = append(mixes, o)
		default:
			others = append(others, o)
		}
	}
	fmt.Fprintln(s.to, s.paint.Bold("Commands")+", exact sentence / same intent / a wrong device acts, with and without the denoiser")
	keys, by := voices(commands)
	var rows [][]string
	for _, k := range keys {
		voice, noise, _ := strings.Cut(k, "\t")
		row := []string{voice, noise}
		rows = append(rows, append(append(row, withAndWithout(by[k])...), reference[k]))
	}
	for _, noise := range []string{"clean", "20", "10"} {
		var some []Outcome
		for _, o := range commands {
			if o.Noise == noise && !strings.HasPrefix(o.Voice, "espeak") {
				some = append(some, o)
			}
		}
		rows = append(rows, append(append([]string{"flite and festival", noise}, withAndWithout(some)...), ""))
	}
	console.Table(s.to, s.paint, []string{"voice", "noise", "n", "denoised", "raw", "reference exact %"}, rows)
	s.tellOthers(others)
	s.tellWakes(wakes)
	s.tellBackground(mixes)
}

// withAndWithout returns the number of recordings, and their results with the
// denoiser and without it.
func withAndWithout(some []Outcome) []string {
	cells := []string{"0", "", ""}
	for i, denoise := range []string{"on", "off"} {
		var t tally
		for _, o := range some {
			if o.Denoise == denoise {
				t.add(o)
			}
		}
		if t.n > 0 {
			cells[0], cells[i+1] = fmt.Sprint(t.n), t.String()
		}
	}
	return cells
}

// tally counts how well recordings were heard.
type tally struct{ n, exact, intent, wrong int }

func (t *tally) add(o Outcome) {
	t.n, t.exact, t.intent, t.wrong = t.n+1, t.exact+one(o.Exact), t.intent+one(o.Intent), t.wrong+one(o.Wrong)
}

// String is the text of a cell.
func (t *tally) String() string {
	return fmt.Sprintf("%3.0f / %3.0f / %3.0f %%", percent(t.exact, t.n), percent(t.intent, t.n), percent(t.wrong, t.n))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(some, of int) float64 { return 100 * float64(some) / float64(max(1, of)) }

func (s sheet) tellOthers(others []Outcome) {
	fmt.Fprintln(s.to, "\n"+s.paint.Bold("Other speech")+", rejected (reference: 98 %)")
	keys, by := voices(others)
	var rows [][]string
	for _, k := range keys {
		voice, noise, _ := strings.Cut(k, "\t")
		row := []string{voice, noise}
		for _, denoise := range []string{"on", "off"} {
			n, rejected := 0, 0
			for _, o := range by[k] {
				if o.Denoise == denoise {
					n, rejected = n+1, rejected+one(o.Text == "")
				}
			}
			if n == 0 {
				row = append(row, "")
				continue
			}
			row = append(row, fmt.Sprintf("%d of %d", rejected, n))
		}
		rows = append(rows, row)
	}
	console.Table(s.to, s.paint, []string{"voice", "noise", "denoised", "raw"}, rows)
	for _, o := range others {
		if o.Text != "" && o.Denoise == "on" {
			fmt.Fprintf(s.to, "  %s: %q was taken for %q\n", o.File, o.Said, o.Text)
		}
	}
}

func (s sheet) tellWakes(wakes []Spotted) {
	fmt.Fprintln(s.to, "\n"+s.paint.Bold("Wake words")+", heard and falsely heard")
	var rows [][]string
	for _, s := range wakes {
		rightly, falsely := fmt.Sprintf("%d of %d", s.hits, s.of), fmt.Sprintf("%d of %d", s.falsely, s.others)
		if s.trouble != "" {
			rightly, falsely = s.trouble, ""
		}
		reference := cmp.Or(wakeReference[s.engine+"\t"+s.word], wakeReference[s.engine])
		rows = append(rows, []string{s.engine, s.word, rightly, falsely, reference})
	}
	console.Table(s.to, s.paint, []string{"engine", "word", "heard", "falsely", "reference"}, rows)
}
