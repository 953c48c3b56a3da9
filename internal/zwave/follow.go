package zwave

import (
	"context"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// follower waits after a write for the fact: what the device itself reports. Only
// readings that arrived later than after count; where the device has not
// confirmed the write, readings that may be claims of the gateway do not.
type follower struct {
	commander   *commander
	entity      *entity
	step        step
	changed     <-chan struct{} // a value in question has a new reading
	reconnected <-chan struct{} // closed when broker or gateway have come back: a request sent before is lost
	after       uint64          // only readings with a higher seq count
	giveUpAt    time.Time       // when a device that does not move is given up
	unsure      bool            // the device is to be asked at once; its read-back would come a second later
	answerLost  bool            // the gateway's answer was lost, and perhaps the command
	motion      motion
	command     *orderedCommand
	arrivesAt   time.Time // when the device says it will be there; zero: it said nothing
}

// motion is what we have seen of a moving device: its last known state, and
// whether that has changed since the command.
type motion struct {
	state any
	moved bool
}

// noteRemaining records how long the device says it will still be on its way.
func (f *follower) noteRemaining(d time.Duration) {
	f.arrivesAt = time.Now().Add(d)
	if end := f.arrivesAt.Add(lateness); end.After(f.giveUpAt) {
		f.giveUpAt = end
	}
}

// remaining returns how long the device is still on its way; 0: it is not, or
// that is unknown.
func (f *follower) remaining() time.Duration {
	if f.arrivesAt.IsZero() {
		return 0
	}
	return max(0, time.Until(f.arrivesAt))
}

// follow returns when a report shows what was asked, when it is clear that none
// will in time, or when patience ends. It asks the device itself: at once after
// an unsupervised write, later in growing steps, because reports get lost and
// topics may be unusable (MANUAL gateways, two nodes of one name).
func (f *follower) follow(ctx context.Context, r tools.Receipt) tools.Receipt {
	next := time.NewTimer(0)
	defer next.Stop()
	pause := firstPoll
	if !f.unsure {
		next.Reset(max(f.remaining()+lateness, laterPolls))
	}
	var polled <-chan struct{}
	for {
		fact := f.fact()
		f.noteProgress(fact)
		if fact.known && f.done(fact) {
			r.Value = f.step.say(fact.value)
			return ended(r, tools.Confirmed, f.sentence(r.Value))
		}
		if f.arrivesAfter(ctx) {
			return f.giveUp(r, fact)
		}
		select {
		case <-ctx.Done():
			return f.giveUp(r, f.fact())
		case <-f.command.overtaken:
			return f.overtaken(r)
		case <-f.changed:
			f.readDuration()
		case <-f.reconnected:
			f.reconnected, polled = f.commander.link.whenReconnected(), nil
			f.unsure, f.giveUpAt = true, time.Now().Add(settle)
			next.Reset(0)
		case <-next.C:
			if time.Now().After(f.giveUpAt) && f.entity.Domain != "cover" && f.commander.link.connected() {
				return f.giveUp(r, f.fact())
			}
			polled = f.poll(ctx)
		case <-polled:
			polled = nil
			f.readDuration()
			next.Reset(max(pause, f.remaining()))
			pause = laterPolls
		}
	}
}

// arrivesAfter reports whether the device will still be on its way when ctx ends.
func (f *follower) arrivesAfter(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && f.arrivesAt.After(deadline)
}

// fact returns the last reading that counts; an unknown one if there is none. A
// list does not count, because it holds what the gateway believes. Claims count
// only where the device itself has confirmed the write.
func (f *follower) fact() reading {
	if r := f.step.assembled(f.factOf); r.known {
		return r
	}
	return f.factOf(f.step.check)
}

func (f *follower) factOf(id wire.ValueID) reading {
	r := f.commander.ledger.read(id)
	if r.seq <= f.after || r.source == sourceList || r.claim && f.unsure {
		return reading{}
	}
	return r
}

// noteProgress gives more time to a device whose state changes although it does
// not say how long it will move.
func (f *follower) noteProgress(fact reading) {
	switch {
	case !fact.known || same(fact.value, f.motion.state):
	case f.motion.state == nil:
		f.motion.state = fact.value
	default:
		f.motion = motion{fact.value, true}
		f.giveUpAt = time.Now().Add(settle)
	}
}

// readDuration reads from the ledger how long the device says it will still move.
func (f *follower) readDuration() {
	if f.step.duration == (wire.ValueID{}) {
		return
	}
	if r := f.commander.ledger.read(f.step.duration); r.seq > f.after {
		f.arrivesAt = time.Time{}
		if d, ok := wire.Seconds(r.value); ok && d > 0 {
			f.noteRemaining(d)
		}
	}
}

func (f *follower) done(fact reading) bool {
	if f.step.stops {
		f.readDuration()
		return f.remaining() == 0
	}
	return f.step.done(fact.value)
}

// poll asks the device for the values in question; the channel is closed when the
// answers are in the ledger.
func (f *follower) poll(ctx context.Context) <-chan struct{} {
	ids := f.step.polls
	if ids == nil {
		ids = []wire.ValueID{f.step.check}
	}
	done := make(chan struct{})
	go func() { // ends with ctx at the latest, which follow's caller cancels
		defer close(done)
		ctx, cancel := context.WithTimeout(ctx, pollWait)
		defer cancel()
		for _, id := range ids {
			if err := f.commander.devices.poll(ctx, id); err != nil {
				f.commander.log.Debug("asking a device for a value", "node", id.Node, "err", err)
				return
			}
		}
	}()
	return done
}

// giveUp ends the receipt with what is known when the fact did not come in time.
func (f *follower) giveUp(r tools.Receipt, fact reading) tools.Receipt {
	name := f.entity.Name
	if fact.known {
		r.Value = f.step.say(fact.value)
	}
	switch {
	case f.commander.ledger.node(f.entity.node.ID).dead():
		return ended(r, tools.NoAnswer, name+" does not answer. Check that it has power, then try again.")
	case f.answerLost && fact.known && f.remaining() == 0:
		return ended(r, tools.NoAnswer, "The connection was interrupted, and "+name+" still "+reports(name)+" "+spoken(r.Value, f.step.unit)+". Please say it again.")
	case f.answerLost:
		return ended(r, tools.NoAnswer, "The connection was interrupted; I do not know whether "+name+" got the command.")
	case f.remaining() > 0, f.entity.Domain == "cover" && f.motion.moved:
		return ended(r, tools.Accepted, is(name, "on the way"))
	case fact.known:
		return ended(r, tools.Accepted, name+" took the command but still "+reports(name)+" "+spoken(r.Value, f.step.unit)+".")
	default:
		return ended(r, tools.Accepted, name+" took the command but has not confirmed it yet.")
	}
}

// sentence says a confirmed change in words.
func (f *follower) sentence(v any) string {
	name, what := f.entity.Name, spoken(v, f.step.unit)
	switch home.Ability(f.step.property) {
	case home.Brightness, home.Speed, home.Position:
		if f.step.stops {
			return name + " stopped at " + what + "."
		}
		return is(name, "at "+what)
	case home.Setpoint, home.Mode:
		return is(name, "set to "+what)
	default:
		return is(name, what)
	}
}
