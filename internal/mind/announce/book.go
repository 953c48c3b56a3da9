package announce

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/text"
)

// Limits of what is told.
const (
	between    = time.Minute      // two words of rules
	sameAgain  = time.Hour        // the same word on the same thing
	justNow    = 30 * time.Second // what the gateway did so long ago is its own doing
	atOnce     = time.Minute      // a rule that waits for less tells a change, not that it lasts
	mostThings = 1024             // things remembered at once; further ones are ignored
	idle       = 24 * time.Hour   // the time until the next look, where nothing waits
)

// hazard is a kind of alarm that needs no rule.
type hazard struct {
	urgent bool          // people may die of it
	every  time.Duration // the quiet between two rounds
}

// hazards are the classes of such alarms. They ring until a person says stop, by night as
// by day. A break-in is not among them, because many motion sensors report one whenever a
// person moves. A rule can announce it.
var hazards = map[string]hazard{
	"smoke":           {true, 5 * time.Second},
	"carbon_monoxide": {true, 5 * time.Second},
	"gas":             {true, 5 * time.Second},
	"heat":            {true, 5 * time.Second},
	"moisture":        {false, 10 * time.Second},
	"tamper":          {false, 30 * time.Second},
	"glass_break":     {false, 30 * time.Second},
}

// calm are the states in which an alarm is over.
var calm = []string{"clear", "off", "false", "dry", "ok", "idle", "inactive", "normal", "closed"}

// alarm is a hazard that a thing reports.
type alarm struct {
	kept
	seen bool // it was reported since the start
}

// kept is what is known of an alarm over a restart.
type kept struct {
	Thing        string    `json:"thing"`
	Entity       string    `json:"entity,omitempty"` // its id in the house
	Since        time.Time `json:"since"`            // by the clock of the house's server
	Acknowledged bool      `json:"acknowledged"`
}

// lasting is a report that a rule is about, while it is so.
type lasting struct {
	event home.Event
	rule  *Rule
	since time.Time
	due   time.Time
	told  bool
}

// deed is something to be passed on.
type deed struct {
	news      *record.Announcement
	published bool
	alert     *Alert // to be rung
	quiet     string // the alert that is over
	says      bool   // its text is spoken once
	keeps     bool   // the alarms have changed and are to be written
}

// book decides what is announced. All its methods take the time; none blocks.
type book struct {
	rules   []Rule
	night   span
	phrases *reply.Phrases

	alarms map[string]*alarm
	lasts  map[string]*lasting  // by rule and thing
	told   map[string]time.Time // by thing and state: the last word on it
	acts   map[string]time.Time // by name: what the gateway did itself
	spoke  time.Time            // the last word of any rule
}

func newBook(c Config, p *reply.Phrases) *book {
	night, _ := hours(c.Quiet) // it is valid
	return &book{
		rules: slices.Clone(c.Rules), night: night, phrases: p,
		alarms: map[string]*alarm{}, lasts: map[string]*lasting{}, told: map[string]time.Time{}, acts: map[string]time.Time{},
	}
}

// keyOf names one state of one thing.
func keyOf(e home.Event) string {
	thing := e.Entity
	if thing == "" {
		thing = e.Thing
	}
	return strings.Join([]string{e.Server, thing, e.Class, e.Property}, "/")
}

// alertID is the ID of the alert of an alarm.
func alertID(key string) string { return "alarm:" + key }

// report takes an event of a house and returns what is to be announced at once.
func (b *book) report(e home.Event, now time.Time) []deed {
	if e.Kind != home.Reported || state(e) == "" {
		return nil
	}
	var deeds []deed
	if h, ok := hazards[e.Class]; ok {
		deeds = b.judge(e, h, now)
	}
	for i := range b.rules {
		if r := &b.rules[i]; r.about(e) {
			b.follow(e, r, strconv.Itoa(i)+"/"+keyOf(e), now)
		}
	}
	return deeds
}

