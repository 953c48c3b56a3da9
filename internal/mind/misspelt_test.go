package mind_test

import (
	"log/slog"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// orders are an order to switch a thing on, one that is carried out later, and an
// answer that agrees, by language.
var orders = map[string][]string{
	"en": {"turn on the %", "turn on the % in ten minutes", "yes"},
	"de": {"schalte % ein", "schalte % in zehn Minuten ein", "ja"},
	"fr": {"allume %", "allume % dans dix minutes", "oui"},
	"es": {"enciende %", "enciende % en diez minutos", "sí"},
}

// denying makes a mind for a house of relays with these names, with the default settings,
// which deny dangerous acts.
func denying(t *testing.T, language string, names []string, can ...home.Ability) (*mind.Mind, *clerk) {
	t.Helper()
	h := &home.House{Areas: []home.Area{{Name: "Den"}}}
	domain := "switch"
	if len(can) > 1 {
		domain = "light"
	}
	for _, name := range names {
		h.Entities = append(h.Entities, home.Entity{
			ID: "switch." + name, Name: name, Domain: domain, Area: "Den", Abilities: can, Server: "zwave",
			Control: &home.Control{Tool: "control_zwave_device", ID: name}, Read: &home.Control{Tool: "get_device_state", ID: name},
		})
	}
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	c := &clerk{world: fake.NewWorldOf(h)}
	a, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: h}, &fake.Caller{CallFunc: c.call}, &fake.Assistant{}, phrases,
		guard.Default(), mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

// TestMisspeltHazardsBySentence says orders to houses of relays with misspelt dangerous
// names: with the right name and with the misspelt one, now and for later, and says yes
// to questions. It counts what reaches a device or a timer.
func TestMisspeltHazardsBySentence(t *testing.T) {
	t.Parallel()
	houses := map[string][][]fake.Misspelt{} // by language; a house has each right name once
	for _, m := range fake.MisspeltHazards() {
		list := houses[m.Language]
		n := 0
		for n < len(list) && containsRight(list[n], m.Right) {
			n++
		}
		if n == len(list) {
			list = append(list, nil)
		}
		list[n] = append(list[n], m)
		houses[m.Language] = list
	}
	all, acted := 0, 0
	for language, list := range houses {
		for _, misspelt := range list {
			var names []string
			for _, m := range misspelt {
				names = append(names, m.Name)
			}
			for _, m := range misspelt {
				all++
				a, c := denying(t, language, names, home.OnOff)
				for _, said := range []string{m.Right, m.Name} {
					for _, order := range orders[language][:2] {
						for _, text := range []string{strings.ReplaceAll(order, "%", said), orders[language][2]} {
							a.Turn(t.Context(), record.Request{Text: text, Area: "Den", Source: record.FromHTTP})
						}
					}
				}
				if len(c.world.Calls) > 0 {
					acted++
					t.Logf("%s %q as %q: %q", language, m.Right, m.Name, c.world.Calls)
				}
			}
		}
	}
	t.Logf("%d of %d misspelt hazards were acted on", acted, all)
	if acted > 0 || all != 300 {
		t.Errorf("%d of %d misspelt hazards were acted on, want 0 of 300", acted, all)
	}
}

func containsRight(list []fake.Misspelt, right string) bool {
	for _, m := range list {
		if m.Right == right {
			return true
		}
	}
	return false
}

// TestLookalikesAreSwitched orders harmless relays by their names.
func TestLookalikesAreSwitched(t *testing.T) {
	t.Parallel()
	denied := 0
	for _, name := range fake.Lookalikes() {
		a, c := denying(t, "en", []string{name}, home.OnOff)
		rec := a.Turn(t.Context(), record.Request{Text: "turn on " + name, Area: "Den", Source: record.FromHTTP})
		if len(c.world.Calls) == 0 {
			denied++
			t.Logf("%q: %s", name, rec.Reply)
		}
	}
	t.Logf("%d of 300 harmless relays were refused", denied)
	if denied > 6 {
		t.Errorf("%d of 300 harmless relays were refused, want at most 2 percent", denied)
	}
}

// TestWhatWasSaidIsJudged orders something dangerous that the house does not have, but
// something harmless whose name is like it.
func TestWhatWasSaidIsJudged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said  string
		house []string
		can   []home.Ability
		calls int
	}{
		"a stone for a stove":       {"turn on the stove", []string{"Stone"}, []home.Ability{home.OnOff}, 0},
		"a lamp for an oven":        {"turn on the oven", []string{"Owen"}, []home.Ability{home.OnOff, home.Brightness}, 0},
		"a lamp that is misheard":   {"turn on the garage lied", []string{"Garage Light"}, []home.Ability{home.OnOff, home.Brightness}, 1},
		"itself":                    {"turn on the stone", []string{"Stone"}, []home.Ability{home.OnOff}, 1},
		"a slip in a harmless name": {"turn on the garten lamp", []string{"Garden Lamp"}, []home.Ability{home.OnOff, home.Brightness}, 1},
		"a dimmer that is misspelt": {"turn on the garten lampe", []string{"Garten Lampe"}, []home.Ability{home.OnOff, home.Brightness}, 1},
		"the other way":             {"turn off the stov", []string{"Stov"}, []home.Ability{home.OnOff}, 1},
	} {
		a, c := denying(t, "en", tt.house, tt.can...)
		for _, text := range []string{tt.said, "yes"} {
			a.Turn(t.Context(), record.Request{Text: text, Area: "Den", Source: record.FromHTTP})
		}
		if len(c.world.Calls) != tt.calls {
			t.Errorf("%s: %q calls %q, want %d", name, tt.said, c.world.Calls, tt.calls)
		}
	}
}

// TestAMisspeltHazardIsNotTakenBack switches a misspelt stove off, which is never
// dangerous, and takes that back, which would switch it on.
func TestAMisspeltHazardIsNotTakenBack(t *testing.T) {
	t.Parallel()
	a, c := denying(t, "en", []string{"Stov"}, home.OnOff)
	c.world.Set("Stov", "on", nil)
	for _, text := range []string{"turn off the stov", "undo that", "no, turn it on", "turn it back on"} {
		a.Turn(t.Context(), record.Request{Text: text, Area: "Den", Source: record.FromHTTP})
	}
	if got := strings.Join(c.world.Calls, ", "); got != "Stov off" {
		t.Errorf("the calls are %s, want the one that switches it off", got)
	}
}
