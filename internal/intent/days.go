package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/intent/catalogue"
)

// dayLists are the lists of a pack whose texts are days.
var dayLists = []string{"this_weekday", "weekday", "day_word", "feast", "every"}

// today is the day that is meant where none is said.
const today = "today"

// dayWords are the texts that say a day: those of the lists, and further ones of the pack.
func dayWords(pack *Pack) map[string]bool {
	out := map[string]bool{}
	for _, name := range dayLists {
		for _, v := range pack.Lists[name].Values {
			if v.Out == today || v.Out == nil && slices.Contains(v.Texts, today) {
				continue
			}
			for _, text := range v.Texts {
				out[normalise(text)] = true
			}
		}
	}
	for word := range strings.FieldsSeq(pack.Texts["days"]) {
		out[word] = true
	}
	delete(out, "")
	return out
}

// keepDay puts right a reminder whose text has swallowed its day: "remind me about
// tomorrow's meeting at nine" is for tomorrow. Where the day may be that of the reminder or
// belong to what it is about, it is asked for.
func (m *Matcher) keepDay(d Decision, text, area string) Decision {
	act := d.one()
	if act == nil || act.Intent != catalogue.Remind || act.Slots["hours"] != nil || act.Slots["minutes"] != nil || act.Slots["seconds"] != nil || act.Slots["sun"] != nil {
		return d
	}
	about, _ := act.Slots["text"].(string)
	if strings.HasSuffix(text, about) || !m.saysDay(about) { // what stands behind its time is not about the time
		return d
	}
	if moved, ok := m.moveDay(text, about, area); ok {
		return moved
	}
	open := Action{Intent: act.Intent, Slots: map[string]any{"text": about}}
	return Decision{Route: Ask, Reason: When, Question: m.pack.Texts["when"], Would: &open}
}

// saysDay reports whether a day is among the words of a text.
func (m *Matcher) saysDay(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		return m.days[word] || m.days[strings.TrimSuffix(word, m.pack.Texts["is"])] && m.pack.Texts["is"] != ""
	})
}

// moveDay understands a reminder with the day that begins its text behind the rest of it:
// "tomorrow's meeting" is a meeting tomorrow.
func (m *Matcher) moveDay(text, about, area string) (Decision, bool) {
	const most = 4 // words of a day
	words := strings.Fields(about)
	for n := 1; n <= most && n < len(words); n++ {
		day := strings.Join(words[:n], " ")
		if is := m.pack.Texts["is"]; is != "" {
			day = strings.TrimSuffix(day, is)
		}
		rest := strings.Join(words[n:], " ")
		steps := maxSteps
		d, _ := m.known(strings.Replace(text, about, rest+" "+day, 1), area, &steps)
		if act := d.one(); act != nil && act.Slots["text"] == rest && !m.saysDay(rest) &&
			(act.Slots["day"] != nil || act.Slots["date"] != nil || act.Slots["every"] != nil) {
			return d, true
		}
	}
	return Decision{}, false
}