// judge takes the report of a thing that watches for a hazard.
func (b *book) judge(e home.Event, h hazard, now time.Time) []deed {
	key := keyOf(e)
	a := b.alarms[key]
	if slices.Contains(calm, state(e)) {
		if a == nil {
			return nil
		}
		delete(b.alarms, key)
		d := b.deed(record.Cleared, e, alertID(key), now)
		d.quiet, d.says, d.keeps = alertID(key), !a.Acknowledged, true
		return []deed{d}
	}
	switch {
	case a != nil && another(e, a):
		*a = alarm{} // its end was not told
	case a == nil && len(b.alarms) >= mostThings:
		return nil
	case a == nil:
		a = &alarm{}
		b.alarms[key] = a
	case a.seen || a.Acknowledged:
		a.seen = true
		return nil
	}
	d := b.deed(record.Alarm, e, alertID(key), now)
	a.seen, a.Thing, a.Entity, a.Since = true, e.Thing, e.Entity, e.Time
	d.keeps = true
	d.alert = &Alert{ID: alertID(key), Urgent: h.urgent, Text: d.news.Text, Every: h.every}
	return []deed{d}
}

// another reports whether a report is of another alarm than the one that is known: it
// came after a calm state, also one that was over before this gateway started.
func another(e home.Event, a *alarm) bool {
	before := e
	before.State = e.Before
	return slices.Contains(calm, state(before)) && (!e.First || e.Time.After(a.Since))
}

// follow takes a report that a rule is about. How things are when a house begins to
// tell is no news, and neither is what the gateway has just done; that it is still so
// after a while may be.
func (b *book) follow(e home.Event, r *Rule, key string, now time.Time) {
	last := b.lasts[key]
	switch {
	case !r.holds(e):
		delete(b.lasts, key)
	case last != nil, e.First, len(b.lasts) >= mostThings, r.after() < atOnce && b.ours(e, now):
	default:
		b.lasts[key] = &lasting{event: e, rule: r, since: now, due: now.Add(r.after())}
	}
}

// ours reports whether the gateway has done it.
func (b *book) ours(e home.Event, now time.Time) bool {
	at, acted := b.acts[text.Fold(e.Thing)]
	return e.Ours || acted && now.Sub(at) < justNow
}

// noteTurn takes note of what a turn did.
func (b *book) noteTurn(r record.Record, now time.Time) {
	maps.DeleteFunc(b.acts, func(_ string, at time.Time) bool { return now.Sub(at) >= justNow })
	for _, c := range r.Calls {
		var args struct {
			Device string `json:"device_name"`
			Action string `json:"action"`
		}
		if json.Unmarshal(c.Args, &args) != nil || args.Action == "" || len(b.acts) >= mostThings {
			continue
		}
		b.acts[text.Fold(args.Device)] = now
		if c.Receipt == nil {
			continue
		}
		b.acts[text.Fold(c.Receipt.Device)] = now
		for _, d := range c.Receipt.Devices {
			b.acts[text.Fold(d.Device)] = now
		}
	}
}

// due returns what the rules announce now, at most one sentence, and the time until the
// next call. News that comes up at night is announced in the morning if it is still true.
func (b *book) due(now time.Time) ([]deed, time.Duration) {
	maps.DeleteFunc(b.told, func(_ string, at time.Time) bool { return now.Sub(at) >= sameAgain })
	for {
		key, l := b.first()
		if l == nil {
			return nil, idle
		}
		earliest := l.due
		if end := b.night.until(now); end.After(earliest) {
			earliest = end
		}
		if pause := b.spoke.Add(between); !b.spoke.IsZero() && pause.After(earliest) {
			earliest = pause
		}
		if earliest.After(now) {
			return nil, earliest.Sub(now)
		}
		word := strings.Join([]string{string(l.rule.When), keyOf(l.event), state(l.event)}, "/")
		if at, again := b.told[word]; again {
			b.lasts[key].due = at.Add(sameAgain)
			continue
		}
		l.told, b.spoke = true, now
		if len(b.told) < mostThings {
			b.told[word] = now
		}
		d := b.deedOfRule(l, now)
		return []deed{d}, between
	}
}

