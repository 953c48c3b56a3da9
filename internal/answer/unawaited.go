package answer

import (
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
			if from == 0 && act == "future" && slices.ContainsFunc(words[:cut], a.choosing.Subject) {
				continue // "I will …" tells
			}
			d := a.match.Match(strings.Join(slices.Concat(words[:from:from], words[from+cut:]), " "), x.Area)
			switch said, sure := a.postponed(d, key); {
			case sure:
				return said
			case said != "":
				found = said // a longer cut may tell more
			}
		}
	}
	return found
}

// postponed returns the key of the phrase for an order at another time, judged by what
// the text would order now; "" if it orders nothing. sure reports whether the text names
// everything that would be done.
func (a *Answerer) postponed(d intent.Decision, key string) (said string, sure bool) {
	switch {
	case !followup.Orders(d) || d.Foreign:
		return "", false
	case d.Route == intent.Local:
		if a.dangerous(d) {
			key = "not_later"
		}
		return key, d.Act.MayAct()
	case d.Reason == followup.HowLong || d.Reason == followup.When:
		return "no_model", false // the words of its time are no time
	}
	return key, false
}

// dangerous reports whether a decision would do something dangerous.
func (a *Answerer) dangerous(d intent.Decision) bool {
	return slices.ContainsFunc(d.Actions, func(act intent.Action) bool {
		return slices.ContainsFunc(act.Devices, func(id string) bool { return intent.Dangerous(act, a.match.House().Entity(id)) })
	})
}
