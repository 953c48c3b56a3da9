package house_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/mind/house"
)

// A thing and a room are found by the names that the configuration gives them.
func TestAliasesOfTheConfiguration(t *testing.T) {
	t.Parallel()
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(home.House{
		Areas:    []home.Area{{Name: "Den"}},
		Entities: []home.Entity{{ID: "light.1", Name: "Den Light", Domain: "light", Area: "Den", Control: &home.Control{Tool: "control", ID: "1"}, Abilities: []home.Ability{home.OnOff}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, also := range map[string]house.Config{"without": {}, "with": {Aliases: map[string][]string{"den light": {"reading lamp"}, "Den": {"snug"}}}} {
		h, err := house.NewNamed(pack, nil, also, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		h.Tell("zwave", body)
		h.Tell("zwave", body) // told again, nothing is named twice
		for _, text := range []string{"turn on the reading lamp", "turn on the lights in the snug"} {
			d := h.Match(text, "")
			if got := len(d.Actions) == 1 && len(d.Actions[0].Devices) == 1; got != (name == "with") {
				t.Errorf("%s aliases %q is %+v", name, text, d)
			}
		}
		if n := len(h.House().Entities[0].Aliases); n != len(also.Aliases["den light"]) {
			t.Errorf("%s: %d aliases", name, n)
		}
	}
}

// Things with the same name get other names by their ids.
func TestAliasesByID(t *testing.T) {
	t.Parallel()
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	two := &home.House{}
	for _, id := range []string{"7", "9"} {
		two.Entities = append(two.Entities, home.Entity{ID: id, Name: "Fan", Domain: "fan", Area: "Office", Control: &home.Control{Tool: "control_device", ID: id}, Abilities: []home.Ability{home.OnOff}})
	}
	h, err := house.NewNamed(pack, two, house.Config{Aliases: map[string][]string{"7": {"fan 1"}, "9": {"fan 2"}}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for said, id := range map[string]string{"turn on fan one": "7", "turn off fan two": "9"} {
		if d := h.Match(said, "Office"); len(d.Actions) != 1 || !slices.Equal(d.Actions[0].Devices, []string{id}) {
			t.Errorf("%s: %+v", said, d)
		}
	}
}

// An entry that is not a name is reported with its key.
func TestAliasesAreChecked(t *testing.T) {
	t.Parallel()
	good := house.Config{Aliases: map[string][]string{"Den Light": {"reading lamp"}}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, also := range map[string][]string{"": {"x"}, "None": {}, "Blank": {" "}, "Lines": {"a\nb"}, "Long": {strings.Repeat("a", 300)}, "Many": make([]string, 65)} {
		bad := house.Config{Aliases: map[string][]string{name: also}}
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "home.aliases") {
			t.Errorf("%q with %d aliases: %v", name, len(also), err)
		}
	}
}
