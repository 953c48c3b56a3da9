package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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

func TestNumbersInNamesAreHeardAsWords(t *testing.T) {
	t.Parallel()
	x := names.New([]names.Entry{{Name: "Lamp 1"}, {Name: "Lamp 2"}, {Name: "Lamp 12"}, {Name: "Light A"}, {Name: "Light B"}})
	tests := map[string]int{"lamp two": 1, "lamp 2": 1, "lamp twelve": 2, "the lamp 12": 2, "light a": 3, "light b": 4}
	for heard, want := range tests {
		if r := x.Resolve(heard, nil); r.Verdict != names.Exact || r.Items[0] != want {
			t.Errorf("%s: got %+v", heard, r)
		}
	}
	for _, heard := range []string{"lamp three", "lamp 3", "light c"} {
		if r := x.Resolve(heard, nil); r.Verdict == names.Exact || r.Verdict == names.Fuzzy {
			t.Errorf("%s: got %+v", heard, r)
		}
	}
}

// TestPartsOfNames shows what is decided by a part of a name, by the room and by
// another word for the same kind of thing.
func TestPartsOfNames(t *testing.T) {
	t.Parallel()
	things := []names.Entry{
		{Name: "Guest Room Lamp", Places: []string{"Guest Room"}},
		{Name: "Guest Bath Light", Places: []string{"Guest Bath"}},
		{Name: "Desk Lamp", Places: []string{"Office", "study"}},
		{Name: "Office Shade", Places: []string{"Office", "study"}},
		{Name: "Chandelier", Places: []string{"Dining Room"}},
		{Name: "Dining Room Fan", Places: []string{"Dining Room"}},
	}
	tests := map[string]struct {
		heard   string
		verdict names.Verdict
		items   []int
	}{
		"two fit by kind":         {"guest light", names.Many, []int{0, 1}},
		"one by kind":             {"desk light", names.Fuzzy, []int{2}},
		"one by kind, other word": {"office blind", names.Fuzzy, []int{3}},
		"by room":                 {"office lamp", names.Exact, []int{2}},
		"by another room name":    {"the study lamp", names.Exact, []int{2}},
		"room alone":              {"dining room", names.Exact, []int{5}},
		"not in that room":        {"dining room blind", names.None, nil},
		"kind alone":              {"shade", names.Exact, []int{3}},
	}
	x := names.New(things)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := x.Resolve(tt.heard, nil); r.Verdict != tt.verdict || !slices.Equal(r.Items, tt.items) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestTheMicrophonesRoomDecidesTies(t *testing.T) {
	t.Parallel()
	x := names.New([]names.Entry{{Name: "Hall Lamp"}, {Name: "Wall Lamp"}, {Name: "Front Door"}, {Name: "Back Door"}})
	near := func(is ...int) func(int) bool { return func(i int) bool { return slices.Contains(is, i) } }
	tests := map[string]struct {
		heard string
		near  func(int) bool
		want  names.Result
	}{
		"alike, none near":     {"fall lamp", nil, names.Result{Verdict: names.Unsure, Items: []int{0, 1}}},
		"alike, one near":      {"fall lamp", near(1), names.Result{Verdict: names.Fuzzy, Items: []int{1}}},
		"alike, both near":     {"fall lamp", near(0, 1), names.Result{Verdict: names.Unsure, Items: []int{0, 1}}},
		"part, one near":       {"door", near(3), names.Result{Verdict: names.Exact, Items: []int{3}}},
		"part, other room":     {"door", near(0), names.Result{Verdict: names.Many, Items: []int{2, 3}}},
		"exact beats the room": {"hall lamp", near(1), names.Result{Verdict: names.Exact, Items: []int{0}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := x.ResolveNear(tt.heard, nil, tt.near); r.Verdict != tt.want.Verdict || !slices.Equal(r.Items, tt.want.Items) {
				t.Errorf("got %+v, want %+v", r, tt.want)
			}
		})
	}
}

// A word that says another kind of thing is no mishearing to act on, however like
// the name the whole is.
func TestAnotherKindIsAskedAbout(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		things []string
		heard  map[string]names.Verdict
	}{
		"en": {[]string{"Kitchen Light", "Reading Lamp", "Bedroom Curtains"}, map[string]names.Verdict{
			"kitchen night": names.Unsure, "kitchen right": names.Unsure, "kitchen fight": names.Unsure, "reading camp": names.Unsure,
			"kitchen lite": names.Exact, "reading clamp": names.Fuzzy, "bedroom certains": names.Fuzzy, "kitchen lihgt": names.Fuzzy, "reading lump": names.Fuzzy, "bedroom curtins": names.Fuzzy, "kitchin light": names.Fuzzy,
		}},
		"de": {[]string{"Küchenlicht", "Stehlampe", "Licht im Keller"}, map[string]names.Verdict{
			"küchennicht": names.Unsure, "küchenlich": names.Fuzzy, "nicht im keller": names.Unsure,
		}},
		"es": {[]string{"Luz de la cocina", "Persiana del salón"}, map[string]names.Verdict{
			"cruz de la cocina": names.Unsure, "luz de la cosina": names.Fuzzy,
		}},
		"fr": {[]string{"Lampe de la cuisine", "Volet du salon"}, map[string]names.Verdict{
			"rampe de la cuisine": names.Unsure, "lampe de la cuisinne": names.Fuzzy,
		}},
	}
	for lang, tt := range tests {
		things := make([]names.Entry, len(tt.things))
		for i, name := range tt.things {
			things[i].Name = name
		}
		x := names.NewFor(lang, things)
		for heard, want := range tt.heard {
			if r := x.Resolve(heard, nil); r.Verdict != want {
				t.Errorf("%s %q: got %+v, want %d", lang, heard, r, want)
			}
		}
	}
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lang, name, heard string
		verdict           names.Verdict
	}{
		"german article":      {"de", "Stehlampe", "die stehlampe", names.Exact},
		"german cut":          {"de", "Küchenlampe", "küchen lampe", names.Fuzzy},
		"german umlaut":       {"de", "Küchenlampe", "kuchenlampe", names.Exact},
		"german plural":       {"de", "Lampe", "lampen", names.Exact},
		"spanish article":     {"es", "Lámpara de la mesilla", "la lampara mesilla", names.Exact},
		"spanish sound":       {"es", "Luz Cocina", "luz cosina", names.Fuzzy},
		"french apostrophe":   {"fr", "porte d'entrée", "la porte de l'entrée", names.Exact},
		"french sound":        {"fr", "rideau gauche", "ridau gauche", names.Fuzzy},
		"unknown language":    {"xx", "Lampa kuchnia", "lampa kuchna", names.Fuzzy},
		"spanish other thing": {"es", "Luz Cocina", "luz jardín", names.None},
		"german other thing":  {"de", "Küchenlicht", "gartenlicht", names.None},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := names.NewFor(tt.lang, []names.Entry{{Name: tt.name}}).Resolve(tt.heard, nil); r.Verdict != tt.verdict {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestALongTextIsNoName(t *testing.T) {
	t.Parallel()
	x := names.New(house)
	for _, heard := range []string{
		strings.Repeat("kitchen light ", 800), strings.Repeat("k", 10_000), strings.Repeat("' ", 5000), strings.Repeat("9", 10_000),
	} {
		if r := x.Resolve(heard, nil); r.Verdict != names.None || x.Knows(heard) {
			t.Errorf("%d bytes: %+v", len(heard), r)
		}
	}
}

// A look-up must not cost memory with the size of the house beyond one table of
// likenesses.
func TestResolveAllocatesLittle(t *testing.T) { //nolint:paralleltest // it counts allocations
	for _, n := range []int{20, 200, 2000} {
		x := names.New(large(n))
		for _, heard := range []string{"bath room seeling lump", "water cooler", "bathroom ceiling"} {
			if got := testing.AllocsPerRun(20, func() { x.Resolve(heard, nil) }); got > 50 {
				t.Errorf("%d things, %q: %v allocations", n, heard, got)
			}
		}
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
		if got := names.SpokenForms(name); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
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

// large makes a house of n things with an alias each.
func large(n int) []names.Entry {
	rooms := []string{"Kitchen", "Living Room", "Bedroom", "Bathroom", "Office", "Hallway", "Garage", "Attic", "Cellar", "Nursery"}
	places := []string{"Ceiling", "Corner", "Window", "Wall", "Desk", "Shelf", "Floor", "Sofa", "Counter", "Mirror", "Cabinet", "Door"}
	things := []string{"Light", "Lamp", "Fan", "Blind", "Heater", "Plug", "Sensor", "Speaker", "Curtain", "Valve", "Camera", "Charger"}
	out := make([]names.Entry, n)
	for i := range out {
		room, place, thing := rooms[i%len(rooms)], places[i/10%len(places)], things[i/7%len(things)]
		out[i] = names.Entry{
			Name: fmt.Sprintf("%s %s %s %d", room, place, thing, i), Aliases: []string{fmt.Sprintf("Box %c%c%d", 'a'+i%26, 'a'+i/26%26, i)},
			Places: []string{room},
		}
	}
	return out
}

// BenchmarkResolve is the misheard name among 200 things of make bench.
func BenchmarkResolve(b *testing.B) {
	x := names.New(large(200))
	b.ReportAllocs()
	for b.Loop() {
		x.Resolve("bath room seeling lump", nil)
	}
}

func BenchmarkLookUp(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		x := names.New(large(n))
		for what, heard := range map[string]string{"misheard": "bath room seeling lump", "part": "bathroom ceiling", "stranger": "water cooler"} {
			b.Run(fmt.Sprintf("%s/%d", what, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x.Resolve(heard, nil)
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		entries := large(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				names.New(entries)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("en", "the kitchen light")
	f.Add("en", "'s")
	f.Add("fr", "l'entrée")
	f.Add("de", "ſtraße 'S’ 47110815")
	f.Add("es", "e\u0301 \xff\xfe")
	f.Fuzz(func(t *testing.T, lang, s string) {
		x := names.NewFor(lang, house)
		r := x.ResolveNear(s, nil, func(i int) bool { return i%2 == 0 })
		for _, i := range r.Items {
			if i < 0 || i >= len(house) {
				t.Fatal("an entry that does not exist")
			}
		}
		if (r.Verdict == names.Exact || r.Verdict == names.Fuzzy) && len(r.Items) != 1 {
			t.Fatalf("%d things accepted", len(r.Items))
		}
		if own := names.NewFor(lang, []names.Entry{{Name: s}}); len(s) <= 64 && own.Knows(s) && own.Resolve(s, nil).Verdict != names.Exact {
			t.Fatalf("%q is not itself", s)
		}
		_ = names.SpokenForms(s)
	})
}
