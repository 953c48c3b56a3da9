package zwave_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// told mirrors the data of the reading tools.
type told struct {
	State     any
	Value     any
	Age       int64 `json:"age_seconds"`
	Reachable bool
	Stale     bool
	Reason    string
}

func (r *rig) state(device string) told {
	r.Helper()
	var out told
	r.call("get_device_state", map[string]any{"device_name": device}, &out)
	return out
}

func (r *rig) sensor(device, what string) told {
	r.Helper()
	var out told
	r.call("get_device_sensor_data", map[string]any{"device_name": device, "sensor": what}, &out)
	return out
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }

// TestAQuestionAsksADeviceThatWasSilentForAMinute checks that a change whose report was
// lost is found by asking, and how a device that is gone is reported.
func TestAQuestionAsksADeviceThatWasSilentForAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Settings.Age = time.Hour })
		r.fault(sim.Fault{Op: "lost_report", Node: "Front Door"})
		r.fault(sim.Fault{Op: "change", Node: "Front Door", Key: "98-0-currentMode", Value: 255.0})
		if got := r.state("Front Door"); got.State != "locked" || !got.Reachable || got.Stale || got.Age > 5 {
			t.Errorf("the lock was not asked: %+v", got)
		}
		r.fault(sim.Fault{Op: "dead", Node: "Hallway Light"})
		if got := r.state("Hallway Light"); got.Reachable || !got.Stale || got.Reason == "" {
			t.Errorf("a light that does not answer: %+v", got)
		}
		if got := r.state("Front Door"); got.State != "locked" || got.Stale {
			t.Errorf("asked again: %+v", got)
		}
	})
}

// TestManyQuestionsShareTwoSeconds asks about twenty lights that are gone, all at once: a
// light that has not answered after two seconds is reported with its last state.
func TestManyQuestionsShareTwoSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lights = 20
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.Settings.Age = time.Hour
			for i := range lights {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 100 + i, Name: fmt.Sprintf("Hall Lamp %d", i), Location: "Hall", Kind: "switch"})
			}
		})
		for i := range lights {
			r.fault(sim.Fault{Op: "drop", Node: fmt.Sprintf("Hall Lamp %d", i), For: sim.Pause(time.Minute)})
		}
		began := time.Now()
		var wg sync.WaitGroup
		for i := range lights {
			wg.Go(func() {
				if got := r.state(fmt.Sprintf("Hall Lamp %d", i)); !got.Stale || got.Reason == "" || got.State != "off" {
					t.Errorf("lamp %d: %+v, want its last report, marked", i, got)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 2500*time.Millisecond {
			t.Errorf("%d lights took %v together", lights, took)
		}
		pass(5 * time.Second)
		if got := r.state("Kitchen Light"); got.Stale || got.Age > 1 {
			t.Errorf("afterwards a light is not asked: %+v", got)
		}
	})
}

// TestAQuestionAboutAWholeHouseTellsWhatItHasNoTimeToAsk asks about sixty lamps at once,
// more than the radio polls in two seconds: all are reachable, and those that were not
// asked are reported with their last state and its age.
func TestAQuestionAboutAWholeHouseTellsWhatItHasNoTimeToAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lamps = 60
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.Settings.Age, s.Scale = time.Hour, 1
			for i := range lamps {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 100 + i, Name: fmt.Sprintf("Hall Lamp %d", i), Location: "Hall", Kind: "switch"})
			}
		})
		pass(2 * time.Minute)
		var wg sync.WaitGroup
		var asked, told atomic.Int32
		for i := range lamps {
			wg.Go(func() {
				switch got := r.state(fmt.Sprintf("Hall Lamp %d", i)); {
				case !got.Reachable || got.Reason != "" || got.State != "off":
					t.Errorf("lamp %d: %+v, want off and reachable", i, got)
				case got.Stale:
					told.Add(1)
				default:
					asked.Add(1)
				}
			})
		}
		wg.Wait()
		if asked.Load() < 10 || told.Load() < 10 {
			t.Errorf("%d lamps were asked and %d told by their last report", asked.Load(), told.Load())
		}
	})
}

