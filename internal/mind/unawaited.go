package mind

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/mind/followup"
)

// longestUnawaited is how many words a text may have in which unawaited looks for an
// order.
const longestUnawaited = 16

// unawaitedKey returns the key of the phrase for a text that orders something at a time, or
// on an event, that the gateway cannot wait for: "at sunset", "when I come home"; "" if
// the text orders nothing. It finds the order by leaving out words at the beginning, at
// the end or in the middle of the text.
func (u *understanding) unawaitedKey(x Exchange, h *home.House, act intent.SpeechAct) string {
	key, waits := map[intent.SpeechAct]string{"future": "no_such_time", "condition": "no_event"}[act]
	words := strings.Fields(intent.Plain(x.Text))
	if !waits || len(words) > longestUnawaited {
		return ""
	}
	found := ""
	for cut := 1; cut < len(words)-1; cut++ {
		for from := range len(words) - cut + 1 {
			if from == 0 && act == "future" && slices.ContainsFunc(words[:cut], u.choosing.Subject) {
				continue // "I will …" tells
			}
			d := u.match.Match(strings.Join(slices.Concat(words[:from:from], words[from+cut:]), " "), x.Area)
			switch said, sure := postponed(d, h, key); {
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
func postponed(d intent.Decision, h *home.House, key string) (said string, sure bool) {
	switch {
	case !followup.Orders(d) || d.Foreign:
		return "", false
	case d.Route == intent.Local:
		if dangerous(d, h) {
			key = "not_later"
		}
		return key, d.Act.MayAct()
	case d.Reason == intent.HowLong || d.Reason == intent.When:
		return "no_model", false // the words of its time are no time
	}
	return key, false
}

// dangerous reports whether a decision would do something dangerous in a house.
func dangerous(d intent.Decision, h *home.House) bool {
	return slices.ContainsFunc(d.Actions, func(act intent.Action) bool {
		return slices.ContainsFunc(act.Devices, func(id string) bool { return intent.Dangerous(act, h.Entity(id)) })
	})
}
