package mind_test

import (
	"testing"

	"voicegateway/internal/fake"
)

// TestOnlyOrdersMayAct: a model is offered tools that change something only for an
// order, and the record says what the text was taken for.
func TestOnlyOrdersMayAct(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		act    string
		mayAct bool
	}{
		"make it cosier in here":                   {"command", true},
		"why don't you make it cosier":             {"request", true},
		"i want it cosier in here":                 {"wish", true},
		"why is it so dark in here":                {"question", false},
		"never close the bedroom curtains":         {"negation", false},
		"if it rains close the bedroom curtains":   {"condition", false},
		"the butler closed all the curtains":       {"past", false},
		"one day close the bedroom curtains":       {"future", false},
		"the neighbours told us to dim every lamp": {"report", false},
		"never turn on the kitchen light":          {"negation", false},
		"should i close the bedroom curtains":      {"question", false},
		"should i doze off close the curtains":     {"condition", false},
		"when i come home turn the kitchen light":  {"condition", false},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := &speaker{says: []saying{{0, "All right."}}}
			rec, _ := spoken(t, minded(t, "en", &fake.Assistant{ReplyFunc: m.reply}), text, false)
			if rec.SpeechAct != want.act || len(m.asked) != 1 || m.asked[0].MayAct != want.mayAct {
				t.Errorf("taken for a %s, the model was asked %+v; want a %s, may act %v", rec.SpeechAct, m.asked, want.act, want.mayAct)
			}
		})
	}
}
