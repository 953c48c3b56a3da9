package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMisspeltHazardsStayOff has relays whose names are dangerous ones with a slip,
// behind a real broker, server and house: nothing is written to any of them, whether
// the right name is said or the misspelt one. A relay whose name only looks like one
// is switched.
func TestMisspeltHazardsStayOff(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	file := filepath.Join(t.TempDir(), "house.yaml")
	if err := os.WriteFile(file, []byte(`home_id: 7
nodes:
  - {id: 2, name: Garge, location: Yard, kind: switch}
  - {id: 3, name: Siern, location: Attic, kind: switch}
  - {id: 4, name: Stov, location: Kitchen, kind: plug}
  - {id: 5, name: Frnt Dor, location: Hall, kind: switch}
  - {id: 6, name: Boilr, location: Cellar, kind: switch}
  - {id: 7, name: Ѕiren, location: Cellar, kind: switch}
  - {id: 8, name: Stone, location: Garden, kind: switch}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	simulate(t, broker, "--house", file)
	_, http, _ := daemon(t, broker)
	eventually(t, "the relay that is harmless obeys", func() bool { return confirmed(ask(t, http, "turn on the stone")) })

	stranger := listen(t, broker, "zwave/#")
	writes := func() (n int) {
		stranger.mu.Lock()
		defer stranger.mu.Unlock()
		for topic, sent := range stranger.heard {
			if strings.HasSuffix(topic, "/api/writeValue/set") {
				n += len(sent)
			}
		}
		return n
	}
	for _, name := range []string{"garage", "garge", "siren", "siern", "stove", "stov", "front door", "frnt dor", "boiler", "boilr", "Ѕiren"} {
		for _, text := range []string{"turn on the " + name, "yes", "turn on the " + name + " in two seconds", "open the " + name} {
			if r := ask(t, http, text); len(r.Calls) > 0 {
				t.Errorf("%q called %+v and said %q", text, r.Calls, r.Reply)
			}
		}
	}
	if r := ask(t, http, "turn off the stone"); !confirmed(r) {
		t.Errorf("the relay that is harmless: %+v", r)
	}
	eventually(t, "the write to the harmless relay is seen", func() bool { return writes() > 0 })
	if n := writes(); n != 1 {
		t.Errorf("%d writes, want the one to the harmless relay", n)
	}
}
