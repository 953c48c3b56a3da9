package calling

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

// step is a toggle of a device.
func step(device string) Act { return Act{Device: device} }

// value sets a property of a device.
func value(device, property string) Act {
	return Act{Device: device, Property: property, Value: fmt.Sprint(values.Add(1))}
}

var values atomic.Int64

// same sets a property of a device to the same value each time.
func same(device, property string) Act { return Act{Device: device, Property: property, Value: "same"} }

// TestTheOrderOfEachDevice: turns about the same device act one after the other, in
// the order in which they came; turns about different devices do not wait.
func TestTheOrderOfEachDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var mu sync.Mutex
		acted, want := map[string][]int{}, map[string][]int{}
		acting := map[string]bool{}
		var turns sync.WaitGroup
		r := rand.New(rand.NewPCG(1, 2))
		devices := []string{"a", "b", "c", "d"}
		for i := range 200 {
			var acts []Act
			var waiting []string
			for range 2 {
				d := devices[r.IntN(4)]
				if !slices.Contains(waiting, d) {
					waiting = append(waiting, d)
					acts = append(acts, value(d, fmt.Sprint(i))) // no two turns set the same
					want[d] = append(want[d], i)
				}
			}
			place := q.Take(acts)
			took := time.Duration(r.IntN(100)) * time.Millisecond
			for _, a := range acts {
				turns.Go(func() {
					if err := place.Wait(t.Context(), a); err != nil {
						t.Error(err)
					}
					mu.Lock()
					if acting[a.Device] {
						t.Errorf("two turns act on %s at the same time", a.Device)
					}
					acting[a.Device] = true
					acted[a.Device] = append(acted[a.Device], i)
					mu.Unlock()
					<-time.After(took)
					mu.Lock()
					acting[a.Device] = false
					mu.Unlock()
					place.Release(a.Device)
				})
			}
		}
		turns.Wait()
		for d := range want {
			if !slices.Equal(acted[d], want[d]) {
				t.Errorf("%s was acted on in the order %v", d, acted[d])
			}
		}
		if len(q.lines) != 0 {
			t.Errorf("lines left: %v", q.lines)
		}
	})
}

// TestNewerValues: of values for the same property only the one that acts already and
// the newest count; toggles and steps keep their places, and at most four wait.
func TestNewerValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		acts [][]Act
		want []error // by place
	}{
		"the newest counts":          {[][]Act{{value("a", "on")}, {value("a", "on")}, {value("a", "on")}}, []error{nil, ErrOvertaken, nil}},
		"another property":           {[][]Act{{value("a", "on")}, {value("a", "level")}, {value("a", "on")}}, []error{nil, nil, nil}},
		"another device":             {[][]Act{{value("a", "on")}, {value("b", "on")}, {value("a", "on")}}, []error{nil, nil, nil}},
		"steps stay":                 {[][]Act{{step("a")}, {step("a")}, {step("a")}}, []error{nil, nil, nil}},
		"a value drops no step":      {[][]Act{{value("a", "on")}, {step("a")}, {value("a", "on")}}, []error{nil, nil, nil}},
		"a step drops no value":      {[][]Act{{value("a", "on")}, {value("a", "on")}, {step("a")}}, []error{nil, nil, nil}},
		"four steps wait":            {[][]Act{{step("a")}, {step("a")}, {step("a")}, {step("a")}, {step("a")}, {step("a")}}, []error{nil, nil, nil, nil, nil, ErrFull}},
		"values are never too many":  {[][]Act{{step("a")}, {step("a")}, {step("a")}, {step("a")}, {step("a")}, {value("a", "on")}}, []error{nil, nil, nil, nil, nil, nil}},
		"a group loses one device":   {[][]Act{{value("a", "on")}, {value("a", "on"), value("b", "on")}, {value("a", "on")}}, []error{nil, ErrOvertaken, nil}},
		"a stop waits for nobody":    {[][]Act{{value("a", "on")}, {value("a", "on")}, {step("a")}, {{Device: "a", Urgent: true}}, {value("a", "on")}}, []error{nil, ErrOvertaken, ErrOvertaken, nil, nil}},
		"the same is done once":      {[][]Act{{same("a", "on")}, {same("a", "on")}, {same("a", "on")}, {same("a", "on")}}, []error{nil, nil, ErrJoined, ErrJoined}},
		"dropped with the same":      {[][]Act{{value("a", "on")}, {same("a", "on")}, {same("a", "on")}, {value("a", "on")}}, []error{nil, ErrOvertaken, ErrOvertaken, nil}},
		"a step is between the same": {[][]Act{{value("a", "on")}, {same("a", "on")}, {step("a")}, {same("a", "on")}}, []error{nil, ErrOvertaken, nil, nil}},
		"the same turn's own values": {[][]Act{{value("a", "on"), value("a", "level")}, {value("a", "on")}}, []error{nil, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var q Queue
				var places []*devicePlace
				for _, acts := range tt.acts {
					places = append(places, q.Take(acts))
				}
				got := make([]error, len(places))
				var turns sync.WaitGroup
				for i, p := range places {
					turns.Go(func() {
						if got[i] = p.Wait(t.Context(), tt.acts[i][0]); got[i] == nil {
							<-time.After(time.Second)
							p.Keep(tt.acts[i][0].Device, i)
						}
						if errors.Is(got[i], ErrJoined) && p.Outcome("a") != 1 {
							t.Errorf("turn %d shares the outcome %v", i, p.Outcome("a"))
						}
						p.Leave()
					})
				}
				turns.Wait()
				for i := range tt.want {
					if !errors.Is(got[i], tt.want[i]) || (got[i] == nil) != (tt.want[i] == nil) {
						t.Errorf("turn %d: %v, want %v", i, got[i], tt.want[i])
					}
				}
			})
		})
	}
}

// TestWhoGivesUp: a turn that gives up lets others act; the other devices of a turn
// that is overtaken on one are still acted on.
func TestWhoGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		first, second, third := q.Take([]Act{step("a")}), q.Take([]Act{step("a"), value("b", "on")}), q.Take([]Act{step("b")})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := second.Wait(t.Context(), value("b", "on")); err != nil {
			t.Errorf("the second waits for a device that nobody else uses: %v", err)
		}
		if err := second.Wait(ctx, step("a")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second acts before the first has left: %v", err)
		}
		second.Leave()
		if err := third.Wait(t.Context(), step("b")); err != nil {
			t.Error(err)
		}
		if err := third.Wait(t.Context(), value("c", "on")); err != nil {
			t.Errorf("what no place was taken for waits: %v", err)
		}
		first.Leave()
		third.Leave()
	})
}
