package names_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/names"
)

var house = []names.Entry{
	{Name: "Kitchen Light"},
	{Name: "Reading Lamp", Aliases: []string{"couch lamp"}},
	{Name: "Dad's Lamp"},
	{Name: "Coffee Machine"},
	{Name: "Front Door"},
	{Name: "Back Door"},
	{Name: "Ceiling Fan"},
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		heard   string
		verdict names.Verdict
		first   int
	}{
		"exact":             {"kitchen light", names.Exact, 0},
		"article, plural":   {"The Kitchen Lights", names.Exact, 0},
		"possessive":        {"dads lamp", names.Exact, 2},
		"alias":             {"couch lamp", names.Exact, 1},
		"part":              {"coffee", names.Exact, 3},
		"part of several":   {"lamp", names.Many, 1},
		"misheard":          {"ceiling fun", names.Fuzzy, 6},
		"cut in two":        {"coffee ma chine", names.Fuzzy, 3},
		"unknown":           {"dishwasher", names.None, 0},
		"other door":        {"cellar door", names.None, 0},
		"nothing":           {"", names.None, 0},
		"too long for name": {"a b c d e f g h i j k l m n o p", names.None, 0},
	}
	x := names.New(house)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := x.Resolve(tt.heard, nil)
			if r.Verdict != tt.verdict || len(r.Items) > 0 && r.Items[0] != tt.first {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestResolveRespectsAllow(t *testing.T) {
	t.Parallel()
	r := names.New(house).Resolve("door", func(i int) bool { return i != 4 })
	if r.Verdict != names.Exact || r.Items[0] != 5 {
		t.Errorf("got %+v", r)
	}
}

func TestSpoken(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"Kitchen Light":  {"kitchen light", "kitchen lights"},
		"Counter Lights": {"counter lights", "counter light"},
		"Dad's Lamp":     {"dad's lamp", "dad's lamps", "dads lamp", "dads lamps"},
		"the top floor":  {"top floor"},
		"Wi-Fi (2.4)":    {"wi fi 2 4"},
		"…":              nil,
	}
	for name, want := range tests {
		if got := names.Spoken(name); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestMisheardNames prints the score on names a recogniser misheard and demands
// that no wrong thing is ever chosen with certainty.
func TestMisheardNames(t *testing.T) {
	t.Parallel()
	file, err := os.Open(fake.Shared(t, "intents", "names_dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var right, total int
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct {
			Heard, Expect string
			Devices       []names.Entry
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		r := names.New(c.Devices).Resolve(c.Heard, nil)
		got := "none"
		switch r.Verdict {
		case names.Exact, names.Fuzzy:
			got = c.Devices[r.Items[0]].Name
		case names.Many, names.Unsure:
			got = "ambiguous"
		case names.None:
		}
		total++
		if got == c.Expect {
			right++
			continue
		}
		t.Logf("%q: got %s, want %s", c.Heard, got, c.Expect)
		if got != "none" && got != "ambiguous" && c.Expect != "ambiguous" {
			t.Errorf("%q: wrong device %s, want %s", c.Heard, got, c.Expect)
		}
	}
	t.Logf("right: %d of %d", right, total)
	if right*100 < total*90 {
		t.Errorf("right: %d of %d, want at least 90 %%", right, total)
	}
}

func ExampleIndex_Resolve() {
	x := names.New([]names.Entry{{Name: "Desk Lamp"}, {Name: "Floor Lamp"}})
	fmt.Println(x.Resolve("the desk lamp", nil).Verdict == names.Exact)
	fmt.Println(x.Resolve("lamp", nil).Verdict == names.Many)
	// Output:
	// true
	// true
}

func BenchmarkResolve(b *testing.B) {
	var entries []names.Entry
	for i := range 200 {
		entries = append(entries, names.Entry{Name: fmt.Sprintf("%s number %c%c", house[i%len(house)].Name, 'a'+i%26, 'a'+i/26)})
	}
	x := names.New(entries)
	for b.Loop() {
		x.Resolve("ceiling fun number b c", nil)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("the kitchen light")
	f.Add("'s")
	f.Add("ſtraße 'S’")
	x := names.New(house)
	f.Fuzz(func(t *testing.T, s string) {
		for _, i := range x.Resolve(s, nil).Items {
			if i < 0 || i >= len(house) {
				t.Fatal("an entry that does not exist")
			}
		}
		_ = names.New([]names.Entry{{Name: s}}).Resolve(s, nil)
		_ = names.Spoken(s)
	})
}
