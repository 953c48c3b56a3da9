package grounded_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/mind/grounded"
	"voicegateway/internal/tools"
)

// houseOf is the house in which people speak a language.
func houseOf(tb testing.TB, language string) *home.House {
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
	return h
}

// rows reads a table of sentences.
func rows(t *testing.T, file string, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.SplitN(line, " | ", columns)
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns", file, line, len(row))
		}
		out = append(out, row)
	}
	return out
}

// know tells a ground what a column of the tables says.
func know(t *testing.T, g *grounded.Ground, column string) {
	t.Helper()
	if column == "-" {
		return
	}
	for one := range strings.SplitSeq(column, " + ") {
		how, what, _ := strings.Cut(one, " ")
		thing, said, _ := strings.Cut(what, ":")
		thing, said = strings.TrimSpace(thing), strings.TrimSpace(said)
		args, err := json.Marshal(map[string]string{"device_name": thing})
		if err != nil {
			t.Fatal(err)
		}
		switch how {
		case "did":
			g.Act("control", args, tools.Result{Receipt: &tools.Receipt{Device: thing, Property: "on_off", Outcome: tools.Confirmed, Value: said}})
		case "refused":
			g.Act("control", args, tools.Result{Receipt: &tools.Receipt{Device: thing, Property: "lock", Outcome: tools.Refused, Value: "unlocked"}})
		case "read":
			g.Reading("get_state", args, tools.Result{Text: said}, thing == "")
		default:
			t.Fatalf("%q is no knowledge", one)
		}
	}
}

// TestNothingUnprovenIsSpoken: what a family would believe wrongly is held back.
func TestNothingUnprovenIsSpoken(t *testing.T) {
	t.Parallel()
	for _, row := range append(rows(t, "false.txt", 3), append(rows(t, "false2.txt", 3), rows(t, "false3.txt", 3)...)...) {
		g := grounded.Know(houseOf(t, row[0]), row[0]).Turn("", false)
		know(t, g, row[1])
		if v := g.Judge(row[2]); g.Spoken(row[2]) {
			t.Errorf("%s | %s | %s: spoken (%d)", row[0], row[1], row[2], v)
		}
	}
}

// TestTrueWordsAreSpoken: a sentence that claims nothing, or that is proven, is not held
// back.
func TestTrueWordsAreSpoken(t *testing.T) {
	t.Parallel()
	for _, row := range append(rows(t, "true.txt", 3), append(rows(t, "true2.txt", 3), rows(t, "true3.txt", 3)...)...) {
		g := grounded.Know(houseOf(t, row[0]), row[0]).Turn("", false)
		know(t, g, row[1])
		if v := g.Judge(row[2]); !g.Spoken(row[2]) {
			t.Errorf("%s | %s | %s: held back (%d)", row[0], row[1], row[2], v)
		}
	}
}

// TestYesAndNo: a yes claims what was asked.
func TestYesAndNo(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "asked.txt", 5) {
		g := grounded.Know(houseOf(t, row[0]), row[0]).Turn(row[1], false)
		know(t, g, row[2])
		if got := g.Spoken(row[3]); got != (row[4] == "spoken") {
			t.Errorf("%s | %s | %s | %s: spoken %t (%d)", row[0], row[1], row[2], row[3], got, g.Judge(row[3]))
		}
	}
}

// TestAfterAnOrder: what a model says to an order, or to a question, that no tool has
// carried out or answered.
func TestAfterAnOrder(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "ordered.txt", 5) {
		order := slices.Contains([]string{"make", "do", "mach", "tu", "ponlo", "haz", "fais"}, strings.Fields(row[1])[0])
		g := grounded.Know(houseOf(t, row[0]), row[0]).Turn(row[1], order)
		know(t, g, row[2])
		if got := g.Spoken(row[3]); got != (row[4] == "spoken") {
			t.Errorf("%s | %s | %s | %s: spoken %t (%d)", row[0], row[1], row[2], row[3], got, g.Judge(row[3]))
		}
	}
}

// FuzzJudge: whatever a model writes, and whatever a server answers, is judged.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"The lamp is on.", "Yes, 21.5°C!", "I've, er, \"turned\" it — on?", "Öffne 3 Türen: an/aus", "\xff 's ' ,", "Est-ce que l'une est allumée ?"} {
		f.Add(seed, "Kitchen Light is on at 40 percent.")
	}
	k := grounded.Know(houseOf(f, "en"), "en")
	f.Fuzz(func(_ *testing.T, said, read string) {
		g := k.Turn(said, true)
		g.Judge(said)
		g.Reading("get_state", json.RawMessage(`{"device_name":"Kitchen Light"}`), tools.Result{Text: read, Data: json.RawMessage(read)}, false)
		g.Act("control", nil, tools.Result{Text: read})
		g.Judge(said)
		k.Clean(read)
	})
}
