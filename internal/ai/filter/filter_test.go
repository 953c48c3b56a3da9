package filter_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/ai/filter"
	"voicegateway/internal/home"
)

// houseOf is the house in which people speak a language.
func houseOf(tb testing.TB, language string) *filter.House {
	tb.Helper()
	file := "house_" + language + ".json"
	if language == "en" {
		file = "house.json"
	}
	data, err := os.ReadFile(filepath.Join("../../intent/testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	return filter.Know(h, language, func(name string) string { return name })
}

// judged is a line of a set, with the turn in which its sentence was judged.
type judged struct {
	line    string
	instead string // what is said in place of the sentence, where the set has it
	turn    *filter.Turn
	verdict filter.Verdict
}

// judge judges the sentences of a set.
func judge(t *testing.T, file string) (all []judged) {
	t.Helper()
	houses := map[string]*filter.House{}
	for _, language := range []string{"en", "de", "fr", "es"} {
		houses[language] = houseOf(t, language)
	}
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := append(strings.Split(line, " | "), "")
		if len(row) < 5 || houses[row[0]] == nil {
			t.Fatalf("%s: %q is no line of a set", file, line)
		}
		said, order := strings.CutPrefix(row[1], "! ")
		turn := houses[row[0]].Turn(said, order)
		know(t, turn, row[2])
		all = append(all, judged{line, row[4], turn, turn.Judge(row[3])})
	}
	return all
}

// know reads what a column of a set says was read.
func know(t *testing.T, turn *filter.Turn, column string) {
	t.Helper()
	for one := range strings.SplitSeq(column, " + ") {
		what, ok := strings.CutPrefix(one, "read ")
		if !ok && one != "-" {
			t.Fatalf("%q is no knowledge", one)
		}
		thing, text, _ := strings.Cut(what, ":")
		args, err := json.Marshal(map[string]string{"device_name": thing})
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			turn.Read(args, strings.TrimSpace(text), strings.TrimSpace(thing) == "")
		}
	}
}

// TestNoClaimIsSpoken: what a family would believe wrongly is held back.
func TestNoClaimIsSpoken(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"claims.txt", "later.txt", "false.txt"} {
		for _, j := range judge(t, file) {
			if j.verdict <= filter.Read {
				t.Errorf("spoken: %s", j.line)
			}
		}
	}
}

// TestTheRestIsSpoken: what says nothing of the house, or just what was read, passes.
func TestTheRestIsSpoken(t *testing.T) {
	t.Parallel()
	for _, j := range judge(t, "free.txt") {
		if j.verdict > filter.Read {
			t.Errorf("held back: %s", j.line)
		}
	}
}

// TestWhatIsSilencedIsKnown: the true sentences that are held back all the same are those
// of the list, and of each it is known what is said in its place.
func TestWhatIsSilencedIsKnown(t *testing.T) {
	t.Parallel()
	all := judge(t, "silenced.txt")
	if len(all) > 50 {
		t.Errorf("%d true sentences are held back", len(all))
	}
	for _, j := range all {
		if j.verdict <= filter.Read || j.instead == "" {
			t.Errorf("spoken, or without what is said instead: %s", j.line)
		}
	}
}

// TestMissingThingsAreNamed: what a sentence was held back about can be read in its place.
func TestMissingThingsAreNamed(t *testing.T) {
	t.Parallel()
	k := houseOf(t, "en")
	for said, want := range map[string]string{
		"The kitchen light is on.":         "kitchen_light",
		"The light in the kitchen is on.":  "kitchen_light",
		"It is 30 degrees in the kitchen.": "kitchen_temperature",
		"The coffee machine is running.":   "coffee_machine",
		"The lights are off.":              "",
		"It is off now.":                   "",
	} {
		turn := k.Turn("what a day", false)
		if v := turn.Judge(said); v != filter.Unread {
			t.Errorf("%q: verdict %d", said, v)
		}
		if got := strings.Join(turn.Missing(), ", "); got != want {
			t.Errorf("%q is about %q, want %q", said, got, want)
		}
	}
}

// TestWhatWasToldIsNotToldAgain: the house has told the reading; the model may add to it.
func TestWhatWasToldIsNotToldAgain(t *testing.T) {
	t.Parallel()
	turn := houseOf(t, "en").Turn("is it warm enough in the office", false)
	know(t, turn, "read Office Temperature: Office Temperature is 19 degrees.")
	turn.Tell()
	for said, want := range map[string]filter.Verdict{
		"It is 19 degrees in the office.":                    filter.Told,
		"At 19 degrees the office is too fresh for orchids.": filter.Read,
		"Orchids want it warmer.":                            filter.Free,
		"It is 24 degrees in the office.":                    filter.Unread,
	} {
		if got := turn.Judge(said); got != want {
			t.Errorf("%q: verdict %d, want %d", said, got, want)
		}
	}
}

// FuzzJudge: whatever a model writes, and whatever a server answers, is judged.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"The lamp is on.", "Yes, 21.5°C!", "I've, er, \"turned\" it — on?", "Öffne 3 Türen: an/aus", "\xff 's ' ,", "Est-ce que l'une est allumée ?"} {
		f.Add(seed, "Kitchen Light is on at 40 percent.")
	}
	k := houseOf(f, "en")
	f.Fuzz(func(_ *testing.T, said, read string) {
		turn := k.Turn(said, true)
		turn.Judge(said)
		turn.Read(json.RawMessage(`{"device_name":"Kitchen Light"}`), read, false)
		turn.Judge(said)
		turn.Missing()
	})
}