// TestReadingsThatComeTogetherShareAList has a server start when the house is
// running: all it has heard are retained states, which the gateway's list has to
// confirm. A question about a whole house, a few readings at a time, needs no list
// for each.
func TestReadingsThatComeTogetherShareAList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const doors, atOnce = 64, 4
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			for i := range doors {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 100 + i, Name: fmt.Sprintf("Hall Door %d", i), Location: "Hall", Kind: "contact", Sleeping: true})
			}
		})
		pass(time.Minute)
		r.restartServer()
		pass(10 * time.Second)
		before, began := r.listsAskedFor(), time.Now()
		next := make(chan int)
		var wg sync.WaitGroup
		for range atOnce {
			wg.Go(func() {
				for i := range next {
					if got := r.state(fmt.Sprintf("Hall Door %d", i)); got.State != "closed" || !got.Reachable || got.Reason != "" {
						t.Errorf("door %d: %+v, want closed", i, got)
					}
				}
			})
		}
		for i := range doors {
			next <- i
		}
		close(next)
		wg.Wait()
		if lists := r.listsAskedFor() - before; lists < 1 || lists > 2 {
			t.Errorf("%d lists for one question, which took %v", lists, time.Since(began))
		}
	})
}

// TestAReadingOfJustNowIsToldWithoutItsAge has a server start soon after the house:
// the radio has no time for all of many lamps, but what the gateway's list tells of
// the last seconds needs no age.
func TestAReadingOfJustNowIsToldWithoutItsAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lamps = 80
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.Scale = 1
			for i := range lamps {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 100 + i, Name: fmt.Sprintf("Hall Lamp %d", i), Location: "Hall", Kind: "switch"})
			}
		})
		pass(5 * time.Second)
		r.restartServer()
		var wg sync.WaitGroup
		for i := range lamps {
			wg.Go(func() {
				if got := r.state(fmt.Sprintf("Hall Lamp %d", i)); got.State != "off" || got.Stale || !got.Reachable {
					t.Errorf("lamp %d: %+v, want off without an age", i, got)
				}
			})
		}
		wg.Wait()
	})
}

// restartServer lets another server take the place of the first, which has seen
// nothing of what was published before.
func (r *rig) restartServer() {
	r.Helper()
	r.mine = r.mine.bus.client(r.T)
	var err error
	if r.house, err = zwave.New(zwave.DefaultConfig(), r.mine, quiet()); err != nil {
		r.Fatal(err)
	}
	ctx, end := context.WithCancel(r.ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = r.house.Run(ctx) })
	r.Cleanup(func() { end(); running.Wait() })
	<-r.house.Loaded()
}

// listsAskedFor counts how often the gateway's list has been asked for.
func (r *rig) listsAskedFor() int {
	r.mine.bus.mu.Lock()
	defer r.mine.bus.mu.Unlock()
	n := 0
	for _, topic := range r.mine.seen {
		if strings.HasSuffix(topic, "/api/getNodes/set") {
			n++
		}
	}
	return n
}

