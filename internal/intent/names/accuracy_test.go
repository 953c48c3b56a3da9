package names_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/names"
)

// told is a thing in one of the shared houses.
type told struct {
	Name, Domain, Area string
	Aliases            []string
}

// actuators are the domains a command can name; a verb narrows at least to these.
var actuators = []string{
	"light", "switch", "fan", "cover", "lock", "valve", "climate", "scene", "script", "alarm_control_panel", "siren", "media_player",
	"vacuum", "lawn_mower",
}

// sharedHouse reads one of the shared houses, chosen by a section's heading.
func sharedHouse(t *testing.T, heading string) []told {
	t.Helper()
	file, part, _ := strings.Cut(heading, " ")
	data, err := os.ReadFile(fake.Shared(t, "intents", file))
	if err != nil {
		t.Fatal(err)
	}
	if file == "names_dev.jsonl" {
		return nthHouse(t, data, part)
	}
	raw := json.RawMessage(data)
	if part != "" {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			t.Fatal(err)
		}
		raw = parts[part]
	}
	var house struct{ Entities []told }
	if err := json.Unmarshal(raw, &house); err != nil || len(house.Entities) == 0 {
		t.Fatalf("%s: %d entities, %v", heading, len(house.Entities), err)
	}
	return house.Entities
}

// nthHouse reads one of the different houses of the project's misheard names.
func nthHouse(t *testing.T, data []byte, n string) []told {
	t.Helper()
	var houses [][]told
	for line := range bytes.Lines(data) {
		var c struct{ Devices []told }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(houses, func(h []told) bool { return h[0].Name == c.Devices[0].Name }) {
			houses = append(houses, c.Devices)
		}
	}
	i, err := strconv.Atoi(n)
	if err != nil || i >= len(houses) {
		t.Fatalf("house %s of %d: %v", n, len(houses), err)
	}
	return houses[i]
}

func entries(things []told) []names.Entry {
	out := make([]names.Entry, len(things))
	for i, e := range things {
		out[i] = names.Entry{Name: e.Name, Aliases: e.Aliases}
		if e.Area != "" {
			out[i].Places = []string{e.Area}
		}
	}
	return out
}

// sections reads a file of testdata: headings in brackets and the lines below.
func sections(t *testing.T, file string, each func(heading, line string)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	heading := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			heading = strings.Trim(line, "[]")
		default:
			each(heading, line)
		}
	}
}

func language(heading string) string {
	for _, lang := range []string{"de", "es", "fr"} {
		if strings.HasPrefix(heading, "home_"+lang) {
			return lang
		}
	}
	return "en"
}

// tally counts the results for names that were meant: found, asked about with the right
// one among the candidates, missed, or taken for another thing.
type tally struct{ exact, asked, missed, wrong int }

// demand fails unless percent are found or asked about and no other thing is
// taken.
func (c *tally) demand(t *testing.T, percent int) {
	t.Helper()
	if total := c.exact + c.asked + c.missed + c.wrong; total == 0 || (c.exact+c.asked)*100 < percent*total {
		t.Errorf("%d of %d found or asked about, want %d %%", c.exact+c.asked, total, percent)
	}
	if c.wrong > 0 {
		t.Errorf("%d times the wrong thing was taken", c.wrong)
	}
}

// judge compares a result with what was meant.
func (c *tally) judge(t *testing.T, things []told, heard, want string, r names.Result) {
	t.Helper()
	called := func(i int) bool { return strings.EqualFold(things[i].Name, want) }
	accepted := r.Verdict == names.Exact || r.Verdict == names.Fuzzy
	got := make([]string, 0, len(r.Items))
	for _, i := range r.Items {
		got = append(got, things[i].Name)
	}
	switch {
	case want == "ambiguous" && (r.Verdict == names.Many || r.Verdict == names.Unsure), want == "none" && r.Verdict == names.None,
		accepted && called(r.Items[0]):
		c.exact++
		return
	case accepted:
		c.wrong++
	case want != "none" && slices.ContainsFunc(r.Items, called):
		c.asked++
	default:
		c.missed++
	}
	t.Logf("%q: %s: got %d %q", heard, want, r.Verdict, got)
}

