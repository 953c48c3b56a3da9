package turn

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"
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
	OutFailed   Outcome = "failed"
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
	Route      Route       `json:"route"`
	Intent     *Intent     `json:"intent"`
	Verdict
	Timings Timings `json:"timings_ms"`
}

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

// Endpoint says why the utterance was over.
type Endpoint struct {
	Reason string `json:"reason"`
}

// Transcript is what was heard.
type Transcript struct {
	Text       string  `json:"text"`
	Engine     string  `json:"engine"`
	Confidence float64 `json:"confidence"`
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
}

// Receipt is the device's own word about a call (REQUIREMENTS Z4).
type Receipt struct {
	Device    string  `json:"device"`
	Property  string  `json:"property"`
	Value     any     `json:"value"`
	Confirmed bool    `json:"confirmed"`
	MS        float64 `json:"ms"`
}

// Timings are milliseconds from the end of speech in the audio (for text: from
// its arrival); SpeechEnd itself counts from the start of the turn. Null: the
// turn did not come to that point.
type Timings struct {
	SpeechEnd    *float64 `json:"speech_end"`
	Endpoint     *float64 `json:"endpoint"`
	Transcript   *float64 `json:"transcript"`
	FirstPublish *float64 `json:"first_publish"`
	Confirmed    *float64 `json:"confirmed"`
	FirstAudio   *float64 `json:"first_audio"`
	Total        *float64 `json:"total"`
}

// NewID makes an identifier for a turn: unique, and readable in a log.
func NewID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails on the systems we build for
	return "t-" + hex.EncodeToString(b[:])
}

// millis is d in milliseconds with a tenth's precision: finer would only be noise.
func millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

// stopwatch measures from the end of speech. For sound that is fed faster than
// real time the frames' clock and the wall's differ: shift is how far the wall
// was ahead when the endpoint was found.
type stopwatch struct {
	zero  time.Time
	shift time.Duration
}

func (s stopwatch) at(wall time.Time) *float64 {
	if wall.IsZero() {
		return nil
	}
	ms := max(millis(wall.Add(-s.shift).Sub(s.zero)), 0)
	return &ms
}

func (s stopwatch) now() *float64 { return s.at(time.Now()) }