// TestTwoSleepersOfOneTopicAreToldApart checks that a door which has just been
// opened is not told as closed because another one publishes on its topic.
func TestTwoSleepersOfOneTopicAreToldApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			for id, name := range map[int]string{201: "Side Door", 202: "Side_Door"} {
				s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: id, Name: name, Location: "Garden", Kind: "contact", Sleeping: true})
			}
		})
		var ids []string
		for _, e := range r.house.Home().Entities {
			if strings.HasPrefix(e.Name, "Side") {
				ids = append(ids, e.ID)
			}
		}
		if len(ids) != 2 {
			t.Fatalf("the two doors are %v", ids)
		}
		states := func() string {
			var all []string
			for _, id := range ids {
				all = append(all, fmt.Sprint(r.sensor(id, "").Value))
			}
			return strings.Join(all, " ")
		}
		const key = "113-0-Access Control-Door state"
		for _, step := range []struct {
			node int
			to   float64
			want string
		}{{201, 22, "open closed"}, {202, 22, "open open"}, {201, 23, "closed open"}, {202, 23, "closed closed"}} {
			r.fault(sim.Fault{Op: "change", Node: float64(step.node), Key: key, Value: step.to})
			if got := states(); got != step.want {
				t.Errorf("after %+v the doors are told %q", step, got)
			}
		}
		var health struct {
			Shared  []string `json:"shared_topics"`
			Message string
		}
		r.call("check_zwave_health", map[string]any{}, &health)
		if len(health.Shared) != 1 || !strings.Contains(health.Shared[0], "Side_Door") || !strings.Contains(health.Message, "name") {
			t.Errorf("the health check does not say what to do: %+v", health)
		}
		// With the gateway's list out of reach nothing tells them apart.
		pass(5 * time.Second)
		r.fault(sim.Fault{Op: "mute", For: sim.Pause(time.Minute)})
		var got told
		if result := r.call("get_device_sensor_data", map[string]any{"device_name": ids[0]}, &got); got.Value != nil || !strings.Contains(result.Text, "Side_Door") {
			t.Errorf("told as certain: %+v, %q", got, result.Text)
		}
		for range 2 {
			began := time.Now()
			r.call("list_devices", map[string]any{}, nil)
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("a list took %v, expected one wait for the gateway at most", took)
			}
		}
	})
}

// TestWhoIsNotAskedIsReachable asks while the gateway is silent: the first question uses
// up the time for asking, so the lamp of the next one is reported with its last state and
// its age, and not as out of reach.
func TestWhoIsNotAskedIsReachable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) { s.Settings.Age = time.Hour })
		for _, change := range []sim.Fault{
			{Op: "change", Node: "Hallway Light", Key: "37-0-currentValue", Value: true},
			{Op: "change", Node: "Office Light", Key: "38-0-currentValue", Value: 99.0},
		} {
			r.fault(change)
		}
		pass(5 * time.Minute)
		r.fault(sim.Fault{Op: "mute", For: sim.Pause(time.Minute)})
		asked, other := r.state("Hallway Light"), r.state("Office Light")
		if asked.Reason != "silent" || !other.Reachable || !other.Stale || other.State != "on" || other.Reason != "" {
			t.Errorf("the lamp that was asked is told %+v, the other one %+v", asked, other)
		}
	})
}

// TestWhatIsNotProvedIsNotTold switches a lamp on while the gateway answers nothing: the
// reports that follow may be claims, and the lamp cannot be asked. It is told neither as it
// was before nor as the claims say, until it can be asked again.
func TestWhatIsNotProvedIsNotTold(t *testing.T) {
	t.Parallel()
	for _, lamp := range []string{"Kitchen Light", "Office Light"} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, func(c *zwave.Config, s *sim.Config) { c.Patience, s.Scale = 4*time.Second, 1 })
			r.fault(sim.Fault{Op: "change", Node: "Front Door", Key: "98-0-currentMode", Value: 255.0})
			pass(30 * time.Second)
			r.fault(sim.Fault{Op: "mute", For: sim.Pause(20 * time.Second)})
			if got, _ := r.control(lamp, "on", nil); got.Outcome != "no_answer" {
				t.Errorf("%s: the command has the receipt %+v", lamp, got)
			}
			listed := func() (state any) {
				var page struct {
					Devices []struct {
						Name  string
						State any
					}
				}
				r.call("list_devices", map[string]any{}, &page)
				for _, d := range page.Devices {
					if d.Name == lamp {
						state = d.State
					}
				}
				return state
			}
			if got := r.state(lamp); got.State != nil || !got.Reachable || got.Reason != "silent" {
				t.Errorf("%s is told %+v", lamp, got)
			}
			if got := listed(); got != nil {
				t.Errorf("%s is listed as %v", lamp, got)
			}
			r.control("Front Door", "lock", nil)
			if got := r.state("Front Door"); got.State != "locked" {
				t.Errorf("a door that was locked and is told to lock is told %+v", got)
			}
			pass(30 * time.Second)
			if got, listed := r.state(lamp), listed(); got.State != "on" || got.Reason != "" || listed != "on" {
				t.Errorf("asked again, %s is told %+v and listed as %v", lamp, got, listed)
			}
		})
	}
}

