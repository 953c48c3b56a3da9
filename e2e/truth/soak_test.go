//go:build soak

package truth

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
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
	server *client.Client // of the house, beside the gateway
	broken map[int]string // what is wrong with a device
	outage string         // what is wrong with the house
	until  int            // for how many more turns the fault lasts
}

// live plays the turns of one house.
func live(t *testing.T, chance *rand.Rand, lang string, found *table, over time.Time) {
	t.Helper()
	s := loadSets(t)
	s.house.shrink(chance)
	w := newHouse(t, s, lang)
	f := &family{world: w, Rand: chance, found: found, server: w.shareServer(), broken: map[int]string{}}
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

// shareServer starts the house's server and a gateway that reaches it over HTTP, so that
// somebody else can ask it as well.
func (w *world) shareServer() *client.Client {
	w.Helper()
	address := fake.FreeAddr(w)
	rig.Start(w, rig.Environ(w, "MQTT_BROKER_URL=mqtt://"+w.broker), filepath.Join(bin, "zwave-mcp-server"), "--http", address)
	url := "http://" + address + "/mcp"
	w.startGateway([]string{"VOICE_GATEWAY_AI_ENABLED=false", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_TRANSPORT=http", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_URL=" + url})
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = c.Close() })
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	if _, err := c.Initialize(w.Context(), hello); err != nil {
		w.Fatal(err)
	}
	return c
}

// deviceFaults are what may be wrong with a device, houseFaults with the house.
var (
	deviceFaults = []string{"dead", "deaf", "liar", "liar", "liar", halfLiar, "stops_at", "hold", "hang", "dies", "drop", "lost_report", "refuse", "delay"}
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
	broken := fault{Op: op, Node: d.ID, Count: 1, For: time.Duration(map[string]int{"delay": 2, "hold": 1}[op]) * time.Second}
	if op == "stops_at" {
		broken.Value = 45
	}
	f.faults([]fault{broken})
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
	Level    string            `yaml:"level"`
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
	pattern, number := f.order(d, &a)
	a.Say = strings.NewReplacer("{the}", f.orders.the(f.lang, d.called(f.lang)), "{n}", fmt.Sprint(number)).Replace(pattern)
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
	if f.outage == "" && slices.Contains([]string{"", "deaf", "refuse", "liar", halfLiar, "stops_at", "hold", "hang"}, f.broken[d.ID]) {
		f.look(d)
	}
	if a.Liar && told.falseDone {
		f.found.noteCorrection(f.corrects(r))
	}
}

// travel is more than the slowest cover of the house needs, or a lock that has to turn.
const travel = 40 * time.Second

// look compares what the house says of a device with what it is. A lamp may be told
// as what it said of itself for two seconds; what moves is looked at when it rests.
func (f *family) look(d device) {
	rig.Within(f.Context(), travel, func() bool { return !f.moves(d) })
	that := map[bool]string{true: "locked", false: "on"}[d.isA("lock")]
	if d.isA("light") || d.isA("powered") || d.isA("fan") || d.isA("plug") || d.isA("lock") {
		words := map[string]map[reading]string{"on": {is: "on", isNot: "off"}, "locked": {is: "locked", isNot: "unlocked"}}[that]
		f.compare(d, that, f.readListed, func(now map[string]any) any { return words[holds(now, that, true)] })
	}
	for _, shown := range []struct {
		key, property string
		so            bool
	}{
		{level, "brightness", d.isA("light")},
		{level, "speed", d.isA("fan")},
		{level, "position", d.isA("blind") || d.isA("curtain") || d.isA("gate")},
		{covering, "position", true},
		{setpoint, "setpoint", !d.Sleeping},
	} {
		if _, has := f.facts()[d.ID][shown.key]; has && shown.so {
			f.compare(d, shown.property, func(d device) any { return f.told(d, shown.property) }, func(now map[string]any) any { return percent(now[shown.key]) })
		}
	}
}

// compare notes a state that is said to be another one than it is for longer than two
// seconds. What is not known is not untrue; only whether something is on or locked must
// be, unless its device tells nothing.
func (f *family) compare(d device, what string, said func(device) any, is func(now map[string]any) any) {
	var told, known any
	if !rig.Within(f.Context(), 2*time.Second, func() bool {
		told, known = said(d), is(f.facts()[d.ID])
		return told == known || told == nil && (f.broken[d.ID] == "hang" || what != "on" && what != "locked")
	}) {
		f.found.untrue(fmt.Sprintf("%s, %s (%s)", d.called(f.lang), what, f.trouble()), told, known)
	}
}

// percent is a level as people say it: the device's own scale ends at 99.
func percent(raw any) any {
	if raw == 99.0 {
		return 100.0
	}
	return raw
}

// moves reports whether a device is on its way.
func (f *family) moves(d device) bool {
	f.Helper()
	now, err := f.sim.Truth(f.Context())
	if err != nil {
		f.Error(err)
	}
	for _, t := range now {
		if t.ID == d.ID {
			return t.Moving
		}
	}
	return false
}

// readListed asks for the list of all devices and returns the state of one in it.
func (f *family) readListed(d device) any {
	var shown struct {
		Entities []struct {
			Name  string
			State any
		}
	}
	if f.request(f.Context(), http.MethodGet, "/api/home", nil, &shown) != nil {
		return nil
	}
	for _, e := range shown.Entities {
		if e.Name == d.called(f.lang) {
			return e.State
		}
	}
	return nil
}

// told is what a device is told to be, by a property; nil where the house does not know,
// or has a doubt.
func (f *family) told(d device, property string) any {
	var ask mcp.CallToolRequest
	ask.Params.Name, ask.Params.Arguments = "get_device_state", map[string]any{"device_name": d.called(f.lang)}
	result, err := f.server.CallTool(f.Context(), ask)
	if err != nil || result.IsError {
		return nil
	}
	data, _ := json.Marshal(result.StructuredContent)
	var answer struct {
		Values map[string]any
		Stale  bool
		Reason string
	}
	if json.Unmarshal(data, &answer) != nil || answer.Stale || answer.Reason != "" {
		return nil
	}
	return answer.Values[property]
}

// order chooses what is done to a device.
func (f *family) order(d device, a *act) (pattern string, number int) {
	on := f.IntN(2) == 0
	if key := levelKey(d); key != "" && f.IntN(2) == 0 {
		number = []int{20, 40, 60, 80}[f.IntN(4)]
		a.Want = map[string]any{key: number}
		return f.orders.Level, number
	}
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
		number = 17 + f.IntN(8)
		a.Want = map[string]any{setpoint: number}
		return f.orders.Warm, number
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

// levelKey returns the key of the value that holds the level or the position of a device, or ""
// if the device has neither.
func levelKey(d device) string {
	switch {
	case d.isA("blind"):
		return map[string]string{"blind": covering, "cover": level}[d.Kind]
	case d.isA("light") && d.Kind != "switch", d.isA("fan"):
		return level
	}
	return ""
}

// untrue adds a state that was untrue for longer than two seconds.
func (t *table) untrue(where string, said, is any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stale++
	t.misses = append(t.misses, fmt.Sprintf("%-18s %s is reported as %v and is %v", "STATE", where, said, is))
}
