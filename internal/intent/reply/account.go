package reply

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Retold tells of what was said and done before.
type Retold struct{ *Phrases }

// Deed is one earlier act, ready to be told: on what, with the words of a receipt, when,
// and who asked for it.
type Deed struct {
	Entity   *home.Entity
	Property string
	Value    any
	At       time.Time
	Asker    Asker
	Pending  tools.Reason // why its result is not known; "" if the thing confirmed it
}

// Asker is who asked for a deed, as seen by the user who hears of it.
type Asker struct {
	Mine    bool   // the same room and source
	Area    string // "" if it is not known
	Written bool   // typed, not spoken
	Tapped  bool   // ordered without words: by a tap on the page, or by a program
	Page    bool   // on the page
	MQTT    bool   // by a message
	Timer   bool   // its time had come
	Button  bool   // a button says it
	Undo    bool   // it took something back
	Model   bool   // a language model chose it
}

// SayAsker says who asked for a deed.
func (p Retold) SayAsker(d *Deed) string {
	key := "asked_mic"
	switch w := d.Asker; {
	case w.Undo:
		key = "asked_took_back"
	case w.Timer:
		key = "asked_timer"
	case w.Button:
		key = "asked_button"
	case w.MQTT:
		key = "asked_mqtt"
	case w.Tapped:
		key = w.tapping()
	case w.Mine && w.Area != "":
		key = "asked_mine_room"
	case w.Mine:
		key = "asked_mine"
	case w.Written:
		key = "asked_written"
	case w.Area != "":
		key = "asked_room"
	}
	said := p.Then(key, d.At, map[string]any{"area": p.grammar.names.Room(d.Asker.Area), "in_area": p.grammar.names.In(d.Asker.Area)})
	if d.Asker.Model {
		said += " " + p.Phrase("chosen_by_model", nil)
	}
	return said
}

// tapping is the key of the phrase about somebody who ordered something without words.
func (w *Asker) tapping() string {
	switch {
	case w.Page && w.Mine:
		return "tapped_mine"
	case w.Page:
		return "tapped"
	}
	return "by_program"
}

// ByHand says that a thing reported a change for which no program asked.
func (p Retold) ByHand(d *Deed) string { return p.retell("by_hand", d) }

// Became says the reported state of a thing as a sentence: "The kitchen light is on".
func (p Retold) Became(d *Deed) string {
	args := p.grammar.about(&plan.Step{Entity: d.Entity})
	args["value"] = p.valueOf(d)
	return p.Phrase("news_state", args)
}

// Reported says when a thing reported what.
func (p Retold) Reported(d *Deed) string {
	args := p.grammar.about(&plan.Step{Entity: d.Entity})
	args["value"] = p.valueOf(d)
	return p.Then("happened_report", d.At, args)
}

// State is what a deed made of its thing, in a word or a number: "on", "60 percent".
func (p Retold) State(d *Deed) string { return p.valueOf(d) }

// ByProgram says that some program asked for what a thing reported.
func (p Retold) ByProgram(d *Deed) string { return p.retell("by_program", d) }

// SayFailed says that a thing did not answer its command.
func (p Retold) SayFailed(d *Deed) string { return p.retell("failed_at", d) }

func (p Retold) retell(key string, d *Deed) string {
	args := p.grammar.about(&plan.Step{Entity: d.Entity})
	return p.Then(key, d.At, args)
}

// Then is a phrase about a moment that is over, told with its day if that is not today.
func (p Retold) Then(key string, at time.Time, args map[string]any) string {
	when := p.moment(at)
	args["when"], args["When"] = when, capital(when)
	return p.Phrase(key, args)
}

// Done lists deeds of one moment; with the time if that is wanted.
func (p Retold) Done(deeds []Deed, timed bool) string {
	const most = 4
	var all, unsure []string
	for i := range deeds[:min(len(deeds), most)] {
		d := &deeds[i]
		if d.Pending != "" {
			unsure = append(unsure, p.unsure(d))
			continue
		}
		all = append(all, p.did(d))
	}
	said := p.grammar.list(all)
	if len(deeds) > most {
		said += ", …"
	}
	switch {
	case len(all) == 0:
		said = ""
	case timed:
		said = p.Then("did_at", deeds[0].At, map[string]any{"acts": said})
	default:
		said = p.Phrase("did", map[string]any{"acts": said})
	}
	return strings.TrimSpace(said + " " + strings.Join(unsure, " "))
}

// unsure says why the result of a deed is not known.
func (p Retold) unsure(d *Deed) string {
	args := p.grammar.about(&plan.Step{Entity: d.Entity})
	if text := p.Phrase("why_"+string(d.Pending), args); text != "" {
		return text
	}
	return p.Phrase("why_"+string(tools.Unconfirmed), args)
}

// did is a deed as what was done to its thing: "turned the lamp on".
func (p Retold) did(d *Deed) string {
	args := map[string]any{"name": p.grammar.callThing(d.Entity), "value": p.valueOf(d)}
	switch home.Ability(d.Property) { //nolint:exhaustive // the others are told by their state or their value
	case home.Mute:
		return p.Phrase("did_"+muteWord(d.Value), args)
	case home.Skip, home.List:
		return p.Phrase("did_"+d.Property, args)
	}
	for _, state := range []string{"on", "off", "open", "closed", "locked", "unlocked"} {
		if text := p.Phrase("did_"+state, args); text != "" && d.made(state) {
			return text
		}
	}
	return p.Phrase("did_act", args)
}

