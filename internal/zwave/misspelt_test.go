package zwave_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// relays plays a house of relays with these names and returns what is called from an
// MCP host's side of it.
func relays(t *testing.T, kind string, names []string) *rig {
	t.Helper()
	house := sim.House{HomeID: 2}
	for i, name := range names {
		house.Nodes = append(house.Nodes, sim.NodeSpec{ID: i + 2, Name: name, Location: "Room", Kind: kind})
	}
	b := newBus()
	play(t, b, func(c *sim.Config) { c.Gateway, c.House, c.Scale = "Home", house, 0.01 })
	r := open(t, b, nil)
	r.loaded()
	return r
}

// writes counts what was sent to devices.
func (r *rig) writes() (n int) {
	for _, topic := range r.mine.published() {
		if strings.HasSuffix(topic, "/writeValue/set") || strings.HasSuffix(topic, "/sendCommand/set") {
			n++
		}
	}
	return n
}

// TestMisspeltHazardsOfAnyHost has an MCP host switch relays with misspelt dangerous
// names, and relays whose harmless names resemble these. It acts by the name and by the
// id.
func TestMisspeltHazardsOfAnyHost(t *testing.T) {
	t.Parallel()
	const inOneHouse = 150
	var dangerous []string
	for _, m := range fake.MisspeltHazards() {
		dangerous = append(dangerous, m.Name)
	}
	harmless := fake.Lookalikes()
	switched, refused, all := 0, 0, 0
	for part := range len(dangerous) / inOneHouse {
		synctest.Test(t, func(t *testing.T) {
			r := relays(t, "switch", dangerous[part*inOneHouse:(part+1)*inOneHouse])
			for _, e := range r.house.Home().Entities {
				before := r.writes()
				r.control(e.Name, "on", nil)
				r.control(e.ID, "on", nil)
				if n := r.writes() - before; n > 0 {
					switched, all = switched+1, all+n
					t.Logf("%q was switched on", e.Name)
				}
			}
		})
		synctest.Test(t, func(t *testing.T) {
			r := relays(t, "switch", harmless[part*inOneHouse:(part+1)*inOneHouse])
			for _, e := range r.house.Home().Entities {
				if got, _ := r.control(e.Name, "on", nil); got.Outcome != "confirmed" {
					refused++
					t.Logf("%q is harmless: %s", e.Name, got.Message)
				}
			}
		})
	}
	t.Logf("%d of %d misspelt hazards were switched on by %d writes; %d of %d harmless relays were refused", switched, len(dangerous), all, refused, len(harmless))
	if switched > 0 || refused > len(harmless)*2/100 {
		t.Errorf("%d misspelt hazards were switched on, want 0; %d harmless relays were refused, want at most 2 percent", switched, refused)
	}
}

// TestMisspeltHazardByKindAndRoom has things of other kinds, whose names, labels and
// rooms count, and dimmers, which count by their exact name only.
func TestMisspeltHazardByKindAndRoom(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind, room, name, action string
		writes                   bool
	}{
		"a plug":                       {"plug", "Hall", "Siern", "on", false},
		"a valve":                      {"valve", "Hall", "Left", "open", false},
		"a motor":                      {"cover", "Hall", "Hoftr", "open", false},
		"a relay off":                  {"switch", "Hall", "Stov", "off", true},
		"the only thing in the garage": {"cover", "Garge", "Left", "open", false},
		"an opener in the garage":      {"switch", "Gaarge", "Opener", "on", false},
		"a light in the garage":        {"switch", "Garge", "Garge Light", "on", true},
		"a freezer in the garage":      {"plug", "Garge", "Garge Freezer", "on", true},
		"a dimmer by its exact name":   {"dimmer", "Hall", "Oven", "on", false},
		"a dimmer that is misspelt":    {"dimmer", "Hall", "Garten Lampe", "on", true},
	}
	for name, tc := range tests {
		written := false
		synctest.Test(t, func(t *testing.T) {
			b := newBus()
			house := sim.House{HomeID: 2, Nodes: []sim.NodeSpec{{ID: 2, Name: tc.name, Location: tc.room, Kind: tc.kind, Values: map[string]any{}}}}
			play(t, b, func(c *sim.Config) { c.Gateway, c.House, c.Scale = "Home", house, 0.01 })
			r := open(t, b, nil)
			r.loaded()
			r.control(tc.name, tc.action, nil)
			written = r.writes() > 0
		})
		if written != tc.writes {
			t.Errorf("%s: %q in %q was told %q: written is %v", name, tc.name, tc.room, tc.action, written)
		}
	}
}

// TestNewNamesAreJudged renames a relay and moves a motor while the server runs.
func TestNewNamesAreJudged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		<-time.After(10 * time.Second) // nothing is asked for or refreshed at the moment
		if got, _ := r.control("Coffee Machine", "on", nil); got.Outcome != "confirmed" {
			t.Fatalf("%+v", got)
		}
		r.relabel("setNodeName", 3, "Stov")
		r.relabel("setNodeLocation", 10, "Gaarge")
		before := r.writes()
		for name, action := range map[string]string{"Stov": "on", "Bedroom Curtains": "open"} {
			if got, _ := r.control(name, action, nil); name == "Stov" && got.Outcome != "refused" {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if n := r.writes() - before; n != 1 {
			t.Errorf("%d writes after the change of names, want the one that opens the curtains", n)
		}
	})
}

// TestAMisspeltAliasIsJudged gives a relay an alias with a slip.
func TestAMisspeltAliasIsJudged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Aliases = map[string][]string{"Coffee Machine": {"Boilr"}} })
		for _, name := range []string{"Coffee Machine", "Boilr"} {
			if got, _ := r.control(name, "on", nil); got.Outcome != "refused" || r.writes() != 0 {
				t.Errorf("%s: %+v and %d writes", name, got, r.writes())
			}
		}
	})
}
