package mind_test

import (
	"context"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// listening is a house whose matcher judges by the grammar, as the ear's does.
type listening struct {
	understanding
	grammar *grammar.Grammar
}

// Judge says whether words are a whole sentence.
func (l listening) Judge(partial string) speech.Completeness { return l.grammar.Judge(partial) }

// asHeard is what the ear made of a line of a dialogue: "turn on …" is a beginning, "off
// ~ on" has another reading, "open it ++ please" continues in the open ear (where "++
// please ~ peas" has another reading), and "> yes" is said after a question without a
// wake word.
func asHeard(line string) (q record.Request, more string, others []string) {
	line, q.FollowUp = strings.CutPrefix(line, "> ")
	line, more, _ = strings.Cut(line, " ++ ")
	if more != "" {
		all := strings.Split(more, " ~ ")
		more, others = all[0], all[1:]
	}
	readings := strings.Split(line, " ~ ")
	q.Text, q.Unfinished = strings.CutSuffix(readings[0], " …")
	q.Others = readings[1:]
	return q, more, others
}

// hear says a line to the house as the ear hands it on, and returns the calls it led
// to and what was said aloud.
func (f *family) hear(line string) (rec record.Record, calls, said string) {
	made := len(f.world.Calls)
	q, more, others := asHeard(line)
	q.Area, q.Source = f.area, f.source
	rec = record.Record{ID: record.NewID(), Source: f.source, Area: f.area, Transcript: &record.Transcript{Text: q.Text}}
	if !q.FollowUp {
		rec.Wake = &record.Wake{Word: "hey jarvis"}
	}
	var aloud []string
	t := record.Turn{Request: q, Record: &rec, Say: func(s string) { aloud = append(aloud, s) }, Unsay: func() { aloud = nil }}
	ctx := context.WithoutCancel(f.t.Context())
	f.answer.Answer(ctx, t)
	if more != "" {
		whole := speech.Transcript{Text: q.Text + " " + more}
		whole.Text, whole.Unfinished = strings.CutSuffix(whole.Text, " …")
		for _, other := range others {
			whole.Others = append(whole.Others, q.Text+" "+other)
		}
		f.answer.Extend(ctx, t, whole)
	}
	slices.Sort(f.world.Calls[made:])
	if calls = strings.Join(f.world.Calls[made:], "; "); calls == "" {
		calls = "-"
	}
	return rec, calls, strings.Join(aloud, " ")
}

// TestDoubts plays dialogues about sentences that were not finished, that have another
// reading, or that continued in the open ear. A line is said as the ear heard it; behind
// the arrow stands what it does and what is said aloud. In a part called Each, every line
// is said to a house in which nothing was said before.
func TestDoubts(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "es", "fr"} {
		text, err := os.ReadFile("testdata/doubts/" + language + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "# ")[1:] {
			title, lines, _ := strings.Cut(part, "\n")
			t.Run(language+" "+title, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := move(t, language)
					for line := range strings.Lines(lines) {
						if line = strings.TrimSpace(line); line == "" || f.stir(line) {
							continue
						}
						if strings.HasPrefix(title, "Each") {
							f.stir("+10m")
						}
						f.hold(line)
					}
				})
			})
		}
	}
}

// hold says a line and compares what it does with what stands behind its arrow.
func (f *family) hold(line string) {
	f.t.Helper()
	text, want, ok := strings.Cut(line, " => ")
	if !ok {
		f.t.Fatalf("%q is neither said nor done", line)
	}
	wantCalls, wantSaid, told := strings.Cut(want, " |")
	wantSaid = strings.TrimSpace(wantSaid)
	rec, calls, said := f.hear(text)
	if calls != wantCalls || told && said != wantSaid {
		f.t.Errorf("%q does %q and says %q, expected %s", text, calls, said, want)
	}
	if said != rec.Reply {
		f.t.Errorf("%q: %q is said aloud, and %q is in the record", text, said, rec.Reply)
	}
	if asks := strings.HasSuffix(said, "?"); asks != (rec.Outcome == record.Asked) || asks && calls == "-" && len(rec.Calls) > 0 {
		f.t.Errorf("%q says %q and ends as %s with %d calls", text, said, rec.Outcome, len(rec.Calls))
	}
}

// TestWrittenTextIsWhole: a typed text is never half a sentence, and has no other
// reading.
func TestWrittenTextIsWhole(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	rec := f.answer.Turn(t.Context(), record.Request{Text: "turn on the fan", Source: record.FromCLI, Unfinished: true, Others: []string{"turn off the fan"}})
	if rec.Outcome != record.Done || len(rec.Calls) != 1 {
		t.Errorf("it ends as %s and says %q", rec.Outcome, rec.Reply)
	}
}

