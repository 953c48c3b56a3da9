package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/wakes"
	"voicegateway/internal/keep/record"
)

// viewed is a view and what it has shown.
func viewed(terminal, asJSON bool) (*earView, *bytes.Buffer) {
	var out bytes.Buffer
	return &earView{app: &app{IO: IO{Out: &out, Err: io.Discard, Terminal: terminal}}, asJSON: asJSON}, &out
}

const (
	meterEvent = `{"level":-30.4,"floor":-61,"score":0.031,"turn":"t-1","text":"turn on the","judged":"growable"}`
	turnEvent  = `{"id":"t-1","source":"mic","wake":{"word":"hey jarvis","score":0.98,"engine":"micro"},"endpoint":{"reason":"sentence"},` +
		`"transcript":{"text":"turn on the lamp"},"intent":{"name":"HassTurnOn","slots":{"name":"Lamp"}},"outcome":"done","timings_ms":{"endpoint":140}}`
)

// On a terminal one line is redrawn, and the utterances stay above it.
func TestListenDrawsOneLine(t *testing.T) {
	v, out := viewed(true, false)
	v.event("state", []byte(`{"state":"listening"}`))
	v.event("meter", []byte(meterEvent))
	v.event("server", []byte(`{"id":"zwave"}`))
	v.event("turn", []byte(`{"id":"t-0","source":"mqtt","outcome":"done"}`)) // not ours
	if !v.event("turn", []byte(turnEvent)) {
		t.Error("the turn's end is not told")
	}
	v.event("state", []byte(`{"state":"muted"}`))
	v.endLine()
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %q", len(lines)-1, out)
	}
	for i, want := range [][]string{
		{"\r\x1b[Klistening", " -30 dB, room -61, wake 0.03", "“turn on the”", "“turn on the lamp”", "hey jarvis 0.98 · ended by sentence after 140 ms · HassTurnOn {name=Lamp} · done"},
		{"muted; open it with"},
		{"\r\x1b[Kmuted"},
	} {
		for _, w := range want {
			if !strings.Contains(lines[i], w) {
				t.Errorf("no %q in line %d: %q", w, i, lines[i])
			}
		}
	}
}

// Elsewhere there is a line for each utterance and nothing is drawn.
func TestListenWritesALineForAnUtterance(t *testing.T) {
	v, out := viewed(false, false)
	v.event("state", []byte(`{"state":"idle","recorder":"on"}`))
	v.event("meter", []byte(meterEvent))
	v.note("no microphone found")
	v.note("no microphone found")
	v.note("")
	v.event("turn", []byte(turnEvent))
	v.endLine()
	if got := out.String(); strings.Count(got, "\n") != 3 || strings.ContainsAny(got, "\r\x1b") ||
		!strings.Contains(got, "the recorder is on") || strings.Count(got, "no microphone") != 1 {
		t.Errorf("%q", got)
	}
}

