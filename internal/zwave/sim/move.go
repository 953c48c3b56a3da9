package sim

import (
	"cmp"
	"math"
	"time"

	"voicegateway/internal/zwave/wire"
)

// motion is what moves about a device.
type motion struct {
	moves   map[wire.ValueID]*move
	parked  float64 // where a barrier was stopped on its way
	turning int     // bolts that are on their way
	jammed  bool    // a bolt is stuck
}

// move is a light on its ramp or a cover on its way.
type move struct {
	from, to   float64
	start, end time.Time
	timer      *timer
}

// at returns the level at a moment.
func (m *move) at(t time.Time) float64 {
	total := m.end.Sub(m.start)
	if total <= 0 || !t.Before(m.end) {
		return m.to
	}
	part := float64(t.Sub(m.start)) / float64(total)
	return math.Floor(m.from + (m.to-m.from)*part)
}

// remaining returns the remaining time as the device reports it: whole seconds,
// rounded up. A nil move has ended.
func (m *move) remaining(t time.Time) time.Duration {
	if m == nil || !t.Before(m.end) {
		return 0
	}
	return time.Duration(math.Ceil(m.end.Sub(t).Seconds())) * time.Second
}

// level returns where what moves is, from 0 to 99. A barrier that stopped on its
// way does not tell where it is; the house knows all the same.
func (o *motion) level(v *value) float64 {
	if m := o.moves[v.id]; m != nil {
		return m.at(time.Now())
	}
	level, _ := v.fact.(float64)
	switch {
	case v.id.Class != wire.BarrierOperator:
		return level
	case level == 0 || level == 255:
		return barrierLevel(v.fact)
	default:
		return o.parked
	}
}

// place puts what moves at a level, where it stays.
func (o *motion) place(v *value, level float64) {
	switch {
	case v.id.Class != wire.BarrierOperator:
		v.fact = level
	case level <= 0:
		v.fact = 0.0
	case level >= 99:
		v.fact = 255.0
	default:
		v.fact, o.parked = barrierStopped, level
	}
}

// halt leaves a moving value where it is.
func (o *motion) halt(current *value) {
	if m := o.moves[current.id]; m != nil {
		level := o.level(current)
		m.timer.cancel()
		delete(o.moves, current.id)
		o.place(current, level)
	}
}

// move starts towards a level; arrived is called at the end unless it is stopped
// or turned. A device without a ramp arrives at once and reports nothing.
func (a *air) move(n *node, current *value, to float64, transition time.Duration, arrived func()) {
	from := n.level(current)
	n.halt(current)
	if from > 0 && to == 0 {
		n.last = from
	}
	whole := cmp.Or(n.spec.Ramp, n.kind.Travel)
	took := time.Duration(float64(whole) * math.Abs(to-from) / 99)
	if transition >= 0 && whole > 0 && !n.spec.Naive {
		took = transition
	}
	end := to
	if to != from && n.fault.block.spend() {
		end, took = math.Floor((from+to)/2), took/2
	}
	if took <= 0 {
		n.place(current, end)
		return
	}
	start := time.Now()
	m := &move{from: from, to: end, start: start, end: start.Add(a.clock.scaleTime(took))}
	m.timer = a.clock.physically(took, func() {
		delete(n.moves, current.id)
		n.place(current, end)
		if !n.spec.Quiet || n.supervised() && !hasty(n) {
			arrived()
		}
	})
	n.moves[current.id] = m
	if n.spec.Steps {
		a.reportStep(n, current, m, time.Duration(float64(took)/math.Abs(end-from)))
	}
}

// reportStep has a device report its level after the time for one level, and again until it
// has arrived, is stopped or is turned.
func (a *air) reportStep(n *node, current *value, m *move, pause time.Duration) {
	a.clock.physically(pause, func() {
		if n.moves[current.id] != m || n.spec.Quiet {
			return
		}
		a.reportUnasked(n, []*value{current})
		a.reportStep(n, current, m, pause)
	})
}

// settle updates a value to what the device would report at this moment: its
// level on the way, or how long it still moves.
func (n *node) settle(v *value) {
	if v.id.Class == wire.BarrierOperator {
		n.settleBarrier(v)
		return
	}
	if m := n.moves[v.id]; m != nil {
		v.fact = m.at(time.Now())
	}
	if v.id.Property == "duration" && (n.full() || v.id.Class != wire.BinarySwitch && v.id.Class != wire.ColorSwitch) {
		m := n.moves[v.id.With("currentValue", v.id.Key)]
		v.fact = map[string]any{"value": m.remaining(time.Now()).Seconds(), "unit": "seconds"}
	}
}