// TestNoModelFinishesASentence: a speaker who stopped inside a sentence is asked for the
// rest, even if a model would make something of the beginning.
func TestNoModelFinishesASentence(t *testing.T) {
	t.Parallel()
	prompts := 0
	k := converse(t, "en", func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		prompts++
		return func(func(dialogue.Part, error) bool) {}
	})
	for _, text := range []string{"turn on the", "turn on", "set the thermostat to", "the"} {
		rec := record.Record{ID: record.NewID()}
		q := record.Request{Text: text, Source: record.FromMic, Unfinished: true}
		k.answer.Answer(t.Context(), record.Turn{Request: q, Record: &rec, Say: func(string) {}})
		if rec.Outcome != record.Asked || !strings.HasSuffix(rec.Reply, "?") || prompts > 0 {
			t.Errorf("%q ends as %s, says %q, and the model was asked %d times", text, rec.Outcome, rec.Reply, prompts)
		}
	}
}

// TestADryRunLeavesNoQuestion: it says what would be asked, and nothing waits for an
// answer.
func TestADryRunLeavesNoQuestion(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	for _, q := range []record.Request{
		{Text: "turn on", Unfinished: true, DryRun: true},
		{Text: "turn off the fan", Others: []string{"turn on the fan"}, DryRun: true},
	} {
		var rec record.Record
		q.Source = record.FromMic
		f.answer.Answer(t.Context(), record.Turn{Request: q, Record: &rec, Say: func(string) {}})
		if rec.Outcome != record.Asked || f.answer.Amendable(record.FromMic, "") || len(f.world.Calls) > 0 {
			t.Errorf("%q ends as %s after %q", q.Text, rec.Outcome, f.world.Calls)
		}
	}
}

// TestWhatCannotBePutBackIsTold: the reply says that what was meant is done, and that the
// wrong thing did not answer when it was put back.
func TestWhatCannotBePutBackIsTold(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	calls := f.world.Call
	f.answer.SetCaller(&fake.Caller{CallFunc: func(ctx context.Context, c tools.Call) (tools.Result, error) {
		if strings.Contains(string(c.Args), `"off"`) {
			f.world.Outcome["bedroom_lamp"] = "no_answer"
		}
		return calls(ctx, c)
	}})
	f.area, f.source = "Bedroom", record.FromMic
	rec, _, said := f.hear("turn on the lights ++ in the kitchen")
	if want := "The kitchen light is on. The bedroom lamp did not answer."; said != want || rec.Outcome != record.Failed {
		t.Errorf("it ends as %s and says %q, expected %q", rec.Outcome, said, want)
	}
	if len(rec.Calls) != 3 || rec.Intent == nil || rec.Intent.Slots["area"] != "Kitchen" || rec.Transcript.Text != "turn on the lights in the kitchen" {
		t.Errorf("the record has %d calls, the intent %+v and the text %q", len(rec.Calls), rec.Intent, rec.Transcript.Text)
	}
}

// TestAGrownSentenceInADryRun: nothing is done, and nothing is put back.
func TestAGrownSentenceInADryRun(t *testing.T) {
	t.Parallel()
	f := move(t, "en")
	for _, whole := range []string{"turn on the lights in the kitchen", "turn on the lights in the attic", "turn on the lights please"} {
		rec := record.Record{ID: record.NewID(), Source: record.FromMic, Area: "Bedroom"}
		q := record.Request{Text: "turn on the lights", Area: "Bedroom", Source: record.FromMic, DryRun: true}
		told := record.Turn{Request: q, Record: &rec, Say: func(string) {}}
		f.answer.Answer(t.Context(), told)
		f.answer.Extend(t.Context(), told, speech.Transcript{Text: whole})
	}
	if len(f.world.Calls) > 0 {
		t.Errorf("it made %q", f.world.Calls)
	}
}

