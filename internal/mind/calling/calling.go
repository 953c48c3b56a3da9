// Package calling makes the calls of a plan and keeps their results. It is separate from
// the mind, which makes the plan and reports the results: here a call waits for its
// server and for earlier calls to its device, calls are made side by side, and a command
// that wants what another one is already doing shares its call. Another thing for which
// a step may wait is a field of Need.
//
// Turns act on a device in the order in which they came (queue.go), so that "on" and "off"
// said one after the other are not swapped on their way. A waiting value is dropped when
// another one for the same property comes, and is joined with one that wants the same; a
// toggle or a step builds on what is before it and keeps its place.
package calling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// Caller reaches every tool. Await returns when what a step needs is there, or cannot
// be expected soon.
type Caller interface {
	Await(ctx context.Context, n Need) error
	Call(ctx context.Context, c tools.Call) (tools.Result, error)
}

// Need is what a step waits for before it is made. A step waits for nothing else,
// so the trouble of one server never delays a step that needs another (M1). The
// zero Need waits for nothing.
type Need struct {
	Server string // the server whose tools are about to be called
	House  bool   // the house: a name in the sentence is unknown
	Again  bool   // with House: make one more attempt if no server has told of a house
}

// Budget is the most time one tool call of a spoken turn, or on a thing of the house, may
// take, all in all, unless its server reports progress (M6, M19).
const Budget = 5 * time.Second

// NeedBudget is the most time a step waits for its server, during the server's first
// attempts to connect.
const NeedBudget = 20 * time.Second

// Maker makes the calls of a plan. Each call starts as soon as its own server
// is there and earlier turns have finished with its device.
type Maker struct {
	Caller  Caller
	Phrases *reply.Phrases
	Log     *slog.Logger

	queue Queue
	lines order.Lines // of the calls that are about no device
}

// Place is a turn's place among the calls: in the queue of every device that its steps
// act on, and in the line of every tool or server that they call for anything else.
type Place struct {
	*devicePlace
	calls []*order.Place // by step; nil where a step stands in no line
}

// Take takes the places of the steps, in the order of the plan. They are left when the
// steps are made.
func (m *Maker) Take(steps []plan.Step) *Place {
	p := &Place{m.queue.Take(deviceActs(steps)), make([]*order.Place, len(steps))}
	for i := range steps {
		if _, acts := deviceAct(&steps[i]); acts || steps[i].Entity != nil {
			continue
		}
		if line := lineOf(steps[i].Call); line != "" {
			p.calls[i] = m.lines.Take(line)
		}
	}
	return p
}

// TakePlace takes a place in the line of one of the gateway's own tools, for who does
// what the tool does without calling it.
func (m *Maker) TakePlace(tool string) *order.Place {
	return m.lines.Take(lineOf(tools.Call{Tool: tool}))
}

// Leave gives up all places.
func (p *Place) Leave() {
	p.devicePlace.Leave()
	for _, c := range p.calls {
		c.Pass()
	}
}

// The gateway's own tools for the volume and for timers.
const (
	VolumeTool = "set_volume"
	TimerTool  = "change_timer"
)

// lineOf returns the queue of a call that is not about a device. Calls to one server
// leave in their order, and calls to a tool of our own that keeps a state are made one
// after the other. "" means that the call has no queue.
func lineOf(c tools.Call) string {
	switch {
	case c.Tool == "":
		return ""
	case c.Server != "":
		return "server " + c.Server
	case c.Tool == VolumeTool:
		return "volume"
	case strings.Contains(c.Tool, "timer"):
		return "timers"
	}
	return ""
}

// Await waits for what a step needs.
func (m *Maker) Await(ctx context.Context, n Need) {
	if err := m.Caller.Await(ctx, n); err != nil {
		m.Log.Warn("what a step needs is not there", "part", "turn", "err", err)
	}
}

// queueBudget is how long a command waits for earlier ones to the same device: as many as
// may wait, each for the longest time of a call. The wait is not part of a call.
const queueBudget = 4 * Budget

// ready waits until a step may be made: first for its server, then for earlier
// turns that act on the same device, or for earlier calls in its line. The returned
// context bounds the call.
func (m *Maker) ready(ctx context.Context, place *Place, i int, s *plan.Step) (context.Context, context.CancelFunc, error) {
	if s.Call.Server != "" {
		wait, cancel := context.WithTimeout(ctx, NeedBudget)
		defer cancel()
		m.Await(wait, Need{Server: s.Call.Server})
	}
	var err error
	if act, acts := deviceAct(s); acts {
		wait, cancel := context.WithTimeout(ctx, queueBudget)
		defer cancel()
		err = place.Wait(wait, act)
	} else if i < len(place.calls) && place.calls[i] != nil {
		wait, cancel := context.WithTimeout(ctx, queueBudget)
		defer cancel()
		if err = place.calls[i].Await(wait); err != nil {
			err = fmt.Errorf("%w: %w", tools.ErrNotAsked, err)
		}
		ctx = order.With(ctx, place.calls[i]) // who sends the call passes when it has left
	}
	patience := tools.ForReaders
	if s.Entity != nil { // a thing of the house answers soon, or there is trouble to judge (M10)
		patience = tools.ForProgress
	}
	call, cancel := tools.WithLimit(ctx, Budget, patience)
	return call, cancel, err
}

