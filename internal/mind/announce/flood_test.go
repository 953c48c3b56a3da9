package announce_test

import (
	"fmt"
	"testing"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/announce"
)

// every is a rule of each kind, for everything.
func every() announce.Config {
	return rules(
		announce.Rule{When: record.LeftOpen}, announce.Rule{When: record.BatteryLow}, announce.Rule{When: record.Dead}, announce.Rule{When: record.Jammed},
		announce.Rule{When: record.InState, Things: []string{"Iron"}, State: "on", For: time.Hour},
	)
}

// first is how a house tells how everything is, when its server has started.
func first(f *family, things int) {
	for i := range things {
		name := fmt.Sprintf("Thing %d", i)
		f.tell(thing(name, "reach", []any{"alive", "dead"}[i%9/8], nil))
		f.tell(thing(name+" Battery", "battery", float64(i%101), nil))
		f.tell(thing(name+" Door", "door", []any{"open", "closed"}[i%2], nil))
		f.tell(thing(name+" Lock", "lock", []any{"locked", "unlocked", "jammed"}[i%3], nil))
		f.tell(thing(name+" Smoke Alarm", "smoke", "clear", nil))
		f.tell(thing(name+" Motion", "motion", "clear", nil))
		f.tell(thing(name+" Leak", "moisture", "clear", nil))
	}
	f.tell(thing("Iron", "switch", "on", nil))
}

// TestAnOrdinaryWeekIsQuiet: a family comes and goes for a week, with ten restarts of
// the gateway, of the controller or of its server: nothing is announced.
func TestAnOrdinaryWeekIsQuiet(t *testing.T) {
	t.Parallel()
	live(t, every(), func(f *family) {
		first(f, 30)
		reports := 0
		for hour := range 7 * 24 {
			for i := range 12 {
				name := fmt.Sprintf("Thing %d", (hour+i)%30)
				for _, e := range []home.Event{
					thing(name+" Door", "door", "open", "closed"), thing(name+" Motion", "motion", "detected", "clear"), thing(name+" Lock", "lock", "unlocked", "locked"),
					thing(name, "light", "on", "off"), thing(name, "reach", "dead", "alive"), thing("Iron", "switch", "on", "off"),
				} {
					f.tell(e)
					reports++
				}
				f.wait(4 * time.Minute)
				for _, e := range []home.Event{
					thing(name+" Door", "door", "closed", "open"), thing(name+" Motion", "motion", "clear", "detected"), thing(name+" Lock", "lock", "locked", "unlocked"),
					thing(name, "light", "off", "on"), thing(name, "reach", "alive", "dead"), thing("Iron", "switch", "off", "on"),
				} {
					f.tell(e)
					reports++
				}
				f.wait(time.Minute)
			}
			if hour%17 == 0 {
				f.restart()
				first(f, 30)
			}
		}
		f.want()
		if n := len(f.mqtt); n > 0 {
			t.Errorf("%d announcements in a week of %d reports, expected none: %+v", n, reports, f.mqtt[0])
		}
	})
}

// TestAFloodIsQuiet: a controller with 232 nodes reports everything again, ten times.
func TestAFloodIsQuiet(t *testing.T) {
	t.Parallel()
	live(t, every(), func(f *family) {
		for range 10 {
			first(f, 232)
			f.wait(time.Minute)
		}
		f.wait(24 * time.Hour)
		f.want()
		if n := len(f.mqtt); n > 0 {
			t.Errorf("%d announcements, expected none: %+v", n, f.mqtt[0])
		}
	})
}

// TestAFloodOfAlarmsIsHeard: 232 smoke alarms at once all ring, and one stop is enough.
func TestAFloodOfAlarmsIsHeard(t *testing.T) {
	t.Parallel()
	live(t, announce.Default(), func(f *family) {
		for i := range 232 {
			f.tell(thing(fmt.Sprintf("Thing %d", i), "smoke", "detected", "clear"))
		}
		f.mu.Lock()
		ringing := len(f.ringing)
		f.mu.Unlock()
		f.sayStop()
		f.restart()
		for i := range 232 {
			f.tell(thing(fmt.Sprintf("Thing %d", i), "smoke", "detected", nil))
		}
		if len(f.ringing) > 0 || ringing != 232 || len(f.mqtt) != 232 {
			t.Errorf("%d rang, %d after all were acknowledged, %d were published", ringing, len(f.ringing), len(f.mqtt))
		}
	})
}
