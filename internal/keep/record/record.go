// Package record holds what a turn leaves behind: its record, its timings, and the
// task that stays open when the turn was stopped in the middle. It exists so that
// HTTP, MQTT, metrics, recorder and commands read the same type without knowing who
// filled it. It is pure. To add a field, add it here and to the OpenAPI
// description.
package record

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"voicegateway/internal/tools"
)

// Source is where a turn came from.
type Source string

// The sources of turns (REQUIREMENTS 2.4).
const (
	FromMic  Source = "mic"
	FromFile Source = "file"
	FromMQTT Source = "mqtt"
	FromHTTP Source = "http"
	FromCLI  Source = "cli"
	FromMCP  Source = "mcp"
	FromPage Source = "page"
	// FromTimer is a command whose time has come, FromButton a sentence that a button
	// started.
	FromTimer  Source = "timer"
	FromButton Source = "button"
)

// Route says what became of a turn's text.
type Route string

// Routes of a turn (REQUIREMENTS 2.4).
const (
	RouteLocal   Route = "local"
	RouteModel   Route = "model"
	RouteNone    Route = "none"
	RouteRefused Route = "refused"
)

// Outcome is how a turn ended.
type Outcome string

// Outcomes of a turn (REQUIREMENTS 2.4).
const (
	Done        Outcome = "done"
	Accepted    Outcome = "accepted" // under way, or waiting for a device that sleeps
	Failed      Outcome = "failed"
	Asked       Outcome = "asked"
	Ignored     Outcome = "ignored"
	Interrupted Outcome = "interrupted"
)

// Record is the account of one turn, the same for every reader of it: JSON
// output, HTTP, MQTT and the recorder. Absent parts are null.
type Record struct {
	ID         string      `json:"id"`
	Time       time.Time   `json:"time"`
	File       string      `json:"file,omitempty"` // hear: the recording
	Source     Source      `json:"source"`
	Area       string      `json:"area"`
	Wake       *Wake       `json:"wake"`
	Endpoint   *Endpoint   `json:"endpoint"`
	Transcript *Transcript `json:"transcript"`
	Control    *Control    `json:"control,omitempty"` // in place of a text
	Route      Route       `json:"route"`
	SpeechAct  string      `json:"speech_act,omitempty"` // what the text does: only command, request and wish may change something
	Reading    *Reading    `json:"reading,omitempty"`    // what the reader made of a text that fits no sentence
	Intent     *Intent     `json:"intent"`
	Verdict
	Keepable bool    `json:"keepable,omitempty"` // its words can be kept as a wording
	Timings  Timings `json:"timings_ms"`
	// Challenge says that the reply asks for the words of a challenge (S1), which are
	// not in the record.
	Challenge bool `json:"-"`
	Aloud     bool `json:"-"` // asked in the gateway's own room: a later word on it is spoken there
}

// ChallengeAnswer stands in a transcript for the words of a challenge.
const ChallengeAnswer = "(the answer to a challenge)"

// Verdict is what was done and said.
type Verdict struct {
	Intents []Intent   `json:"intents,omitempty"` // all of them, when a sentence held several commands
	Calls   []CallMade `json:"calls"`
	Risk    string     `json:"risk,omitempty"` // the highest risk of the calls, known before they are made
	Reply   string     `json:"reply"`
	Outcome Outcome    `json:"outcome"`
	Error   string     `json:"error"`
	// Judgements are the choices made when a server was lost in the middle (M10).
	Judgements []Judgement `json:"judgements,omitempty"`
}

// Wake is the detection that started a turn.
type Wake struct {
	Word   string  `json:"word"`
	Score  float64 `json:"score"`
	Engine string  `json:"engine"`
}

// Endpoint says why the utterance was over, and what that was judged by.
type Endpoint struct {
	Reason string  `json:"reason"`
	Frames *Frames `json:"frames,omitempty"`
}

// Frames are the last frames of an utterance, to its end.
type Frames struct {
	From   float64 `json:"from"`   // ms from the end of speech to the end of the first one
	Length float64 `json:"length"` // ms, of each
	Levels []int   `json:"levels"` // dBFS
	// Judged has a letter for each frame. The words by then were no sentence (i), a sentence that
	// may go on (g), one that cannot (c), or one that cannot and whose act can be put back (r).
	Judged string `json:"judged"`
}

// Transcript is what was heard.
type Transcript struct {
	Text       string  `json:"text"`
	Engine     string  `json:"engine"`
	Confidence float64 `json:"confidence"`
}

