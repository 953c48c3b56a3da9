package mind_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
)

// agreements are the words that accept what was asked.
var agreements = map[string]string{"en": "yes", "de": "ja", "es": "sí", "fr": "oui"}

// mostAgreed is how many sentences of a set may be asked about so that a yes does something.
var mostAgreed = map[string]int{"en": 5, "de": 1, "es": 1, "fr": 1}

// TestBystanders says what is no order, without a model, in a house that has all the
// things that are named: nothing is changed and no timer is set, and if anything is asked,
// a yes does nothing either, but for a few.
func TestBystanders(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "es", "fr"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				<-time.After(15 * time.Hour)                // it is afternoon
				all, orders, questions, wrong := 0, 0, 0, 0 // wrong: after a yes
				for kind, text := range readSet(t, "testdata/bystanders/"+language+".txt") {
					rec, agreed := settleByClock(t, language, "bungalow").sayAndAgree(text)
					all++
					switch rec.SpeechAct {
					case "command", "request", "wish":
						orders++
						t.Logf("%s: %q is taken for a %s", kind, text, rec.SpeechAct)
					}
					if rec.Outcome == record.Asked {
						questions++
						t.Logf("%s: %q is asked about: %q", kind, text, rec.Reply)
					}
					if did := changes(rec); len(did) > 0 {
						t.Errorf("%s: %q does %q and says %q", kind, text, did, rec.Reply)
					}
					if did := changes(agreed); len(did) > 0 {
						wrong++
						t.Logf("%s: %q is answered with %q, and a yes does %q", kind, text, rec.Reply, did)
					}
				}
				t.Logf("of %d sentences %d are taken for an order, %d are asked about, and of these a yes to %d does something", all, orders, questions, wrong)
				if wrong > mostAgreed[language] {
					t.Errorf("a yes to %d of %d sentences does something, expected at most %d", wrong, all, mostAgreed[language])
				}
			})
		})
	}
}

// TestBystandersAreHeard: an order in the same house, said in the same way, is seen by what
// TestBystanders looks at.
func TestBystandersAreHeard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"turn on the kitchen light":        `control_zwave_device {"action":"on","device_name":"kitchen_light"}`,
		"set a timer for ten minutes":      `start_timer {"area":"Kitchen","kind":"timer","seconds":600}`,
		"turn the volume down":             `set_volume {"action":"down"}`,
		"turn off all the lights":          `control_zwave_device {"action":"off","device_name":"living_light"}`, // after a yes
		"turn off the fan in five minutes": `start_timer {"area":"Kitchen","command":"turn off the fan","kind":"command","seconds":300}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rec, agreed := settleByClock(t, "en", "bungalow").sayAndAgree(text)
				if did := append(changes(rec), changes(agreed)...); len(did) == 0 || did[0] != want {
					t.Errorf("%q is answered with %q and does %q, expected %q", text, rec.Reply, did, want)
				}
			})
		})
	}
}

// readSet yields the kind and the text of each sentence of a file, in which a line that
// begins with # is the kind of those that follow it.
func readSet(t *testing.T, path string) func(yield func(kind, text string) bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(kind, text string) bool) {
		kind := ""
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if title, ok := strings.CutPrefix(line, "# "); ok {
				kind = title
			} else if line != "" && !yield(kind, line) {
				return
			}
		}
	}
}

// sayAndAgree says a text to the microphone of the room and agrees to what comes of it.
func (f *family) sayAndAgree(text string) (rec, agreed record.Record) {
	f.t.Helper()
	return f.hearTurn(text), f.agree()
}

// hearTurn says a text behind the wake word.
func (f *family) hearTurn(text string) record.Record {
	f.t.Helper()
	return f.turn(record.Request{Text: text, Area: f.area, Source: f.source}, &record.Wake{Word: "hey jarvis"})
}

// agree says yes to what was asked.
func (f *family) agree() record.Record {
	f.t.Helper()
	return f.turn(record.Request{Text: agreements[f.language], Area: f.area, Source: f.source, FollowUp: true}, nil)
}

func (f *family) turn(q record.Request, wake *record.Wake) record.Record {
	f.t.Helper()
	rec := record.Record{ID: record.NewID(), Source: q.Source, Area: q.Area, Transcript: &record.Transcript{Text: q.Text}, Wake: wake}
	f.answer.Answer(context.WithoutCancel(f.t.Context()), record.Turn{Request: q, Record: &rec, Say: func(string) {}})
	return rec
}

// changes names the calls of a turn that changed something: all but those that only read.
func changes(rec record.Record) (all []string) {
	for _, c := range rec.Calls {
		if c.OK && !strings.HasPrefix(c.Tool, "get_") && !strings.HasPrefix(c.Tool, "list_") && !strings.HasPrefix(c.Tool, "check_") {
			all = append(all, c.Tool+" "+string(c.Args))
		}
	}
	return all
}
