package truth

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// facts are what the devices of a house really are, by node and value id.
type facts map[int]map[string]any

// reading says whether something is true: not known, no, yes.
type reading int

const (
	unknowable reading = iota
	isNot
	is
)

func readingOf(b bool) reading {
	if b {
		return is
	}
	return isNot
}

// not turns a reading round.
func (r reading) not() reading { return map[reading]reading{is: isNot, isNot: is}[r] }

// The ids of the values that show what a device is.
const (
	lockMode   = "98-0-currentMode"
	lockDoor   = "98-0-doorStatus"
	boltLocked = "118-0-locked"
	switched   = "37-0-currentValue"
	level      = "38-0-currentValue"
	covering   = "106-0-currentValue-13"
	barrier    = "102-0-currentState"
	doorState  = "113-0-Access Control-Door state"
	battery    = "128-0-level"
	setpoint   = "67-0-setpoint-1"
)

// alarms are the values that are not zero during an alarm, a fault or a movement.
var alarms = []string{
	"113-0-Smoke Alarm-Sensor status", "113-0-CO Alarm-Sensor status", "113-0-Water Alarm-Sensor status", "113-0-Home Security-Motion sensor status",
	"113-0-Gas Alarm-Combustible gas status",
}

// measures are the values of questions for a number.
var measures = map[string]string{
	"temperature": "49-0-Air temperature", "humidity": "49-0-Humidity", "setpoint": setpoint, "battery": battery,
}

// nearlyEmpty is the battery level below which a family changes the battery.
const nearlyEmpty = 20

// holds says whether something is true of a device.
func holds(f map[string]any, that string, reachable bool) reading {
	switch that {
	case "gone":
		return readingOf(!reachable)
	case "reachable":
		return readingOf(reachable)
	}
	if !reachable {
		return unknowable
	}
	switch that {
	case "unlocked":
		return locked(f).not()
	case "closed":
		return opened(f).not()
	case "off":
		return on(f).not()
	case "calm":
		return alarmed(f).not()
	case "full":
		return empty(f[battery]).not()
	case "low":
		return empty(f[battery])
	case "locked":
		return locked(f)
	case "open":
		return opened(f)
	case "on":
		return on(f)
	case "alarm":
		return alarmed(f)
	case "ajar":
		return holds(f, "shut", reachable).not()
	case "shut":
		if r := locked(f); r != unknowable || f[lockMode] != nil {
			return r
		}
		return opened(f).not()
	}
	word, number, _ := strings.Cut(that, " ")
	limit, _ := strconv.ParseFloat(number, 64)
	cold := below(f[measures["temperature"]], limit)
	if word == "above" {
		return cold.not()
	}
	return cold
}

// empty is also true for a level that is not a percentage but the code for a low battery.
func empty(value any) reading {
	if n, ok := value.(float64); ok && (n < 0 || n > 100) {
		return is
	}
	return below(value, nearlyEmpty+1)
}

func below(value any, limit float64) reading {
	n, ok := value.(float64)
	if !ok {
		return unknowable
	}
	return readingOf(n < limit)
}

// locked is unknowable for a lock that does not know its own mode.
func locked(f map[string]any) reading {
	if bolt, ok := f[boltLocked].(bool); ok {
		return readingOf(bolt)
	}
	mode, ok := f[lockMode].(float64)
	if !ok || mode == 254 {
		return unknowable
	}
	return readingOf(mode == 255)
}

// opened is true of what is not wholly closed.
func opened(f map[string]any) reading {
	for _, key := range []string{barrier, covering, level} {
		if n, ok := f[key].(float64); ok {
			return readingOf(n != 0)
		}
	}
	if state, ok := f[lockDoor].(string); ok { // some locks tell whether their door is open
		return readingOf(state != "closed")
	}
	if n, ok := f[doorState].(float64); ok {
		return readingOf(n != 23)
	}
	return on(f) // a valve
}

func on(f map[string]any) reading {
	if b, ok := f[switched].(bool); ok {
		return readingOf(b)
	}
	if n, ok := f[level].(float64); ok {
		return readingOf(n != 0)
	}
	return unknowable
}

func alarmed(f map[string]any) reading {
	for _, key := range alarms {
		if n, ok := f[key].(float64); ok {
			return readingOf(n != 0)
		}
	}
	return unknowable
}

// truth is the right answer to a question: of which members it is true, of which it is
// false, and of which that is not known.
type truth struct {
	holds, fails, unsure []int
	answer               reading
	number               float64
	alarm                bool // something that cannot wait is wrong
}

func (t truth) String() string {
	return fmt.Sprintf("%s (so: %v, not: %v, nobody knows: %v, number %v)", map[reading]string{unknowable: "unknowable", is: "yes", isNot: "no"}[t.answer],
		t.holds, t.fails, t.unsure, t.number)
}

// truthOf computes the right answer from the devices themselves.
func (h *dwelling) truthOf(q question, s situation, f facts) truth {
	if q.Ask == "well" {
		return h.wellbeing(s, f)
	}
	var t truth
	for _, d := range h.members(q) {
		t.add(d.ID, holds(f[d.ID], q.That, s.reaches(d.ID)))
	}
	switch q.Ask {
	case "one", "all":
		t.answer = decide(t.fails, t.unsure, isNot)
	case "any":
		t.answer = decide(t.holds, t.unsure, is)
	case "which", "how_many":
		t.answer, t.number = decide(nil, t.unsure, isNot), float64(len(t.holds))
		if q.Ask == "which" && len(t.holds) > 0 {
			t.answer = is
		}
	case "value":
		t.number, _ = f[q.Thing][measures[q.That]].(float64)
		t.answer = readingOf(s.reaches(q.Thing))
		if t.answer == isNot {
			t.answer = unknowable
		}
	}
	return t
}

func (t *truth) add(id int, r reading) {
	list := map[reading]*[]int{is: &t.holds, isNot: &t.fails, unknowable: &t.unsure}[r]
	*list = append(*list, id)
}

// decide returns proven if there is a proof; without one, unknowable if some members are
// not known, else the opposite of proven.
func decide(proofs, unsure []int, proven reading) reading {
	switch {
	case len(proofs) > 0:
		return proven
	case len(unsure) > 0:
		return unknowable
	default:
		return proven.not()
	}
}

// worries are what makes a house not all right: of each kind of thing, what it
// should be.
var worries = []struct{ kind, should string }{
	{"device", "reachable"}, {"smoke", "calm"}, {"co", "calm"}, {"leak", "calm"}, {"gas", "calm"}, {"lock", "locked"}, {"door", "closed"}, {"window", "closed"}, {"battery", "full"},
}

// wellbeing is the answer to "is everything all right?".
func (h *dwelling) wellbeing(s situation, f facts) truth {
	var t truth
	for _, w := range worries {
		for _, d := range h.Nodes {
			if !d.isA(w.kind) || slices.Contains(t.fails, d.ID) {
				continue
			}
			r := holds(f[d.ID], w.should, s.reaches(d.ID))
			if r != is {
				t.add(d.ID, r)
			}
			t.alarm = t.alarm || r == isNot && d.isA("hazard")
		}
	}
	t.answer = decide(t.fails, t.unsure, isNot)
	return t
}
