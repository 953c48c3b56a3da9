//go:build soak

package truth

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
)

var (
	seed     = flag.Uint64("seed", 0, "of the random houses, questions, commands and faults; 0 takes one from the clock")
	duration = flag.Duration("for", 20*time.Minute, "how long the families talk")
)

// turnsAHouse is how many turns a family has in one house before it moves.
const turnsAHouse = 60

// TestSoakTruth lets four families live in random houses where things change and go
// wrong at random, ask and command. Half of the turns are questions.
func TestSoakTruth(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Attr("shows", fmt.Sprintf("seed %d, for %v (make soak SEED=%d)", *seed, *duration, *seed))
	found := newTable()
	over := time.Now().Add(*duration)
	var families sync.WaitGroup
	for i, lang := range languages {
		families.Go(func() {
			for house := uint64(0); time.Now().Before(over) && !t.Failed(); house++ {
				chance := rand.New(rand.NewPCG(*seed, uint64(i)<<32+house))
				t.Run(fmt.Sprintf("%s/%d", lang, house), func(t *testing.T) { live(t, chance, lang, found, over) })
			}
		})
	}
	families.Wait()
	found.show(t)
	if found.turns < 1000 && *duration >= 20*time.Minute {
		t.Errorf("only %d turns, expected 1000", found.turns)
	}
	for _, r := range found.rows {
		if r.wrong > 0 {
			t.Errorf("%d wrong answers that are not about safety", r.wrong)
			break
		}
	}
}

// family lives in a random house.
type family struct {
	*world
	*rand.Rand
	found  *table
	orders orders
	broken map[int]string // what is wrong with a device
	outage string         // what is wrong with the house
	until  int            // for how many more turns the fault lasts
}

// live plays the turns of one house.
func live(t *testing.T, chance *rand.Rand, lang string, found *table, over time.Time) {
	t.Helper()
	s := loadSets(t)
	s.house.shrink(chance)
	w := newWorld(t, s, lang)
	f := &family{world: w, Rand: chance, found: found, broken: map[int]string{}}
	var all map[string]orders
	read(t, "commands.yaml", &all)
	f.orders = all[lang]
	for turn := 0; turn < turnsAHouse && time.Now().Before(over) && t.Context().Err() == nil; turn++ {
		f.happen()
		if turn%2 == 0 {
			f.wonder()
		} else {
			f.command()
		}
	}
}

// shrink leaves some devices out at random, never the one that marks the time.
func (h *dwelling) shrink(chance *rand.Rand) {
	h.Nodes = slices.DeleteFunc(h.Nodes, func(d device) bool { return d.ID != marker && chance.IntN(4) == 0 })
}

// deviceFaults are what may be wrong with a device, houseFaults with the house.
var (
	deviceFaults = []string{"dead", "deaf", "liar", "liar", "liar", halfLiar, "dies", "drop", "lost_report", "refuse", "delay"}
	houseFaults  = map[string]string{"stick_out": "stick_in", "driver_down": "driver_up", "mute": "clear"}
)

// halfLiar is a device that stops half-way and reports that it has arrived.
const halfLiar = "half liar"

// happen lets the world change: a button is pressed, something breaks, or a broken thing
// works again.
func (f *family) happen() {
	if f.until--; f.until == 0 {
		f.mend()
	}
	switch {
	case f.until > 0: // one trouble at a time
	case f.IntN(3) > 0:
		f.press()
	case f.IntN(2) == 0:
		f.breakSomething()
	}
	f.sync()
}

// press changes something by hand, or the world does.
func (f *family) press() {
	d := f.house().Nodes[f.IntN(len(f.house().Nodes))]
	choices := map[string][]any{
		switched: {true, false}, level: {0, 99, 40}, covering: {0, 99, 50}, barrier: {0, 255}, doorState: {22, 23}, lockMode: {0, 255},
		boltLocked: {true, false}, battery: {5, 80}, alarms[0]: {0, 0, 2}, alarms[1]: {0, 0, 2}, alarms[2]: {0, 0, 2}, alarms[3]: {0, 8},
	}
	now := f.facts()[d.ID]
	for key, to := range choices {
		if _, has := now[key]; has && !d.isA("climate") {
			f.set(values{d.ID: {key: to[f.IntN(len(to))]}})
			return
		}
	}
}

func (f *family) house() *dwelling { return &f.sets.house }