// TestLeftoverTopicsOfAnotherGatewayTypeAreNoState switches a gateway from NAMED
// to MANUAL: its former topics stay on the broker and nothing updates them.
func TestLeftoverTopicsOfAnotherGatewayTypeAreNoState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		_, stop := playUntil(t, b, nil)
		first := open(t, b, nil)
		first.loaded()
		pass(10 * time.Second)
		stop()
		manual := play(t, b, func(c *sim.Config) { c.Settings.Manual = true })
		r := open(t, b, nil)
		r.loaded()
		pass(30 * time.Second)
		for _, f := range []sim.Fault{
			{Op: "change", Node: "Kitchen Light", Key: "37-0-currentValue", Value: true},
			{Op: "change", Node: "Garage Window", Key: "113-0-Access Control-Door state", Value: 22.0},
		} {
			if err := manual.Fault(r.ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.state("Kitchen Light"); got.State != "on" {
			t.Errorf("the light is told %+v", got)
		}
		if got := r.sensor("Garage Window", ""); got.Value != "open" {
			t.Errorf("the window is told %+v", got)
		}
		var page struct {
			Devices []struct {
				Name  string
				State any
			}
		}
		if err := manual.Fault(r.ctx, sim.Fault{Op: "change", Node: "Coffee Machine", Key: "37-0-currentValue", Value: true}); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		r.call("list_devices", map[string]any{"area": "Kitchen"}, &page)
		for _, d := range page.Devices {
			if d.Name == "Coffee Machine" && d.State != "on" {
				t.Errorf("the list says %+v", d)
			}
		}
	})
}

// TestOnlyAgesThatMatterAreTold checks which readings have to be given with their age:
// not a state that simply lasts.
func TestOnlyAgesThatMatterAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.Settings.Age = 31 * time.Minute
			s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 203, Name: "Shed Sensor", Location: "Shed", Kind: "climate_sensor", Sleeping: true})
		})
		for _, device := range []string{"Front Door", "Hallway Light", "Garage Door", "Shed Bolt", "Thermostat"} {
			if got := r.state(device); got.Stale || !got.Reachable {
				t.Errorf("%s: %+v, want a state that is simply held", device, got)
			}
		}
		for _, device := range []string{"Garage Window", "Boiler Leak", "Shed Temperature"} {
			if got := r.sensor(device, ""); got.Stale || got.Age < 30*60 {
				t.Errorf("%s after half an hour: %+v", device, got)
			}
		}
		day := start(t, func(_ *zwave.Config, s *sim.Config) {
			s.Settings.Age = 25 * time.Hour
			s.House.Nodes = append(s.House.Nodes, sim.NodeSpec{ID: 203, Name: "Shed Sensor", Location: "Shed", Kind: "climate_sensor", Sleeping: true})
		})
		for _, device := range []string{"Garage Window", "Boiler Leak", "Shed Temperature"} {
			if got := day.sensor(device, ""); !got.Stale {
				t.Errorf("%s after a day: %+v", device, got)
			}
		}
	})
}

// TestUnknownModesAreNoState checks that a lock of unknown mode is reported as neither
// locked nor unlocked, and how a jam and a moving gate are reported.
func TestUnknownModesAreNoState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		for raw, want := range map[float64]any{254: nil, 255: "locked", 0: "unlocked", 1: "unlocked", 200: nil} {
			r.fault(sim.Fault{Op: "change", Node: "Front Door", Key: "98-0-currentMode", Value: raw})
			synctest.Wait()
			if got := r.state("Front Door"); got.State != want {
				t.Errorf("a lock of mode %v is %v, want %v", raw, got.State, want)
			}
		}
		for raw, want := range map[float64]any{0: "closed", 252: "closing", 253: "stopped", 254: "opening", 255: "open", 40: "open"} {
			r.fault(sim.Fault{Op: "change", Node: "Garage Door", Key: "102-0-currentState", Value: raw})
			synctest.Wait()
			if got := r.state("Garage Door"); got.State != want {
				t.Errorf("a gate of state %v is %v, want %v", raw, got.State, want)
			}
		}
	})
}
