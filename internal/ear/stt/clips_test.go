//go:build cgo

package stt_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/vad"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

func start(tb testing.TB) stt.Engine {
	tb.Helper()
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		tb.Skipf("the English model is not installed: %v", err)
	}
	cfg := stt.Default()
	cfg.Command = []string{fake.Worker(tb), "worker", "stt"}
	e, err := stt.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			tb.Errorf("Run: %v", err)
		}
	})
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return e
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

type recording struct {
	File  string
	Text  string
	Voice string
	Kind  string // command, oog (other speech), wake, wake+command, …
	SNR   any    `json:"snr"`
}

func recordings(tb testing.TB) []recording {
	tb.Helper()
	f, err := os.Open(fake.Shared(tb, "speech", "clips", "manifest.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var all []recording
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// outcome is what became of one utterance.
type outcome struct {
	text   speech.Transcript
	end    speech.Endpoint
	wait   time.Duration // from the end of speech to the endpoint
	speech int           // frames the VAD took for speech
}

// hear plays a clip to the ear as the gateway would without a wake word.
func hear(tb testing.TB, e stt.Engine, judge func(string) speech.Completeness, clip audio.Clip) outcome {
	tb.Helper()
	cfg := file.Default()
	cfg.Clips, cfg.Start = []audio.Clip{clip}, time.Unix(1_700_000_000, 0)
	mic, err := file.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	gate, err := vad.New(vad.Default())
	if err != nil {
		tb.Fatal(err)
	}
	end := endpoint.New(endpoint.Default())
	if l, ok := e.(stt.Listener); ok {
		l.Forget()
	}
	if err := e.Begin(within(tb)); err != nil {
		tb.Fatal(err)
	}
	var o outcome
	for !o.end.Done {
		f, err := mic.Read(tb.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			tb.Fatal(err)
		}
		p, err := e.Push(within(tb), f)
		if err != nil {
			tb.Fatal(err)
		}
		if gate.Push(f).Speech {
			o.speech++
		}
		o.end = end.Push(f, p, judge(p.Text))
		o.wait = f.At.Sub(o.end.SpeechEnd)
	}
	if o.text, err = e.Finish(within(tb)); err != nil {
		tb.Fatal(err)
	}
	return o
}

// same compares texts as far as the house cares: "light" and "lights" are equal.
func same(a, b string) bool {
	return strings.ReplaceAll(a, "lights", "light") == strings.ReplaceAll(b, "lights", "light")
}

// TestRecordings prints, for every kind of recording, how many commands came out
// right and how much other speech was refused.
func TestRecordings(t *testing.T) {
	all := recordings(t)
	e := start(t)
	g, judge := grammarOf(sentences)
	if missing, err := e.SetGrammar(within(t), g); err != nil || len(missing) > 0 {
		t.Fatalf("setting the grammar: %v, missing %q", err, missing)
	}
	right, total := map[string]int{}, map[string]int{}
	var waits []time.Duration
	for n, r := range all {
		// Recordings of the first kind need a wake word first. Of the many others, half are
		// enough here, and an eighth of the clean ones.
		if r.Kind == "wake+command" || n%2 != 0 || r.Kind == "command" && r.SNR == "clean" && n%8 != 0 {
			continue
		}
		clip, err := file.Load(fake.Shared(t, "speech", "clips", r.File))
		if err != nil {
			t.Fatal(err)
		}
		o := hear(t, e, judge, clip)
		key := fmt.Sprintf("%s %v %s", r.Kind, r.SNR, strings.SplitN(r.Voice, "-0", 2)[0])
		if r.Kind == "command" {
			key = fmt.Sprintf("%s %v %s", r.Kind, r.SNR, strings.TrimRight(r.Voice, "-0123456789"))
		}
		total[key]++
		ok := o.text.Text == ""
		if r.Kind == "command" {
			ok = same(o.text.Text, r.Text)
		}
		if !ok || o.speech == 0 {
			t.Logf("%s: said %q, heard %q, %s after %v; %s", r.File, r.Text, o.text.Text, o.end.Reason, o.wait, o.text.Rejected)
		}
		if ok {
			right[key]++
		}
		if r.Kind == "command" && r.SNR == "clean" && o.end.Reason == endpoint.Sentence {
			waits = append(waits, o.wait)
		}
		if o.speech == 0 {
			t.Errorf("%s: the VAD heard no speech", r.File)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%-36s %3d of %3d", key, right[key], total[key])
	}
	slices.Sort(waits)
	if len(waits) > 0 {
		t.Logf("from the end of speech to the endpoint of complete sentences: median %v, 95 %% %v, n %d", waits[len(waits)/2], waits[len(waits)*95/100], len(waits))
	}
	floors := map[string]float64{
		"command clean flite-slt": 0.7, "command clean flite-rms": 0.7, "command clean festival-kal": 0.6,
		"command 20 flite-slt": 0.8, "command 20 flite-rms": 0.8, "command 10 flite-rms": 0.5,
		"oog clean flite-slt": 0.85, "oog clean flite-rms": 0.8,
	}
	for key, floor := range floors {
		if total[key] == 0 || float64(right[key]) < floor*float64(total[key]) {
			t.Errorf("%s: %d of %d, want %.0f %%", key, right[key], total[key], 100*floor)
		}
	}
}

func TestWordsNobodyKnows(t *testing.T) {
	e := start(t)
	missing, err := e.SetGrammar(within(t), speech.Grammar{
		JSGF:  "#JSGF V1.0;\ngrammar g;\npublic <s> = turn on the ( heater | zigbee | ж ) ;\n",
		Words: []string{"turn", "on", "the", "heater", "zigbee", "ж"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(missing, "heater") || !slices.Contains(missing, "ж") {
		t.Errorf("missing %q", missing)
	}
	clip, err := file.Load(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_022.wav"))
	if err != nil {
		t.Fatal(err)
	}
	o := hear(t, e, func(string) speech.Completeness { return speech.Incomplete }, clip)
	if o.text.Text != "turn on the heater" || o.text.Engine != "pocketsphinx" || o.text.Confidence < 0.5 {
		t.Errorf("heard %+v", o.text)
	}
}

// TestGrammarWaitsForTheSpeaker changes the house in the middle of a command.
func TestGrammarWaitsForTheSpeaker(t *testing.T) {
	e := start(t)
	g, _ := grammarOf(sentences)
	if _, err := e.SetGrammar(within(t), g); err != nil {
		t.Fatal(err)
	}
	clip, err := file.Load(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_000.wav"))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Begin(within(t)); err != nil {
		t.Fatal(err)
	}
	set := make(chan error, 1)
	for at := 0; at < len(clip.Samples); at += audio.FrameSamples {
		if at == 50*audio.FrameSamples {
			go func() {
				_, err := e.SetGrammar(within(t), speech.Grammar{JSGF: "#JSGF V1.0;\ngrammar g;\npublic <s> = good night ;\n", Words: []string{"good", "night"}})
				set <- err
			}()
		}
		if _, err := e.Push(within(t), audio.Frame{Samples: clip.Samples[at:min(at+audio.FrameSamples, len(clip.Samples))]}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := e.Finish(within(t))
	if err != nil || text.Text != "turn on the kitchen light" {
		t.Errorf("heard %+v, %v", text, err)
	}
	if err := <-set; err != nil {
		t.Errorf("setting the grammar: %v", err)
	}
	night, err := file.Load(fake.Shared(t, "speech", "clips", "cmd_flite-rms_clean_057.wav"))
	if err != nil {
		t.Fatal(err)
	}
	if o := hear(t, e, func(string) speech.Completeness { return speech.Closed }, night); o.text.Text != "good night" {
		t.Errorf("with the new grammar it heard %+v", o.text)
	}
}

func TestOutOfOrder(t *testing.T) {
	e := start(t)
	if _, err := e.Push(within(t), audio.Frame{}); err == nil || !strings.Contains(err.Error(), "no utterance") {
		t.Errorf("pushing before beginning: %v", err)
	}
	if _, err := e.Finish(within(t)); err == nil {
		t.Error("finishing before beginning is no error")
	}
	if err := e.Begin(within(t)); err == nil || !strings.Contains(err.Error(), "no grammar") {
		t.Errorf("beginning without a grammar: %v", err)
	}
	g, _ := grammarOf([]string{"good night"})
	if _, err := e.SetGrammar(within(t), g); err != nil { // a failed Begin holds nothing
		t.Fatal(err)
	}
	for range 3 { // turns that were given up
		if err := e.Begin(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := e.Finish(within(t)); err != nil || text.Text != "" || text.Rejected == "" {
		t.Errorf("an utterance without sound: %+v, %v", text, err)
	}
}