// deviceActs are what the steps do to devices.
func deviceActs(steps []plan.Step) []Act {
	var all []Act
	for i := range steps {
		if act, acts := deviceAct(&steps[i]); acts {
			all = append(all, act)
		}
	}
	return all
}

// deviceAct is what a step does to its device; acts is false where it does nothing.
func deviceAct(s *plan.Step) (act Act, acts bool) {
	if s.Entity == nil || s.Risk == tools.Read {
		return act, false
	}
	act.Device = s.Entity.ID
	switch in := catalogue.Of(s.Action.Intent); in.Plan {
	case catalogue.Switch:
		act.Property, act.Value = "switch", s.Action.Intent
	case catalogue.Command:
		for _, set := range in.Sets {
			if value := s.Action.Slots[set.Slot]; value != nil {
				act.Property, act.Value = string(set.Ability), fmt.Sprint(value)
				break
			}
		}
		act.Urgent = s.Action.Intent == catalogue.StopMoving
	default: // it starts from the present state, or its effect is not known
	}
	return act, true
}

// All makes all calls at once: a room's lamps do not wait for each other.
func (m *Maker) All(ctx context.Context, place *Place, steps []plan.Step) Made {
	c := newMade(len(steps))
	c.asks = len(steps) > 0
	all := make([]int, len(steps))
	for i := range steps {
		all[i] = i
		c.asks = c.asks && steps[i].Risk == tools.Read
	}
	m.Some(ctx, place, steps, all, c)
	return c
}

// readsAtOnce is how many readings a question makes at the same time. A question
// about the whole house reads hundreds of things, and a server answers several at
// once, but not all.
const readsAtOnce = 16

// Some makes the calls of the steps whose indexes are in which. Several acts on one
// device are made one after the other, and calls in one queue leave one after the
// other, in the order of the plan.
func (m *Maker) Some(ctx context.Context, place *Place, steps []plan.Step, which []int, c Made) {
	for len(which) > 0 {
		var busy []string
		var first, later []int
		for _, i := range which {
			s := &steps[i]
			switch acts := s.Entity != nil && s.Risk != tools.Read; {
			case acts && slices.Contains(busy, s.Entity.ID):
				later = append(later, i)
				continue
			case acts:
				busy = append(busy, s.Entity.ID)
			}
			first = append(first, i)
		}
		m.together(ctx, place, steps, first, c)
		which = later
	}
}

// together makes the calls of steps at once, each as soon as its own server is
// there. Of readings, a few are made at a time.
func (m *Maker) together(ctx context.Context, place *Place, steps []plan.Step, which []int, c Made) {
	var wg sync.WaitGroup
	reading := make(chan struct{}, readsAtOnce)
	for _, i := range which {
		wg.Go(func() {
			m.one(ctx, place, steps, i, reading, c)
		})
	}
	wg.Wait()
}

// one makes the call of one step when its turn has come, and lets the next turn have
// its device if nothing is left to do there.
func (m *Maker) one(ctx context.Context, place *Place, steps []plan.Step, i int, reading chan struct{}, c Made) {
	s := &steps[i]
	if i < len(place.calls) {
		defer place.calls[i].Pass()
	}
	ctx, done, err := m.ready(ctx, place, i, s)
	defer done()
	if err == nil && s.Risk == tools.Read {
		select {
		case reading <- struct{}{}:
			defer func() { <-reading }()
		case <-ctx.Done():
			err = fmt.Errorf("waiting for other readings: %w: %w", tools.ErrNotAsked, ctx.Err())
		}
	}
	began := time.Now()
	act, acts := deviceAct(s)
	var res tools.Result
	switch {
	case err == nil:
		res, err = s.Do(ctx, m.Caller.Call)
	case errors.Is(err, ErrJoined):
		res, err = outcomeOfOther(place.Outcome(act.Device))
	case errors.Is(err, ErrOvertaken):
		res, err = tools.Result{Failed: true, Receipt: &tools.Receipt{Outcome: tools.Refused, Reason: tools.Overtaken}}, nil
	case errors.Is(err, ErrFull):
		err = &plan.Error{Intent: s.Action.Intent, Text: err.Error() + ": " + s.Entity.Name, Key: "queue_full", Entity: s.Entity}
	}
	if err != nil {
		res = tools.Result{Failed: true, Text: m.Phrases.Apology(err)}
	}
	c.note(i, s.Call, res, err, time.Since(began), acts && s.Call.Tool != "")
	if acts && !actsOn(steps[i+1:], act.Device) {
		place.Keep(act.Device, outcome{res, err})
		if err == nil {
			place.Release(act.Device)
		}
	}
}

// outcome is what came of a call, for those that wanted the same.
type outcome struct {
	result tools.Result
	err    error
}

// outcomeOfOther returns the outcome of a call that another turn made. If that turn was cut off,
// the outcome is not known.
func outcomeOfOther(kept any) (tools.Result, error) {
	if o, ok := kept.(outcome); ok {
		return o.result, o.err
	}
	return tools.Result{}, tools.ErrNoAnswer
}

// actsOn reports whether a step acts on a device. It reads no call of a step, because
// these may be changing meanwhile.
func actsOn(steps []plan.Step, device string) bool {
	for i := range steps {
		if act, acts := deviceAct(&steps[i]); acts && act.Device == device {
			return true
		}
	}
	return false
}
