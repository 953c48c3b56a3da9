package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/ear"
	"voicegateway/internal/keep/record"
)

// earView shows what the ear makes of the sound: on a terminal as one line that is
// redrawn, elsewhere as a line for each utterance. Events may come from several
// goroutines.
type earView struct {
	app    *app
	asJSON bool

	mu    sync.Mutex
	state string
	last  display.Reading
	drawn bool // the terminal's last line is the meter
	told  string
	turns int
}

// shownKinds are the kinds of events that are shown; events of the house are not.
var shownKinds = map[string]bool{"state": true, "meter": true, "partial": true, "turn": true}

// event shows one event of the stream and reports whether it ended a turn of the
// microphone.
func (v *earView) event(kind string, data []byte) (ended bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var turned record.Record
	if kind == "turn" {
		if json.Unmarshal(data, &turned) != nil || turned.Source != record.FromMic && turned.Source != record.FromFile {
			return false // somebody wrote to the gateway
		}
	}
	if v.asJSON {
		if shownKinds[kind] {
			fmt.Fprintf(v.app.Out, `{"kind":%q,"data":%s}`+"\n", kind, data)
		}
		return kind == "turn"
	}
	switch kind {
	case "state":
		var s struct{ State, Recorder string }
		if json.Unmarshal(data, &s) == nil {
			v.enter(s.State, s.Recorder)
		}
	case "meter":
		if json.Unmarshal(data, &v.last) == nil {
			v.draw()
		}
	case "turn":
		v.turns++
		v.line(v.utterance(turned))
		return true
	}
	return false
}

// enter shows a new state. It prints a warning line when the microphone is muted or
// sound is recorded.
func (v *earView) enter(state, recorder string) {
	if v.state == "" && recorder == "on" {
		v.line(v.app.paint.Warn("!") + " the recorder is on: what is said is kept")
	}
	if state == string(ear.Muted) && v.state != state {
		v.line(v.app.paint.Warn("!") + " the microphone is muted; open it with: voice-gateway mute off")
	}
	v.state, v.last.Text = state, ""
	v.draw()
}

// note shows a sentence once, until it changes; "" forgets it.
func (v *earView) note(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if text == v.told {
		return
	}
	v.told = text
	switch {
	case text == "":
	case v.asJSON: // on stderr, so that stdout stays JSON
		fmt.Fprintln(v.app.Err, "voice-gateway:", text)
	default:
		v.line(v.app.paint.Warn("!") + " " + text)
	}
}

// line writes a whole line above the meter.
func (v *earView) line(text string) {
	if v.drawn {
		console.Redraw(v.app.Out, "")
		v.drawn = false
	}
	fmt.Fprintln(v.app.Out, text)
}

// draw redraws the meter, the terminal's last line.
func (v *earView) draw() {
	if !v.app.Terminal || v.asJSON || v.app.getenv("TERM") == "dumb" {
		return
	}
	v.drawn = true
	console.Redraw(v.app.Out, v.meter())
}

// endLine ends the meter's line, so that the prompt gets a line of its own.
func (v *earView) endLine() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.drawn {
		fmt.Fprintln(v.app.Out)
		v.drawn = false
	}
}

// The bar goes from a silent room to full scale.
const (
	barWidth  = 24
	barBottom = -80.0 // dBFS
	lineWidth = 79    // the narrowest terminal, less the cursor
)

// meter is the line's text: state, level over the room's noise, wake score, and the
// words so far.
func (v *earView) meter() string {
	r := v.last
	line := fmt.Sprintf("%-9s ▕%s▏%4.0f dB, room %3.0f, wake %.2f", v.state, bar(r.Level, r.Floor), r.Level, r.Floor, r.Score)
	if r.Text == "" {
		return line
	}
	text, room := []rune(r.Text), lineWidth-utf8.RuneCountInString(line)-4
	if len(text) > room { // the newest words matter
		text = append([]rune("…"), text[len(text)-max(room, 1)+1:]...)
	}
	return line + "  “" + string(text) + "”"
}

// bar shows a level as a bar, with a mark at the room's noise.
func bar(level, floor float64) string {
	at := func(db float64) int {
		return max(0, min(barWidth, int((db-barBottom)/-barBottom*barWidth+0.5)))
	}
	cells := []rune(strings.Repeat("█", at(level)) + strings.Repeat(" ", barWidth-at(level)))
	cells[min(at(floor), barWidth-1)] = '│'
	return string(cells)
}

// utterance is the line about an utterance that has ended.
func (v *earView) utterance(r record.Record) string {
	p := v.app.paint
	parts := []string{}
	if r.Wake != nil {
		parts = append(parts, fmt.Sprintf("%s %.2f", r.Wake.Word, r.Wake.Score))
	}
	if r.Endpoint != nil {
		ended := "ended by " + r.Endpoint.Reason
		if r.Timings.Endpoint != nil {
			ended += fmt.Sprintf(" after %.0f ms", *r.Timings.Endpoint)
		}
		parts = append(parts, ended)
	}
	if r.Intent != nil {
		parts = append(parts, r.Intent.Name+" "+console.Slots(r.Intent.Slots))
	}
	parts = append(parts, string(r.Outcome))
	if r.Error != "" {
		parts = append(parts, r.Error)
	}
	transcript := "(nothing)"
	if r.Transcript != nil {
		transcript = console.Quote(r.Transcript.Text)
	}
	return p.Dim(r.Time.Local().Format("15:04:05")) + "  " + p.Bold(transcript) + "  " + p.Dim(strings.Join(parts, " · "))
}