// breakSomething lets a device or the house go wrong for some turns.
func (f *family) breakSomething() {
	f.until = 2 + f.IntN(6)
	if f.IntN(4) == 0 {
		f.outage = []string{"stick_out", "driver_down", "mute"}[f.IntN(3)]
		f.faults([]fault{{Op: f.outage, For: time.Duration(map[string]int{"mute": 20}[f.outage]) * time.Second}})
		return
	}
	d := f.house().Nodes[f.IntN(len(f.house().Nodes))]
	op := deviceFaults[f.IntN(len(deviceFaults))]
	if d.ID == marker || d.Sleeping {
		return
	}
	f.broken[d.ID] = op
	if op == halfLiar {
		f.faults([]fault{{Op: "stops_at", Node: d.ID, Value: 45}})
		op = "liar"
	}
	f.faults([]fault{{Op: op, Node: d.ID, Count: 1, For: time.Duration(map[string]int{"delay": 2}[op]) * time.Second}})
}

// mend ends the fault, and lets the house find out.
func (f *family) mend() {
	if f.outage != "" {
		f.faults([]fault{{Op: houseFaults[f.outage]}})
	}
	f.faults([]fault{{Op: "clear"}})
	for id := range f.broken {
		_ = f.fault(fault{Op: "ping", Node: id}, "")
		for key, now := range f.facts()[id] {
			if slices.Contains([]string{switched, level, covering, barrier, lockMode, boltLocked}, key) {
				f.set(values{id: {key: now}})
			}
		}
	}
	clear(f.broken)
	f.outage = ""
}

// wonder asks a question of the set that is about something in this house. It does not
// ask whether an alarm with a low battery is all right, because both answers are
// acceptable.
func (f *family) wonder() {
	var asked []question
	now := f.facts()
	for _, q := range f.sets.questions {
		members := f.house().members(q)
		if q.That == "calm" && slices.ContainsFunc(members, func(d device) bool { return holds(now[d.ID], "low", true) == is }) {
			continue
		}
		if q.lang == f.lang && (len(members) > 0 || q.Ask == "well") {
			asked = append(asked, q)
		}
	}
	q := asked[f.IntN(len(asked))]
	before := f.facts()
	r := f.ask(q.Text, q.Here)
	after := f.facts()
	var best verdict
	var why string
	var known truth
	for _, state := range []situation{{}, f.situation()} {
		for _, now := range []facts{before, after} {
			t := f.house().truthOf(q, state, now)
			if v, reason := f.sets.judge(q, t, r.Reply, r.Outcome); best == "" || better(v, best) {
				best, why, known = v, reason, t
			}
		}
	}
	if best == wrong && strings.HasPrefix(why, "it answers neither yes nor no") {
		best = dontKnow // a door that is closing is neither open nor closed
	}
	f.found.question(f.sets, f.trouble(), q, known, r.Reply, best, why)
}

// better reports whether a verdict is milder than another.
func better(a, b verdict) bool {
	order := []verdict{right, dontKnow, wrong, unsafeLie}
	return slices.Index(order, a) < slices.Index(order, b)
}

// situation is what cannot be reached now, as far as that can have been noticed.
func (f *family) situation() situation {
	var s situation
	if f.outage != "" {
		s.Unreachable = []any{"*"}
	}
	for id := range f.broken {
		s.Unreachable = append(s.Unreachable, id)
	}
	return s
}

// trouble says in the table of misses what was wrong.
func (f *family) trouble() string {
	text := f.outage
	for id, op := range f.broken {
		text += fmt.Sprintf("%s %d", op, id)
	}
	return text
}

// orders are how commands are spelled in a language.
type orders struct {
	Articles map[string]string `yaml:"articles"`
	On       string            `yaml:"on"`
	Off      string            `yaml:"off"`
	Lock     string            `yaml:"lock"`
	Close    string            `yaml:"close"`
	Open     string            `yaml:"open"`
	Warm     string            `yaml:"warm"`
	AllOff   string            `yaml:"all_off"`
}

// the is a device with its article.
func (o orders) the(lang, name string) string {
	words := strings.Fields(name)
	for word, article := range o.Articles {
		first := strings.ToLower(words[0])
		if word == "" || first == word || lang == "de" && strings.HasSuffix(first, word) {
			if lang == "de" {
				return article + " " + name
			}
			return article + " " + strings.ToLower(name)
		}
	}
	return name
}

