package doubt

import (
	"cmp"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Missing asks for what a beginning lacks: the number for the thing that was named, the
// thing, the room; or, if that is not clear, how the sentence continues. It finds this
// out by trying endings, and carries out none of the sentences that it tries.
func (r *Reader) Missing(beginning string) string {
	beginning = r.Words.LastPart(beginning)
	if r.Words.Telling(beginning) == 0 {
		return r.Phrases.Phrase("unfinished", nil)
	}
	ways := []func(string) string{r.missingState, r.missingThing, r.missingValue, r.missingMore, r.missingAny}
	if r.Words.Leads(beginning) {
		ways = []func(string) string{r.missingValue, r.missingRoom, r.missingThing, r.missingMore, r.missingAny}
	}
	for _, ask := range ways {
		if question := ask(beginning); question != "" {
			return question
		}
	}
	return r.Phrases.Phrase("unfinished", nil)
}

// ends tries how a beginning may continue, and returns the first sentence with one act.
func (r *Reader) ends(beginning string, tails ...string) (intent.Action, bool) {
	for _, tail := range tails {
		if d := r.Match(r.Plain(beginning, tail)); d.Route == intent.Local && len(d.Actions) == 1 {
			return d.Actions[0], true
		}
	}
	return intent.Action{}, false
}

// missingThing asks what is to be switched, where only the verb was said.
func (r *Reader) missingThing(beginning string) string {
	verb := ""
	for _, name := range r.examples(beginning) {
		act, ok := r.ends(beginning, name)
		switch {
		case !ok || len(act.Devices) == 0 || !act.Changes():
		case verb == "":
			verb = r.verb(act)
		case act.Intent == catalogue.StopMoving: // "stop the": a fan, or a blind
			verb = "thing"
		}
	}
	if verb == "" {
		return ""
	}
	return r.Phrases.Phrase("unfinished_"+verb, nil)
}

// examples are names of things of every kind, one of each, those first that begin
// with the last words of the text.
func (r *Reader) examples(beginning string) []string {
	var first, rest []string
	seen := map[string]bool{}
	for _, begun := range []bool{true, false} {
		for i := range r.House.Entities {
			e := &r.House.Entities[i]
			kind := e.Domain + " " + e.DeviceClass()
			if e.Control == nil || seen[kind] || begun && !r.Words.Begun(beginning, e.Name) {
				continue
			}
			seen[kind] = true
			if begun {
				first = append(first, e.Name)
			} else {
				rest = append(rest, e.Name)
			}
		}
	}
	return append(first, rest...)
}

// verb returns the key of the question for a missing thing: what is done to it.
func (r *Reader) verb(act intent.Action) string {
	e := r.House.Entity(act.Devices[0])
	opens := e != nil && (e.Domain == "cover" || e.Domain == "valve")
	locks := e != nil && e.Domain == "lock"
	switch act.Intent {
	case catalogue.TurnOn:
		return map[bool]string{opens: "open", locks: "lock", !opens && !locks: "on"}[true]
	case catalogue.TurnOff:
		return map[bool]string{opens: "close", locks: "thing", !opens && !locks: "off"}[true]
	}
	if len(catalogue.Of(act.Intent).Sets) > 0 && catalogue.Of(act.Intent).Sets[0].Slot != "" {
		return "set"
	}
	return "thing"
}

// missingValue asks for the number or the colour of the thing that was named.
func (r *Reader) missingValue(beginning string) string {
	return r.ofNamed("unfinished_value", beginning, r.Words.Values())
}

// missingState asks what to do with the thing that was named.
func (r *Reader) missingState(beginning string) string {
	return r.ofNamed("unfinished_state", beginning, r.Words.States())
}

// ofNamed asks about the one thing that was named, if one of the tails makes a command
// of the beginning.
func (r *Reader) ofNamed(key, beginning string, tails []string) string {
	for _, tail := range tails {
		act, ok := r.ends(beginning, tail)
		if !ok || !act.Changes() || act.Slots["name"] == nil || len(act.Devices) != 1 {
			continue
		}
		if e := r.House.Entity(act.Devices[0]); e != nil {
			return r.Phrases.Of(key, []*home.Entity{e}, nil)
		}
	}
	return ""
}

// missingAny asks for the number or the state of what was not named.
func (r *Reader) missingAny(beginning string) string {
	if r.Words.Points(beginning) {
		return ""
	}
	if act, ok := r.ends(beginning, r.Words.Values()...); ok && act.Changes() {
		return r.Phrases.Phrase("unfinished_value_plain", nil)
	}
	if act, ok := r.ends(beginning, r.Words.States()...); ok && act.Changes() {
		return r.Phrases.Phrase("unfinished_state_plain", nil)
	}
	return ""
}

// missingRoom asks for the room.
func (r *Reader) missingRoom(beginning string) string {
	if act, ok := r.ends(beginning, r.House.AreaNames()...); ok && act.Slots["area"] != nil {
		return r.Phrases.Phrase("unfinished_room", nil)
	}
	return ""
}

// missingMore asks for the thing in a sentence that also lacks what to do with it.
func (r *Reader) missingMore(beginning string) string {
	if r.Words.Telling(beginning) > 2 {
		return "" // a verb has one word or two, and to try all that may follow takes time
	}
	for _, lacking := range []struct {
		key   string
		tails []string
	}{{"unfinished_switch", r.Words.States()}, {"unfinished_set", r.Words.Values()}} {
		for _, name := range r.examples(beginning) {
			if act, ok := r.ends(r.Plain(beginning, name), lacking.tails...); ok && len(act.Devices) > 0 && act.Changes() {
				return r.Phrases.Phrase(lacking.key, nil)
			}
		}
	}
	return ""
}

// longestRefused is how many words an answer may have that names something the house
// does not know. Longer ones are talk.
const longestRefused = 4

// Finished makes a sentence of a beginning and the answer to the question about it; ok is
// false if the answer does not continue it, such as a new command or talk.
func (r *Reader) Finished(beginning, answer string) (text string, ok bool) {
	asked, refused := "", ""
	all := r.Words.JoinAnswer(beginning, answer)
	for _, text := range all {
		switch d := r.Match(text); {
		case d.Route == intent.Local:
			return text, true
		case d.Route == intent.Ask && d.Would != nil:
			asked = cmp.Or(asked, text)
		case refuses(d):
			refused = cmp.Or(refused, text)
		}
	}
	if r.Words.Points(beginning) && len(all) > 0 && r.Means(all[0]).Route == intent.Local { // "turn it", "off"
		return all[0], true
	}
	if alone := r.Means(answer); alone.Route == intent.Local || alone.Route == intent.Ask {
		return "", false
	}
	if countWords(answer) > longestRefused {
		refused = ""
	}
	text = cmp.Or(asked, refused)
	return text, text != ""
}

// refuses reports whether a sentence was understood but for a name or a number in it.
func refuses(d intent.Decision) bool {
	return d.Limits != nil || d.Route == intent.Reject && d.Heard != "" && d.Reason != intent.BareName
}

// Plain joins a beginning and a later text, for a sentence that is still not finished.
func (r *Reader) Plain(beginning, more string) string {
	if all := r.Words.JoinAnswer(beginning, more); len(all) > 0 {
		return all[0]
	}
	return strings.TrimSpace(beginning)
}