// TestEveryCut: wherever a speaker stops inside a sentence, nothing is done, and what
// follows as the answer makes the sentence whole.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	for language, sentences := range map[string][]string{
		"en": {
			"turn on the kitchen light", "please turn off the desk lamp", "set the bedroom heating to twenty one degrees", "dim the kitchen light to forty percent",
			"turn on the lights in the office", "make the bedroom lamp blue", "turn the fan on",
			"turn on the kitchen light and the fan", "close the kitchen blind and turn off the desk lamp", "lock the back door",
		},
		"de": {
			"schalte das Küchenlicht ein", "stelle die Schlafzimmerheizung auf 21 Grad", "öffne den Schlafzimmervorhang", "dimme das Küchenlicht auf 40 Prozent",
			"mach den Ventilator an", "schließe das Küchenrollo", "schalte das Küchenlicht und den Ventilator ein",
		},
		"es": {
			"enciende la luz de la cocina", "pon la calefacción del dormitorio a 21 grados", "abre la cortina del dormitorio", "apaga el ventilador",
			"enciende la luz de la cocina y el ventilador",
		},
		"fr": {
			"allume la lumière de la cuisine", "mets le chauffage de la chambre à 21 degrés", "ouvre le rideau de la chambre", "éteins le ventilateur",
			"allume la lumière de la cuisine et le ventilateur",
		},
	} {
		for _, sentence := range sentences {
			t.Run(language+" "+sentence, func(t *testing.T) {
				t.Parallel()
				_, want, _ := move(t, language).hear(sentence)
				if want == "-" {
					t.Fatalf("%q does nothing", sentence)
				}
				words := strings.Fields(sentence)
				for n := 1; n < len(words); n++ {
					f := move(t, language)
					begun, rest := strings.Join(words[:n], " "), strings.Join(words[n:], " ")
					rec, calls, question := f.hear(begun + " …")
					if joins := []string{"and", "und", "y", "et"}; slices.Contains(joins, words[n-1]) || slices.Contains(joins, words[n]) {
						continue // what stands before it is whole, and is done
					}
					if _, calls, said := move(t, language).hear(begun + " … ++ " + rest); calls != want {
						t.Errorf("%q, and in the open ear %q, does %q and says %q, expected %q", begun, rest, calls, said, want)
					}
					if calls != "-" {
						t.Errorf("%q does %q", begun, calls)
					}
					if rec.Outcome != record.Asked {
						t.Errorf("%q ends as %s and says %q", begun, rec.Outcome, question)
					}
					if _, calls, said := f.hear("> " + rest); calls != want {
						t.Errorf("%q: %q, and %q does %q and says %q, expected %q", begun, question, rest, calls, said, want)
					}
				}
			})
		}
	}
}

// TestTelevisionAnswersNoQuestion: talk in the room does not answer a question about a
// sentence. The acceptance test takes every line.
func TestTelevisionAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	televisionAnswersNothing(t, 5)
}

// televisionAnswersNothing takes one in so many of the lines that are said.
func televisionAnswersNothing(t *testing.T, each int) {
	t.Helper()
	for language, asked := range map[string][]string{
		"en": {"turn on …", "turn off the …", "set the bedroom heating to …", "turn the kitchen light …", "turn on the lights in the …", "turn off the fan ~ turn on the fan", "turn on the kitchen light ~ turn on the hallway light"},
		"de": {"schalte das Küchenlicht …", "öffne …", "schalte den Ventilator aus ~ schalte den Ventilator ein"},
		"es": {"enciende …", "pon la calefacción del dormitorio a …", "apaga el ventilador ~ enciende el ventilador"},
		"fr": {"allume …", "mets le chauffage de la chambre à …", "éteins le ventilateur ~ allume le ventilateur"},
	} {
		talk, err := os.ReadFile("../intent/testdata/television_" + language + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			f := move(t, language)
			for i, line := range strings.Split(string(talk), "\n") {
				line = strings.TrimSpace(line)
				if line == "" || strings.HasPrefix(line, "#") || i%each > 0 {
					continue
				}
				question := asked[i/each%len(asked)]
				for _, said := range []string{"> " + line, "> " + line + " …"} {
					f.hear(question)
					if _, calls, reply := f.hear(said); calls != "-" {
						t.Errorf("%q: %q does %q and says %q", question, said, calls, reply)
					}
				}
			}
		})
	}
}

// TestHalfASentenceWithoutAHouse: the gateway does not ask for a thing while no house is
// known.
func TestHalfASentenceWithoutAHouse(t *testing.T) {
	t.Parallel()
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := converseIn(t, &home.House{}, matcher, "en", nil)
	var rec record.Record
	q := record.Request{Text: "turn on the", Source: record.FromMic, Unfinished: true}
	k.answer.Answer(t.Context(), record.Turn{Request: q, Record: &rec, Say: func(string) {}})
	if want := fake.English().Phrase("no_house", nil); rec.Reply != want {
		t.Errorf("it says %q, expected %q", rec.Reply, want)
	}
}