// first is what has waited for the longest.
func (b *book) first() (key string, l *lasting) {
	for _, k := range slices.Sorted(maps.Keys(b.lasts)) {
		if o := b.lasts[k]; !o.told && (l == nil || o.due.Before(l.due)) {
			key, l = k, o
		}
	}
	return key, l
}

// deedOfRule is the word of a rule.
func (b *book) deedOfRule(l *lasting, now time.Time) deed {
	n := news{kind: l.rule.When, thing: thing(l.event), state: l.event.State}
	if l.rule.after() >= atOnce {
		n.lasts = now.Sub(l.since)
	}
	text := l.rule.Say
	if text == "" {
		text = newsText(b.phrases, n)
	}
	return deed{says: true, news: &record.Announcement{
		ID: record.NewID(), Kind: l.rule.When, Device: l.event.Thing, Text: text, Time: now,
	}}
}

// deed is the word on a hazard.
func (b *book) deed(k record.Kind, e home.Event, id string, now time.Time) deed {
	text := newsText(b.phrases, news{kind: k, thing: thing(e)})
	return deed{news: &record.Announcement{ID: id, Kind: k, Device: e.Thing, Text: text, Time: now}}
}

// thing returns the thing that an event is about, with as much as the sentence needs.
func thing(e home.Event) *home.Entity {
	return &home.Entity{
		ID: e.Entity, Name: e.Thing, Area: e.Area, Domain: "binary_sensor", Server: e.Server,
		Attributes: map[string]any{"device_class": e.Class},
	}
}

// acknowledge takes note that a person has heard an alert. It returns the thing, and
// whether the alert is of an alarm.
func (b *book) acknowledge(id string) (string, bool) {
	a := b.alarms[strings.TrimPrefix(id, alertID(""))]
	if a == nil || !strings.HasPrefix(id, alertID("")) {
		return "", false
	}
	a.Acknowledged = true
	return a.Thing, true
}

// alertsOf returns the IDs of the alerts of things that are not acknowledged.
func (b *book) alertsOf(things []string) (ids []string) {
	for key, a := range b.alarms {
		if !a.Acknowledged && a.Entity != "" && slices.Contains(things, a.Entity) {
			ids = append(ids, alertID(key))
		}
	}
	slices.Sort(ids)
	return ids
}

// acknowledgedThings are the things whose alarms are acknowledged and not over. A thing that
// has another alarm is not among them.
func (b *book) acknowledgedThings() []string {
	things, open := []string{}, map[string]bool{}
	for _, a := range b.alarms {
		if a.Acknowledged && a.Entity != "" {
			things = append(things, a.Entity)
		}
		open[a.Entity] = open[a.Entity] || !a.Acknowledged
	}
	things = slices.DeleteFunc(things, func(thing string) bool { return open[thing] })
	slices.Sort(things)
	return slices.Compact(things)
}

// rings reports whether an alert is still wanted.
func (b *book) rings(id string) bool {
	a := b.alarms[strings.TrimPrefix(id, alertID(""))]
	return a != nil && !a.Acknowledged
}

// snapshot is what is to be known of the alarms after a restart.
func (b *book) snapshot() map[string]kept {
	all := map[string]kept{}
	for key, a := range b.alarms {
		all[key] = a.kept
	}
	return all
}

// restore takes what an earlier run kept. An alarm that was not acknowledged rings again
// when it is reported again.
func (b *book) restore(all map[string]kept) {
	for key, k := range all {
		if b.alarms[key] == nil && len(b.alarms) < mostThings {
			b.alarms[key] = &alarm{kept: k}
		}
	}
}
