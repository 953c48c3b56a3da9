package answer

import (
	"cmp"
	"slices"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/followup"
)

// longestUnawaited is how many words a text may have that is looked at for an order at a
// time that nobody here can wait for.
const longestUnawaited = 16

// unawaited is what is said of a text that asks for something, but at a time or on an
// event that nobody here can wait for: "at sunset", "when I come home". It is the key of a
// phrase, "" if the text asks for nothing. What the text would order is found by leaving
// out what stands before it, behind it or in the middle of it.
func (a *Answerer) unawaited(x *exchange, act intent.SpeechAct) string {
	key, waits := map[intent.SpeechAct]string{"future": "no_such_time", "condition": "no_event"}[act]
	words := strings.Fields(intent.Plain(x.Text))
	if !waits || len(words) > longestUnawaited {
		return ""
	}
	found := ""
	for cut := 1; cut < len(words)-1; cut++ {
		for from := range len(words) - cut + 1 {
			left := slices.Concat(words[:from:from], words[from+cut:])
			if from == 0 && act == "future" && slices.ContainsFunc(words[:cut], a.choosing.Subject) {
				continue // "I will …" tells
			}
			d := a.match.Match(strings.Join(left, " "), x.Area)
			switch {
			case d.Route == intent.Local && followup.Orders(d) && d.Act.MayAct() && !d.Foreign:
				if a.dangerous(d) {
					return "not_later"
				}
				return key
			case d.Reason == followup.HowLong || d.Reason == followup.When:
				found = cmp.Or(found, "no_model") // the words of its time are no time
			case d.Route == intent.Ask && followup.Orders(d): // a longer cut may tell more
				found = key
			}
		}
	}
	return found
}

// dangerous reports whether a decision would do something dangerous.
func (a *Answerer) dangerous(d intent.Decision) bool {
	return slices.ContainsFunc(d.Actions, func(act intent.Action) bool {
		return slices.ContainsFunc(act.Devices, func(id string) bool { return intent.Dangerous(act, a.match.House().Entity(id)) })
	})
}