// A line of JSON for each event, the same in every way of listening.
func TestListenAsJSON(t *testing.T) {
	v, out := viewed(true, true)
	w := &earWatch{view: v, ended: func() {}}
	w.StateChanged(ear.Listening)
	w.Hearing(ear.Hearing{Turn: "t-1", Level: -30, Ended: "silence"})
	w.TurnEnded(record.Record{ID: "t-1", Source: record.FromMic})
	v.event("device", []byte(`{}`))
	v.note("trouble")
	v.endLine()
	var kinds []string
	for line := range strings.Lines(out.String()) {
		var e struct {
			Kind string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || len(e.Data) == 0 {
			t.Fatalf("%v in %q", err, line)
		}
		kinds = append(kinds, e.Kind)
	}
	if got := strings.Join(kinds, " "); got != "state meter turn" {
		t.Errorf("events %q", got)
	}
}

func TestBar(t *testing.T) {
	for name, tt := range map[string]struct {
		level, floor float64
		want         string
	}{
		"quiet":     {-200, -200, "│" + strings.Repeat(" ", 23)},
		"speech":    {-40, -60, strings.Repeat("█", 6) + "│" + strings.Repeat("█", 5) + strings.Repeat(" ", 12)},
		"too loud":  {3, -80, "│" + strings.Repeat("█", 23)},
		"all noise": {0, 0, strings.Repeat("█", 23) + "│"},
	} {
		if got := bar(tt.level, tt.floor); got != tt.want {
			t.Errorf("%s: %q, expected %q", name, got, tt.want)
		}
	}
}

// The line fits a terminal, whatever is said, and shows the end of it.
func TestTheMeterFits(t *testing.T) {
	v, _ := viewed(true, false)
	v.state = "listening"
	v.last = display.Reading{Level: -100, Floor: -100, Text: strings.Repeat("turn on the light and ", 50) + "stop"}
	if got := []rune(v.meter()); len(got) > lineWidth || !strings.HasSuffix(string(got), "stop”") {
		t.Errorf("%d characters: %s", len(got), string(got))
	}
}

func TestEvents(t *testing.T) {
	var got []string
	err := events(strings.NewReader("retry: 2000\n\nid: 1\nevent: state\ndata: {}\n\n: still here\n\nevent: turn\ndata: [1]\n\n"),
		func(kind string, data []byte) { got = append(got, kind+string(data)) })
	if err != nil || strings.Join(got, " ") != "state{} turn[1]" {
		t.Errorf("%q, %v", got, err)
	}
	if err := events(strings.NewReader("data: "+strings.Repeat("x", longestEvent)), func(string, []byte) {}); err == nil {
		t.Error("a line without end is taken")
	}
}

// Anything may come over the network, and nothing of it may break the view.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: state\ndata: {\"state\":\"idle\"}\n"))
	f.Add([]byte("event: meter\ndata: " + meterEvent + "\n"))
	f.Add([]byte("event: turn\ndata: " + turnEvent + "\n\nevent: \ndata: \n"))
	f.Add([]byte("data: {}\nevent: turn\r\ndata: null\n"))
	f.Fuzz(func(_ *testing.T, stream []byte) {
		v, _ := viewed(true, false)
		_ = events(bytes.NewReader(stream), func(kind string, data []byte) { v.event(kind, data) })
		v.endLine()
	})
}

func TestEarTrouble(t *testing.T) {
	parts := []doors.Part{
		{Name: "mqtt", State: "failed", Why: "no broker"},
		{Name: "recorder", State: "ready", Why: "off"},
		{Name: "stt", State: "degraded", Why: "no model"},
		{Name: "audio", State: "degraded", Why: "no card"},
	}
	if got := earTrouble(parts); got != "no card" {
		t.Errorf("%q", got)
	}
	if got := earTrouble(parts[:2]); got != "" {
		t.Errorf("%q although the ear works", got)
	}
}

func TestSoundIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		sound audio.Equipment
		want  []string
	}{
		"none": {audio.Equipment{InputProblem: "no microphone"}, []string{"No sound device was found", "arecord -l", "group audio", "voice-gateway ask"}},
		"some": {audio.Equipment{
			Devices: []audio.Device{
				{Name: "USB Mic", Inputs: 2, Rate: 44100, Used: "input", Why: `its name contains "usb"`},
				{Name: "HDMI", Outputs: 8, Rate: 48000},
			},
			Muted: true, OutputProblem: "no speaker",
		}, []string{"USB Mic", "44.1 kHz", `its name contains "usb"`, "not used", "mute off", "! no speaker"}},
	} {
		var out bytes.Buffer
		tellSound(&out, false, tt.sound)
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in:\n%s", name, want, &out)
			}
		}
	}
}

// The proposal is printed with the lines to paste; without a proposal the command
// fails.
func TestTheProposalIsTold(t *testing.T) {
	p := 0.85
	for name, tt := range map[string]struct {
		r    wakes.Result
		want string
		err  bool
	}{
		"new":  {wakes.Result{Word: "alexa", Threshold: 0.9, Proposed: &p}, "wake:\n  thresholds: {alexa: 0.85}\n", false},
		"same": {wakes.Result{Word: "alexa", Threshold: 0.85, Proposed: &p}, "Nothing needs to be changed", false},
		"none": {wakes.Result{Word: "alexa", Reason: "it is too loud."}, "No threshold is proposed: it is too loud.\n", true},
	} {
		var out bytes.Buffer
		err := tellWakeTest(&out, false, &tt.r, false)
		var told console.ToldError
		if errors.As(err, &told) != tt.err || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
	}
}