// TestMisheard prints the score on our own misheard names and demands that it
// does not fall.
func TestMisheard(t *testing.T) {
	t.Parallel()
	counts, houses := make(map[string]*tally), make(map[string][]told)
	index := make(map[string]*names.Index)
	var all tally
	sections(t, "testdata/misheard.txt", func(heading, line string) {
		if houses[heading] == nil {
			houses[heading] = sharedHouse(t, heading)
			index[heading] = names.NewFor(language(heading), entries(houses[heading]))
			counts[heading] = &tally{}
		}
		heard, want, _ := strings.Cut(line, " = ")
		r := index[heading].Resolve(heard, nil)
		counts[heading].judge(t, houses[heading], heard, want, r)
	})
	for heading, c := range counts {
		t.Logf("%s: %+v", heading, *c)
		all.exact, all.asked, all.missed, all.wrong = all.exact+c.exact, all.asked+c.asked, all.missed+c.missed, all.wrong+c.wrong
	}
	t.Logf("all: %+v", all)
	all.demand(t, 96)
}

// TestMisheardOfTheProject prints the score on the names that come with the
// facts of this project, under the same demands.
func TestMisheardOfTheProject(t *testing.T) {
	t.Parallel()
	file, err := os.Open(fake.Shared(t, "intents", "names_dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all tally
	for s := bufio.NewScanner(file); s.Scan(); {
		var c struct {
			Heard, Expect string
			Devices       []told
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all.judge(t, c.Devices, c.Heard, c.Expect, names.New(entries(c.Devices)).Resolve(c.Heard, nil))
	}
	t.Logf("all: %+v", all)
	all.demand(t, 96)
}

// TestStrangersAreRefused demands that things a house lacks are not taken for
// something that is there.
func TestStrangersAreRefused(t *testing.T) {
	t.Parallel()
	var total, asked int
	index, houses := make(map[string]*names.Index), make(map[string][]told)
	sections(t, "testdata/strangers.txt", func(heading, heard string) {
		if index[heading] == nil {
			houses[heading] = sharedHouse(t, heading)
			index[heading] = names.NewFor(language(heading), entries(houses[heading]))
		}
		things := houses[heading]
		for _, domain := range append(actuators, "") { // what a verb narrows to; "" is nothing but commands
			r := index[heading].Resolve(heard, func(i int) bool {
				return things[i].Domain == domain || domain == "" && slices.Contains(actuators, things[i].Domain)
			})
			total++
			switch r.Verdict {
			case names.Exact, names.Fuzzy:
				t.Errorf("%s, %s %q: taken for %s (%d)", heading, domain, heard, things[r.Items[0]].Name, r.Verdict)
			case names.Many, names.Unsure:
				asked++
				t.Logf("%s, %s %q: asks for %s (%d)", heading, domain, heard, things[r.Items[0]].Name, r.Verdict)
			case names.None:
			}
		}
	})
	t.Logf("%d look-ups, %d asked about", total, asked)
	if asked*20 > total {
		t.Errorf("%d of %d asked about, want at most one in twenty", asked, total)
	}
}

// TestLiteral compares what is found without likeness with all that is found: both name the
// same entries by the words of their names, and without likeness nothing else is found.
func TestLiteral(t *testing.T) {
	t.Parallel()
	index, found := make(map[string]*names.Index), 0
	compare := func(heading, heard string) {
		if index[heading] == nil {
			index[heading] = names.NewFor(language(heading), entries(sharedHouse(t, heading)))
		}
		all, literal := index[heading].Resolve(heard, nil), index[heading].ResolveLiteral(heard, nil)
		byWords := all.Whole || all.Verdict == names.Exact || all.Verdict == names.Many
		if literal.Verdict != names.None || byWords {
			found++
			if !reflect.DeepEqual(literal, all) {
				t.Errorf("%s, %q: %+v without likeness, %+v with it", heading, heard, literal, all)
			}
		}
	}
	sections(t, "testdata/misheard.txt", func(heading, line string) {
		heard, meant, _ := strings.Cut(line, " = ")
		compare(heading, heard)
		compare(heading, meant)
	})
	sections(t, "testdata/strangers.txt", compare)
	if found == 0 {
		t.Error("no name was found by its words")
	}
}
