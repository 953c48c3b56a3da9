package zwave_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// hard starts the house that is hard to live with.
func hard(t *testing.T) *rig {
	t.Helper()
	return start(t, func(c *zwave.Config, s *sim.Config) {
		c.Patience, s.Scale, s.House = zwave.DefaultConfig().Patience, 1, sim.HardHouse()
	})
}

// TestAJammedLockIsToldAsJammed blocks a bolt on its way.
func TestAJammedLockIsToldAsJammed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 205, Name: "Back Door", Location: "Hallway", Kind: "smart_lock"})
		})
		r.fault(sim.Fault{Op: "block", Node: "Back Door"})
		r.control("Back Door", "lock", nil)
		r.until("the lock is told as jammed", func() bool { return r.state("Back Door").State == "jammed" })
		r.control("Back Door", "lock", nil)
		r.until("the lock is told as locked", func() bool { return r.state("Back Door").State == "locked" })
	})
}

// TestDevicesOfOneNodeTopicAreToldByTheirValues asks about a lock and a contact
// whose own topics are the same and whose values have topics of their own.
func TestDevicesOfOneNodeTopicAreToldByTheirValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := hard(t)
		ids := map[string]string{}
		for _, e := range r.house.Home().Entities {
			ids[e.Name+" "+e.Domain] = e.ID
		}
		contact := ids["Front_Door binary_sensor"]
		if contact == "" {
			t.Fatalf("there is no contact among %v", ids)
		}
		r.fault(sim.Fault{Op: "change", Node: 12.0, Key: "113-0-Access Control-Door state", Value: 22.0})
		synctest.Wait()
		r.fault(sim.Fault{Op: "mute", For: sim.Pause(time.Minute)}) // only topics tell
		if got := r.sensor(contact, ""); got.Value != "open" || got.Reason != "" {
			t.Errorf("the contact is told %+v", got)
		}
	})
}
