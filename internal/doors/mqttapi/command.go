package mqttapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/keep/timers"
)

// Bounds of a command (REQUIREMENTS 2.3).
const (
	maxPayload = 16 << 10
	maxID      = 128
	maxAge     = 5 * time.Second
)

// Command is one accepted command.
type Command struct {
	Verb  string // ask, say, listen, stop, mute, volume, timer, retry
	ID    string
	Text  string
	Area  string
	On    bool // mute
	Level int  // volume, 0–100
	Topic string
	At    time.Time // when it arrived
	Timer timers.Request

	place *order.Place // among what acts; nil: it waits for nothing
}

// wire holds every member that a command may carry; shapes says which of them
// belong to which verb.
type wire struct {
	ID    *string  `json:"id"`
	Text  *string  `json:"text"`
	Area  *string  `json:"area"`
	Time  *string  `json:"time"`
	On    *bool    `json:"on"`
	Level *float64 `json:"level"`
	// of a timer
	Action  *string `json:"action"`
	Timer   *string `json:"timer"`
	Name    *string `json:"name"`
	Seconds *int    `json:"seconds"`
	At      *string `json:"at"`
}

// shapes lists the members that each verb must have and may have.
var shapes = map[string]struct {
	must, may string
}{
	"ask":    {"id text", "area time"},
	"say":    {"id text", "time"},
	"listen": {"id", "time"},
	"stop":   {"id", "time"},
	"mute":   {"id on", "time"},
	"volume": {"id level", "time"},
	"timer":  {"id action", "timer name seconds at text area time"},
	"retry":  {"id", "time"},
}

// timerActions are what the command timer may ask for.
var timerActions = []timers.Action{
	timers.Begin, timers.Cancel, timers.Pause, timers.Resume, timers.Add, timers.Stop, timers.Snooze,
}

// Parse checks one command. With an error it still returns the id, if it could be read,
// so that the sender can learn which command was refused.
func Parse(verb string, payload []byte, retained bool, now time.Time) (c Command, err error) {
	shape, known := shapes[verb]
	switch {
	case !known:
		return Command{ID: idOf(payload)}, fmt.Errorf("the command %q is not known here; expected ask, say, listen, stop, mute, volume, timer or retry", verb)
	case len(payload) > maxPayload:
		return c, fmt.Errorf("the command has %d bytes; at most %d are taken", len(payload), maxPayload)
	}
	if !utf8.Valid(payload) {
		return c, fmt.Errorf("the command is not UTF-8 text; expected the JSON object {%s}", shape.must)
	}
	var w wire
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return c, fmt.Errorf("the command is not the JSON object that was expected, {%s}: %w", shape.must, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("there is something after the JSON object; send one object a message")
	}
	c = Command{Verb: verb, At: now, ID: deref(w.ID), Text: strings.TrimSpace(deref(w.Text)), Area: deref(w.Area)}
	if retained {
		return c, errors.New("the command was retained; a retained command would be done again at every connection, so send it with retain off")
	}
	if err := w.check(shape.must, shape.may); err != nil {
		return c, err
	}
	c.On = w.On != nil && *w.On
	if w.Level != nil {
		c.Level = int(*w.Level)
		if *w.Level < 0 || *w.Level > 100 {
			return c, fmt.Errorf("level is %g; expected 0 to 100", *w.Level)
		}
	}
	if verb == "timer" {
		c.Timer = w.timer()
		if !slices.Contains(timerActions, c.Timer.Action) {
			return c, fmt.Errorf("action %q is unknown; expected start, cancel, pause, resume, add, stop or snooze", c.Timer.Action)
		}
	}
	return c, fresh(w.Time, now)
}

// timer is what a command about timers asks for.
func (w wire) timer() timers.Request {
	return timers.Request{
		Action: timers.Action(deref(w.Action)), Timer: deref(w.Timer), Name: deref(w.Name), Seconds: w.Seconds, At: deref(w.At),
		Text: strings.TrimSpace(deref(w.Text)), Area: deref(w.Area),
	}
}

// idOf reads the id of a command whose other members are not known, "" if it has
// none.
func idOf(payload []byte) string {
	var w struct {
		ID string `json:"id"`
	}
	if len(payload) > maxPayload || json.Unmarshal(payload, &w) != nil || len(w.ID) > maxID {
		return ""
	}
	return w.ID
}

// check demands the members in must, refuses members in neither list, and bounds
// the id.
func (w wire) check(must, may string) error {
	present := map[string]bool{
		"id": w.ID != nil && *w.ID != "", "text": w.Text != nil && strings.TrimSpace(*w.Text) != "",
		"area": w.Area != nil, "time": w.Time != nil, "on": w.On != nil, "level": w.Level != nil,
		"action": w.Action != nil, "timer": w.Timer != nil, "name": w.Name != nil, "seconds": w.Seconds != nil, "at": w.At != nil,
	}
	for m := range strings.FieldsSeq(must) {
		if !present[m] {
			return fmt.Errorf("%s is missing or empty; expected {%s} and perhaps %s", m, must, may)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(present)) {
		if present[m] && !strings.Contains(" "+must+" "+may+" ", " "+m+" ") {
			return fmt.Errorf("%s does not belong to this command; expected {%s} and perhaps %s", m, must, may)
		}
	}
	if id := *w.ID; len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("id must be plain text of at most %d bytes", maxID)
	}
	return nil
}

// fresh refuses a command that was on its way for too long: a lamp must not be switched
// on by a command from before an outage. A time ahead of ours is refused as well: such a
// command would stay fresh for as long as the clocks differ.
func fresh(stamp *string, now time.Time) error {
	if stamp == nil {
		return nil
	}
	t, err := time.Parse(time.RFC3339, *stamp)
	if err != nil {
		return fmt.Errorf("time %q is not RFC 3339, such as %s", *stamp, now.UTC().Format(time.RFC3339))
	}
	switch age := now.Sub(t); {
	case age > maxAge:
		return fmt.Errorf("the command is %s old; at most %s is taken", age.Round(time.Second), maxAge)
	case age < -maxAge:
		return fmt.Errorf("time %q is %s ahead of this gateway's clock; at most %s is taken, so set both clocks", *stamp, (-age).Round(time.Second), maxAge)
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
