package sim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// hard plays the house that is hard to live with.
func hard(t *testing.T, do func(t *testing.T, b *tape, s *Sim)) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.House = HardHouse()
	if len(cfg.House.Nodes) < 20 {
		t.Fatalf("the embedded house has %d nodes", len(cfg.House.Nodes))
	}
	play(t, cfg, do)
}

// TestCollidingSleepers opens one of two sleeping doors that share a topic, after which
// the other reports that it is closed. The topic says closed; only the list of nodes and
// the truth are right, and neither door can be polled.
func TestCollidingSleepers(t *testing.T) {
	hard(t, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		const key = "113-0-Access Control-Door state"
		b.taken()
		must(t, s.Fault(t.Context(), Fault{Op: "change", Node: 9, Key: key, Value: 22}))
		must(t, s.Fault(t.Context(), Fault{Op: "report", Node: 10, Key: key, Value: 23}))
		wait(time.Second)
		topic := "Garden/Garden_Door/notification/endpoint_0/Access_Control/Door_state "
		said := slices.DeleteFunc(b.topics(), func(m string) bool { return !strings.HasPrefix(m, topic) })
		if !slices.Equal(said, []string{topic + `{"value":22}`, topic + `{"value":23}`}) {
			t.Errorf("the shared topic said %v", said)
		}
		for id, want := range map[float64]float64{9: 22, 10: 23} {
			values, _ := b.listed(t, id)["values"].(map[string]any)
			if got, _ := values[key].(map[string]any); got["value"] != want {
				t.Errorf("getNodes says %v of node %v, want %v", got["value"], id, want)
			}
		}
		for device, want := range map[string]bool{"Garden Door": true, "Garden_Door": false} {
			if got := members(t, s, device, "open", "asleep"); got["open"] != want || got["asleep"] != true {
				t.Errorf("%s is %v", device, got)
			}
		}
		ask := map[string]any{"nodeId": 9, "commandClass": 113, "property": "Access Control", "propertyKey": "Door state"}
		if got := b.soon("pollValue", ask); got != nil {
			t.Errorf("a poll of a sleeper is answered with %v", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "awake", Node: 9}))
		wait(time.Second)
		if got := b.answered("zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/pollValue"); got["result"] != 22.0 {
			t.Errorf("awake it answers %v", got)
		}
	})
}

// TestHardNames checks the topics of names with signs, and that everything is as
// the house file says.
func TestHardNames(t *testing.T) {
	hard(t, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		published := b.topics()
		for _, topic := range []string{
			"Bedroom/Blind_1_left/switch_multilevel/endpoint_0/currentValue", "Küche/Küche__Lampe_/switch_multilevel/endpoint_0/currentValue",
			"Garage/GarageShade/switch_multilevel/endpoint_0/currentValue", "Kitchen/Lamp/switch_binary/endpoint_0/currentValue",
			"Attic/Lamp/switch_multilevel/endpoint_0/currentValue", "Hall/nodeID_13/switch_binary/endpoint_0/currentValue",
			"Terrace_Lamp/switch_binary/endpoint_0/currentValue", "Cellar/Cellar_Light/status",
		} {
			if !slices.ContainsFunc(published, func(m string) bool { return strings.HasPrefix(m, topic+" ") }) {
				t.Errorf("nothing was published on %s", topic)
			}
		}
		if got := b.listed(t, 4); got["name"] != "Küche ✨ Lampe Ω" {
			t.Errorf("the lamp's name is %v", got["name"])
		}
		if got := members(t, s, "Shed Lock", "mode", "locked"); got["mode"] != "Unknown" || got["locked"] != nil {
			t.Errorf("the lock of unknown mode is %v", got)
		}
		for _, dark := range []float64{26, 27} {
			if n := b.listed(t, dark); n["status"] != dead || n["ready"] != false {
				t.Errorf("node %v is %v, ready %v", dark, n["status"], n["ready"])
			}
		}
	})
}
