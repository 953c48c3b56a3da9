package intent

import "strings"

// recase gives the text of a reminder the capitals with which its sentence was written:
// "den Müll rausbringen". A heard text has none, and the capitals of a text written in
// capitals only mean nothing.
func recase(written string, d *Decision) {
	if written == strings.ToLower(written) || written == strings.ToUpper(written) {
		return
	}
	for i := range d.Actions {
		recaseSlot(written, d.Actions[i].Slots)
	}
	if d.Would != nil {
		recaseSlot(written, d.Would.Slots)
	}
}

const reminderText = "text"

func recaseSlot(written string, slots map[string]any) {
	text, ok := slots[reminderText].(string)
	if !ok {
		return
	}
	all := strings.Fields(written)
	words := strings.Fields(text)
	last := len(all) - 1
	for i := len(words) - 1; i >= 0; i-- {
		for last >= 0 && normalise(all[last]) != words[i] && !strings.HasSuffix(normalise(all[last]), "'"+words[i]) {
			last--
		}
		if last < 0 {
			return // it was read in other words
		}
		whole := strings.Trim(all[last], punctuation)
		words[i] = whole[max(0, len(whole)-len(words[i])):] // "appeler" of "d'appeler"
		last--
	}
	slots[reminderText] = strings.Join(words, " ")
}