// Reading is what the learned reader made of a text that fits no sentence of ours.
type Reading struct {
	Kind     string  `json:"kind"`     // of order
	Share    float64 `json:"share"`    // how sure the kind is, up to 1
	Sure     float64 `json:"sure"`     // the share from which on it is sure, and nearly sure
	Nearly   float64 `json:"nearly"`   //
	Sentence string  `json:"sentence"` // of ours, which was taken in place of the text
	Verdict  string  `json:"verdict"`  // do or ask
	Why      string  `json:"why"`      // it was decided so
}

// Intent is what was understood.
type Intent struct {
	Name  string         `json:"name"`
	Slots map[string]any `json:"slots"`
}

// CallMade is one tool call of the turn.
type CallMade struct {
	Tool    string          `json:"tool"`
	Server  string          `json:"server"`
	Args    json.RawMessage `json:"args"`
	OK      bool            `json:"ok"`
	MS      float64         `json:"ms"`
	Receipt *Receipt        `json:"receipt"`
	// Reason says why the call was not made, or why it came to nothing.
	Reason string `json:"reason,omitempty"`
}

// Receipt is a tool's receipt as a record shows it, without the state before, the
// tool's own sentence and the members of a group.
type Receipt tools.Receipt

// receiptForm is a Receipt's JSON.
type receiptForm struct {
	Device    string        `json:"device"`
	Property  string        `json:"property"`
	Value     any           `json:"value"`
	Confirmed bool          `json:"confirmed"`
	MS        float64       `json:"ms"`
	Outcome   tools.Outcome `json:"outcome"`
	Reason    tools.Reason  `json:"reason"`
}

// Done reports whether the device itself confirmed the change.
func (r *Receipt) Done() bool { return (*tools.Receipt)(r).Done() }

// MarshalJSON writes a receipt as receiptForm.
func (r Receipt) MarshalJSON() ([]byte, error) {
	return json.Marshal(receiptForm{r.Device, r.Property, r.Value, r.Done(), r.MS, r.Outcome, r.Reason})
}

// UnmarshalJSON reads a receipt from receiptForm.
func (r *Receipt) UnmarshalJSON(data []byte) error {
	var f receiptForm
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("reading a receipt: %w", err)
	}
	*r = Receipt{Device: f.Device, Property: f.Property, Value: f.Value, MS: f.MS, Outcome: f.Outcome, Reason: f.Reason}
	return nil
}

// Timings are milliseconds from the end of speech in the audio (for text: from its
// arrival); SpeechEnd itself counts from the start of the turn. Null means that the
// turn did not reach that point.
type Timings struct {
	SpeechEnd    *float64 `json:"speech_end"`
	Endpoint     *float64 `json:"endpoint"`
	Transcript   *float64 `json:"transcript"`
	FirstPublish *float64 `json:"first_publish"`
	Confirmed    *float64 `json:"confirmed"`
	FirstAudio   *float64 `json:"first_audio"`
	Total        *float64 `json:"total"`
}

// Stage is a point of a turn that was reached.
type Stage struct {
	Name string // as in JSON
	MS   float64
}

// Stages lists the timings that were reached and count from the end of speech, in
// the order of a turn.
func (t Timings) Stages() []Stage {
	var reached []Stage
	for _, s := range []struct {
		name string
		ms   *float64
	}{
		{"endpoint", t.Endpoint},
		{"transcript", t.Transcript},
		{"first_publish", t.FirstPublish},
		{"confirmed", t.Confirmed},
		{"first_audio", t.FirstAudio},
		{"total", t.Total},
	} {
		if s.ms != nil {
			reached = append(reached, Stage{s.name, *s.ms})
		}
	}
	return reached
}

// NewID makes an identifier for a turn: unique, and readable in a log.
func NewID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails on the systems we build for
	return "t-" + hex.EncodeToString(b[:])
}

// Millis is d in milliseconds with a tenth's precision: finer would only be noise.
func Millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

// Stopwatch measures from the end of speech. Sound fed faster than real time makes
// the frames' clock differ from the wall clock: Shift is how far the wall clock was
// ahead when the endpoint was found.
type Stopwatch struct {
	Zero  time.Time
	Shift time.Duration
}

// At converts a wall-clock time into milliseconds on the stopwatch; nil for the
// zero time.
func (s Stopwatch) At(wall time.Time) *float64 {
	if wall.IsZero() {
		return nil
	}
	ms := max(Millis(wall.Add(-s.Shift).Sub(s.Zero)), 0)
	return &ms
}

// Now is the current time in milliseconds on the stopwatch.
func (s Stopwatch) Now() *float64 { return s.At(time.Now()) }
