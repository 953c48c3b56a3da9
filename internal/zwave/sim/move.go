package sim

import (
	"cmp"
	"math"
	"time"

	"voicegateway/internal/zwave/wire"
)

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

// move starts towards a level; arrived is called at the end unless it is stopped
// or turned. A device without a ramp arrives at once and reports nothing.
func (a *air) move(n *node, current *value, to float64, transition time.Duration, arrived func()) {
	n.settle(current)
	n.halt(current)
	from, _ := current.fact.(float64)
	if from > 0 && to == 0 {
		n.last = from
	}
	whole := cmp.Or(n.spec.Ramp, n.kind.Travel)
	took := time.Duration(float64(whole) * math.Abs(to-from) / 99)
	if transition >= 0 && whole > 0 && !n.spec.Naive {
		took = transition
	}
	if took <= 0 {
		current.fact = to
		return
	}
	start := time.Now()
	m := &move{from: from, to: to, start: start, end: start.Add(a.clock.scaled(took))}
	m.timer = a.clock.after(took, func() {
		current.fact = to
		delete(n.moves, current.id)
		arrived()
	})
	n.moves[current.id] = m
}

// halt leaves a moving value where it is.
func (n *node) halt(current *value) {
	if m := n.moves[current.id]; m != nil {
		m.timer.cancel()
		delete(n.moves, current.id)
	}
}

// settle updates a value to what the device would report at this moment: its
// level on the way, or how long it still moves.
func (n *node) settle(v *value) {
	if m := n.moves[v.id]; m != nil {
		v.fact = m.at(time.Now())
	}
	if v.id.Property == "duration" && v.id.Class != wire.BinarySwitch && v.id.Class != wire.ColorSwitch {
		m := n.moves[v.id.With("currentValue", v.id.Key)]
		v.fact = map[string]any{"value": m.remaining(time.Now()).Seconds(), "unit": "seconds"}
	}
}