// command gives a random command.
func (f *family) command() {
	var able []device
	for _, d := range f.house().Nodes {
		if slices.ContainsFunc([]string{"light", "plug", "fan", "lock", "door", "blind", "thermostat", "valve"}, d.isA) && d.Kind != "door" && d.called("en") != "Floor Lamp" {
			able = append(able, d)
		}
	}
	d := able[f.IntN(len(able))]
	if i := slices.IndexFunc(able, func(d device) bool { return f.broken[d.ID] != "" }); i >= 0 && f.IntN(3) > 0 {
		d = able[i] // a broken device is commanded more often than by chance
	}
	a := act{ID: "soak", Lang: f.lang, Node: d.ID, About: f.trouble(), Want: map[string]any{}, May: []string{string(done), string(underWay)}, Blameless: f.outage != ""}
	pattern, degrees := f.order(d, &a)
	a.Say = strings.NewReplacer("{the}", f.orders.the(f.lang, d.called(f.lang)), "{n}", fmt.Sprint(degrees)).Replace(pattern)
	if d.isA("powered") {
		a.May = []string{string(done)}
	}
	lies := slices.Contains([]string{"liar", halfLiar}, f.broken[d.ID])
	a.Liar = lies && d.isA("light") // every other device is read back before the answer
	if d.Sleeping {
		a.May = append(a.May, string(queued))
	}
	if f.outage != "" || f.broken[d.ID] != "" {
		a.May = nil
		for _, m := range []message{done, underWay, queued, unsure, notDoneDevice, notDoneOther, refused} {
			a.May = append(a.May, string(m))
		}
	}
	r := f.ask(a.Say, d.Area)
	told := f.sets.sentence(a, r, f.facts())
	f.found.act(a, r.Reply, told)
	if f.outage == "" && slices.Contains([]string{"", "deaf", "refuse", "liar", halfLiar}, f.broken[d.ID]) {
		f.look(d)
	}
	if a.Liar && told.falseDone {
		f.found.noteCorrection(f.corrects(r))
	}
}

// look compares what the house says about a device with its real state. For two seconds a
// lamp may still be shown as it last reported itself.
func (f *family) look(d device) {
	that := map[bool]string{true: "locked", false: "on"}[d.isA("lock")]
	if d.isA("door") && !d.isA("lock") || d.isA("blind") || d.isA("thermostat") || d.isA("valve") {
		return // what moves is open and closed at once, and a list tells no set points
	}
	words := map[string]map[reading]string{"on": {is: "on", isNot: "off"}, "locked": {is: "locked", isNot: "unlocked"}}[that]
	var said any
	var known string
	same := func() bool {
		var shown struct {
			Entities []struct {
				Name  string
				State any
			}
		}
		if f.request(f.Context(), http.MethodGet, "/api/home", nil, &shown) != nil {
			return false
		}
		known = words[holds(f.facts()[d.ID], that, true)]
		for _, e := range shown.Entities {
			if e.Name == d.called(f.lang) {
				said = e.State
			}
		}
		return said == known
	}
	if !rig.Within(f.Context(), 2*time.Second, same) {
		f.found.untrue(d.called(f.lang)+" ("+f.trouble()+")", said, known)
	}
}

// order chooses what is done to a device.
func (f *family) order(d device, a *act) (pattern string, degrees int) {
	on := f.IntN(2) == 0
	switch {
	case d.isA("lock"):
		key := map[string]string{"bolt": boltLocked}[d.Kind]
		a.Want = map[string]any{lockMode: 255}
		if key != "" {
			a.Want = map[string]any{key: true}
		}
		return f.orders.Lock, 0
	case d.isA("door"):
		a.Want = map[string]any{map[string]string{"barrier": barrier, "cover": level}[d.Kind]: 0}
		return f.orders.Close, 0
	case d.isA("blind"):
		key := map[string]string{"blind": covering, "cover": level}[d.Kind]
		a.Want = map[string]any{key: map[bool]int{true: 99, false: 0}[on]}
		return map[bool]string{true: f.orders.Open, false: f.orders.Close}[on], 0
	case d.isA("thermostat"):
		degrees = 17 + f.IntN(8)
		a.Want = map[string]any{setpoint: degrees}
		return f.orders.Warm, degrees
	case d.isA("valve"):
		a.Want = map[string]any{switched: false}
		return f.orders.Close, 0
	case d.Kind == "switch" || d.Kind == "plug":
		a.Want = map[string]any{switched: on}
	case on:
		a.Want = map[string]any{level: "on"}
	default:
		a.Want = map[string]any{level: 0}
	}
	return map[bool]string{true: f.orders.On, false: f.orders.Off}[on], 0
}

// untrue adds a state that was untrue for longer than two seconds.
func (t *table) untrue(where string, said, is any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stale++
	t.misses = append(t.misses, fmt.Sprintf("%-18s %s is reported as %v and is %v", "STATE", where, said, is))
}
