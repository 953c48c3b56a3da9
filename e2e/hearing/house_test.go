package hearing

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/care/lab"
	"voicegateway/internal/fake"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
)

// readHouse reads a house file and says of each thing what it can do, as the server
// that controls it would.
func readHouse(tb testing.TB, path string) *home.House {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		e.Read = &home.Control{Tool: "get_device_state", ID: e.ID}
		if e.Domain != "sensor" && e.Domain != "binary_sensor" {
			e.Control = &home.Control{Tool: "control_zwave_device", ID: e.ID}
		}
		e.Abilities = abilities(e)
	}
	return h
}

func abilities(e *home.Entity) []home.Ability {
	able := map[string][]home.Ability{
		"cover": {home.OpenClose, home.Position, home.Stop}, "climate": {home.Setpoint, home.Mode, home.Temperature},
		"lock": {home.Lock}, "sensor": {home.Temperature}, "binary_sensor": {home.Contact},
	}[e.Domain]
	if class, _ := e.Attributes["device_class"].(string); class == "humidity" {
		able = []home.Ability{home.Humidity}
	}
	if able == nil {
		able = []home.Ability{home.OnOff}
	}
	if e.Domain == "light" {
		able = append(able, home.Brightness)
		if e.Attributes["color"] == true {
			able = append(able, home.Colour)
		}
	}
	return able
}

// reached is a house that carries out its calls and remembers them.
type reached struct{ *fake.World }

// Await returns at once.
func (reached) Await(context.Context, mind.Need) error { return nil }

// deeds returns the state of every device that was touched. A device that was not meant,
// and that was set and then put back, counts as not touched.
func (r reached) deeds(h *home.House, meant map[string]string) map[string]string {
	touched := map[string]int{}
	for _, call := range r.Calls {
		device, _, _ := strings.Cut(call, " ")
		touched[device]++
	}
	before := fake.NewWorldOf(h)
	done := map[string]string{}
	for device, times := range touched {
		is := fmt.Sprint(r.State[device])
		if _, was := meant[device]; was || times == 1 || is != fmt.Sprint(before.State[device]) {
			done[device] = is
		}
	}
	return done
}

// verdict is what a recording came to.
type verdict string

// The verdicts: the order was done, or the question answered; only a part of it was; the
// gateway asked back; nothing was done; a refusal was said aloud; something else was done
// or answered. After a sound that is not an order, doing nothing is right.
const (
	right    verdict = "right"
	part     verdict = "part"
	asked    verdict = "asked"
	rejected verdict = "rejected"
	refused  verdict = "refused"
	wrong    verdict = "wrong"
)

// outcome is one recording with its verdict.
type outcome struct {
	file, said, heard string
	verdict           verdict
	acted             bool // something was changed without an order
	spoke             bool // something was said aloud
	done              []string
	turns             []record.Record
}

// meant is what a text does if it is typed.
type meant struct {
	text  string
	deeds map[string]string
	rec   record.Record
}

// means asks the mind itself what a text does.
func means(ctx context.Context, e *lab.Ear, h *home.House, text string) (meant, error) {
	w := reached{fake.NewWorldOf(h)}
	r, err := e.Read(ctx, w, text)
	return meant{text, w.deeds(h, nil), r}, err
}

// judge compares the result of a recording with what was meant. If the house can do
// nothing about a text, it is right to do nothing and to claim nothing.
func judge(m meant, h *home.House, w reached, heard lab.Hearing) outcome {
	o := outcome{said: m.text, turns: heard.Turns, done: w.Calls}
	did := w.deeds(h, m.deeds)
	for device, is := range did {
		o.acted = o.acted || m.deeds[device] != is
	}
	var texts []string
	var last record.Record
	question := false
	for _, r := range heard.Turns {
		if r.Transcript != nil {
			texts = append(texts, r.Transcript.Text)
		}
		o.spoke = o.spoke || r.Reply != ""
		question = question || r.Outcome == record.Asked
		last = r
	}
	o.heard = strings.Join(texts, " | ")
	able := m.rec.Outcome == record.Done || m.rec.Outcome == record.Accepted
	claimed := last.Outcome == record.Done || last.Outcome == record.Accepted
	empty := m.rec.Outcome == ""
	switch {
	case o.acted:
		o.verdict = wrong
	case empty && question:
		o.verdict = asked
	case empty && o.spoke && !claimed:
		o.verdict = refused
	case len(m.deeds) > 0 && maps.Equal(did, m.deeds),
		len(m.deeds) == 0 && able && claimed && last.Reply == m.rec.Reply,
		!able && !claimed && len(did) == 0:
		o.verdict = right
	case len(did) > 0:
		o.verdict = part
	case question:
		o.verdict = asked
	case claimed:
		o.verdict = wrong
	default:
		o.verdict = rejected
	}
	return o
}

// nothing is the right result of half a sentence, of music and of other people's talk.
func nothing(text string) meant { return meant{text: text} }

// did is what was done and said, for the list of what was wrong.
func (o outcome) did() string {
	what := slices.Clone(o.done)
	for _, r := range o.turns {
		if r.Reply != "" {
			what = append(what, fmt.Sprintf("said %q", r.Reply))
		}
	}
	if len(what) == 0 {
		return "nothing"
	}
	return strings.Join(what, ", ")
}

// settings are those of a gateway with one recogniser.
func settings(engine string) gateway.Config {
	cfg := gateway.Default()
	cfg.STT.Engines, cfg.Wake.ModelsDir = []string{engine}, filepath.Join("..", "..", ".tools", "models")
	return cfg
}
