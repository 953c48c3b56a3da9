package names_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"voicegateway/internal/ear/names"
	"voicegateway/internal/home"
)

// sounds are the pronunciations of a few words.
var sounds = map[string][]string{
	"den": {"D EH N"}, "ten": {"T EH N"}, "light": {"L AY T"}, "lamp": {"L AE M P"}, "lighting": {"L AY T IH NG"}, "office": {"AO F AH S"},
	"fan": {"F AE N"}, "two": {"T UW"}, "one": {"W AH N"},
}

func lamp(id, name, area string, also ...string) home.Entity {
	return home.Entity{ID: id, Name: name, Domain: "light", Area: area, Aliases: also, Control: &home.Control{Tool: "t", ID: id}, Abilities: []home.Ability{home.OnOff}}
}

// confused are the names of a house that sound alike.
func confused(t *testing.T, h *home.House) []names.Confusion {
	t.Helper()
	found, err := names.NewLikeness(h, "en", sounds).FindConfusions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Rooms are compared with rooms, things with things. A thing that can only be read has
// no sentence that acts, and a name that cannot be pronounced is not compared.
func TestWhatIsCompared(t *testing.T) {
	t.Parallel()
	sensor := lamp("9", "Ten Light", "")
	sensor.Control = nil
	for name, c := range map[string]struct {
		house home.House
		want  []string
	}{
		"rooms":              {home.House{Areas: []home.Area{{Name: "Den"}, {Name: "Ten"}}}, []string{"Den", "Ten"}},
		"a room and a thing": {home.House{Areas: []home.Area{{Name: "Den"}}, Entities: []home.Entity{lamp("1", "Ten", "")}}, nil},
		"a sensor":           {home.House{Entities: []home.Entity{lamp("1", "Den Light", ""), sensor}}, nil},
		"another name":       {home.House{Entities: []home.Entity{lamp("1", "Den Light", ""), lamp("2", "Fan", "", "Ten Light")}}, []string{"Den Light"}},
		"not pronounced":     {home.House{Entities: []home.Entity{lamp("1", "Zelbo", ""), lamp("2", "Selbo", "")}}, nil},
		"the same name":      {home.House{Entities: []home.Entity{lamp("1", "Fan", "A"), lamp("2", "Fan", "B")}}, nil},
		"numbers":            {home.House{Entities: []home.Entity{lamp("1", "Fan 1", ""), lamp("2", "Fan 2", "")}}, nil},
	} {
		var got []string
		for _, found := range confused(t, &c.house) {
			got = append(got, found.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Things of one name in one room get names with numbers, once: those that have a name of
// their own keep it.
func TestSameNames(t *testing.T) {
	t.Parallel()
	h := &home.House{Entities: []home.Entity{
		lamp("1", "Fan", "Office"), lamp("2", "fan", "office"), lamp("3", "Fan", "Hall"), lamp("4", "Fan 1", ""), lamp("5", "Fan", "Office", "blower", "both"), lamp("6", "Lamp", "", "both"),
	}}
	got := names.SameNames(h)
	if len(got) != 1 || len(got[0].Things) != 3 || got[0].Mended() || len(got[0].Aliases) != 2 || got[0].Aliases["1"] != "fan 2" || got[0].Aliases["2"] != "fan 3" {
		t.Fatalf("%+v", got)
	}
	for id, alias := range got[0].Aliases {
		i := slices.IndexFunc(h.Entities, func(e home.Entity) bool { return e.ID == id })
		h.Entities[i].Aliases = append(h.Entities[i].Aliases, alias)
	}
	if again := names.SameNames(h); len(again) != 1 || !again[0].Mended() {
		t.Errorf("%+v", again)
	}
}

// A thing without abilities has no namesake. If the second of three things can do what
// each of the others does, the three are one group.
func TestWhatIsSaidOfNamesakes(t *testing.T) {
	t.Parallel()
	idle, dimmer, shade := lamp("1", "Fan", ""), lamp("3", "Lamp", ""), lamp("4", "Lamp", "")
	idle.Abilities, dimmer.Abilities, shade.Abilities = nil, []home.Ability{home.OnOff, home.Brightness}, []home.Ability{home.Brightness}
	got := names.SameNames(&home.House{Entities: []home.Entity{lamp("2", "Lamp", ""), dimmer, shade, idle}})
	if len(got) != 1 || len(got[0].Things) != 3 || len(got[0].Aliases) != 3 {
		t.Errorf("%+v", got)
	}
}

// A large house is examined too: the names of the first thousand things are compared,
// until the context ends, and things of the same name are found among all.
func TestALargeHouse(t *testing.T) {
	t.Parallel()
	h := &home.House{}
	for i := range 10000 {
		name := "Fan"
		if i%2 == 0 {
			name = fmt.Sprint("Lamp ", i)
		}
		h.Entities = append(h.Entities, lamp(fmt.Sprint(i), name, ""))
	}
	if words := names.Vocabulary(h, "en"); len(words) < 10 {
		t.Errorf("%q", words)
	}
	l := names.NewLikeness(h, "en", sounds)
	if l.Left != 9000 {
		t.Errorf("%d are left", l.Left)
	}
	if found, err := l.FindConfusions(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("%v, %d", err, len(found))
	}
	if got := names.SameNames(h); len(got) != 1 || len(got[0].Things) != 5000 || len(got[0].Aliases) != 5000 {
		t.Errorf("%d groups", len(got))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := l.FindConfusions(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The result of the last rehearsal counts as long as the thing has that name, and until it
// has the proposed one.
func TestCurrent(t *testing.T) {
	t.Parallel()
	h := &home.House{Entities: []home.Entity{lamp("1", "Den Light", ""), lamp("2", "Ten Light", ""), lamp("3", "Fan", "")}}
	alike := confused(t, h)
	kept := &names.Report{Confused: []names.Confusion{
		{ID: "1", Name: "Den Light", Alias: "snug"},
		{ID: "3", Name: "Fan", Alias: "blower", With: []string{"Den Light"}},
		{ID: "2", Name: "an older name"},
	}}
	got := names.Current(kept, alike, h)
	if len(got) != 3 || got[0].Alias != "snug" || got[1].Alias == "" || got[2].Name != "Fan" {
		t.Fatalf("%+v", got)
	}
	if groups := names.Groups(got); len(groups) != 1 || len(groups[0]) != 3 {
		t.Errorf("%+v", groups)
	}
	h.Entities[0].Aliases, h.Entities[2].Aliases = []string{"Snug"}, []string{"blower"}
	if got := names.Current(kept, nil, h); len(got) != 0 {
		t.Errorf("mended: %+v", got)
	}
	h.Entities[2].Aliases, h.Entities = nil, h.Entities[1:]
	if got := names.Current(kept, nil, h); len(got) != 0 {
		t.Errorf("what it was taken for is gone: %+v", got)
	}
	kept.Confused[1].With = append(kept.Confused[1].With, "Ten Light")
	if got := names.Current(kept, nil, h); len(got) != 1 || !slices.Equal(got[0].With, []string{"Ten Light"}) || len(kept.Confused[1].With) != 2 {
		t.Errorf("one of two is gone: %+v of %+v", got, kept.Confused[1])
	}
	if got := names.Current(nil, alike, h); len(got) != 2 {
		t.Errorf("without a rehearsal: %+v", got)
	}
}
