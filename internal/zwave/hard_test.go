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

// TestDevicesOfOneNodeTopicAreToldByTheirValues asks about a lock and a contact that
// share a node topic and whose values have topics of their own.
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

// TestNobodyInTheHardHouseIsBelieved commands every lying device of the hard house, each
// twice. Only a lamp may be reported as done, once, and is corrected.
func TestNobodyInTheHardHouseIsBelieved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := hard(t)
		r.warm()
		for device, c := range map[string]struct {
			action string
			value  any
			lamp   bool
		}{
			"Heater Plug": {action: "on"}, "Office Thermostat": {action: "setpoint", value: 24}, "Office Fan": {action: "on"}, "Side Door": {action: "lock"},
			"Bedroom Shutter": {action: "close"}, "Landing Light": {action: "level", value: 80, lamp: true}, "Corridor Light": {action: "on", lamp: true},
		} {
			for i := range 2 {
				got, _ := r.control(device, c.action, c.value)
				if done := got.Outcome == "confirmed"; done != (c.lamp && i == 0) {
					t.Errorf("%s, told %d times: %+v", device, i+1, got)
				}
				pass(2 * time.Second)
			}
		}
		if told := r.belied(); len(told) != 2 {
			t.Errorf("corrected: %q, want the two lamps", told)
		}
	})
}