// muteWord is the word for whether a thing is mute.
func muteWord(value any) string {
	if on, _ := value.(bool); on {
		return "muted"
	}
	return "unmuted"
}

// made reports whether a deed's own word for its result is the state.
func (d *Deed) made(state string) bool {
	switch home.Ability(d.Property) {
	case home.OnOff, home.OpenClose, home.Lock, "":
	default:
		return false
	}
	switch v := d.Value.(type) {
	case bool:
		return v == (state == "on") && (state == "on" || state == "off")
	case string:
		return v == state
	}
	return false
}

// valueOf is what a deed made of its thing.
func (p Retold) valueOf(d *Deed) string {
	switch home.Ability(d.Property) { //nolint:exhaustive // the others are told as states
	case home.Mute:
		return p.readings.states["other"][muteWord(d.Value)]
	case home.Brightness, home.Position, home.Speed, home.Volume, home.TargetHumidity:
		return sayValue(d.Value) + " " + p.readings.units["%"]
	case home.Setpoint, home.HeatsTo, home.CoolsTo:
		return sayValue(d.Value) + " " + p.readings.degrees(d.Entity.Scale, false)
	case home.Colour:
		if word := p.colours[sayValue(d.Value)]; word != "" {
			return word
		}
	}
	return p.readings.state(d.Entity, d.Value)
}

// Into reports whether a deed brought its thing into a state: on, off, open, closed,
// locked or unlocked. If state is "", every deed did.
func (p Retold) Into(d *Deed, state string) bool {
	if state == "" {
		return true
	}
	switch home.Ability(d.Property) { //nolint:exhaustive // these say nothing of whether a thing is on
	case home.Mute, home.Volume, home.TargetHumidity, home.Skip, home.List:
		return false
	}
	o := observation{State: d.Value, Values: map[string]any{d.Property: d.Value}}
	if level, ok := d.Value.(float64); ok && !slices.Contains([]home.Ability{home.Setpoint, home.HeatsTo, home.CoolsTo}, home.Ability(d.Property)) {
		o.State = map[bool]string{true: "on", false: "off"}[level > 0]
	}
	return p.isIn(d.Entity, &o, state)
}

// isIn reports whether a thing that was read is in a state.
func (p Retold) isIn(e *home.Entity, o *observation, state string) bool {
	if e.Domain == "binary_sensor" || e.Domain == "cover" || e.Domain == "valve" {
		if word := opened[state]; word != "" {
			state = word
		}
	}
	c := &census{p.Phrases, question{want: state}}
	if e.Domain == "lock" && (state == "open" || state == "closed") {
		state = map[string]string{"open": "unlocked", "closed": "locked"}[state]
	}
	return c.stateOf(e, o, state) == state
}

// Sighting is what a reading tells of a thing that was asked about.
type Sighting struct {
	Known bool // the thing was read
	Is    bool // it is in the state that was asked about
	At    time.Time
	said  string
}

// Sight reads a result for the question why a thing is in a state, or since when.
func (p Retold) Sight(s *plan.Step, r tools.Result, state string) Sighting {
	o, ok := observe(s, r)
	if !ok || o.Reachable != nil && !*o.Reachable {
		return Sighting{said: p.answered([]plan.Step{*s}, []tools.Result{r})}
	}
	seen := Sighting{Known: true, Is: state == "" || p.isIn(s.Entity, &o, state), said: p.answered([]plan.Step{*s}, []tools.Result{r})}
	if o.Age > 0 || o.Age == 0 && ageTold(r) {
		seen.At = time.Now().Add(-time.Duration(o.Age) * time.Second)
	}
	return seen
}

// ageTold reports whether a reading tells its age, which may be none.
func ageTold(r tools.Result) bool { return strings.Contains(string(r.Data), `"age_seconds"`) }

// SayUnexplained says that a thing is so without our doing, and when it reported it.
func (p Retold) SayUnexplained(seen Sighting) string {
	if !seen.Known || !seen.Is {
		return seen.said
	}
	if seen.At.IsZero() || time.Since(seen.At) >= day {
		return p.Phrase("not_by_me", nil)
	}
	return p.Then("not_by_me_since", seen.At, map[string]any{})
}

// Since says how long a thing has been in its state, as far as it reported that.
func (p Retold) Since(e *home.Entity, seen Sighting) string {
	args := p.grammar.about(&plan.Step{Entity: e})
	switch age := time.Since(seen.At); {
	case !seen.Known || !seen.Is:
		return seen.said
	case seen.At.IsZero():
		return p.Phrase("since_unknown", nil)
	case age >= day:
		args["ago"] = p.grammar.ago(int64(age / time.Second))
		return p.Phrase("reported_ago", args)
	}
	return p.Then("reported_at", seen.At, args)
}

const day = 24 * time.Hour

// Each joins sentences about several things. The same sentence is said once; different
// ones are said with the name of the thing.
func (p Retold) Each(things []*home.Entity, told []string) string {
	const most = 3
	if !slices.ContainsFunc(told, func(s string) bool { return s != told[0] }) {
		return told[0]
	}
	var all []string
	for i, e := range things[:min(len(things), most)] {
		all = append(all, capital(p.Plain(e))+": "+told[i])
	}
	return strings.Join(all, " ")
}

// Plain is the name of a thing without an article, for use inside a sentence.
func (p Retold) Plain(e *home.Entity) string { return p.grammar.names.Plain(e) }
