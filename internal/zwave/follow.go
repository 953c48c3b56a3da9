package zwave

import (
	"context"
	"math"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// follower waits after a write for the fact: what the device itself reports. Only
// readings that arrived later than after count, and were not asked for before. For what moves or guards, a report
// is not enough: the controller may have written it, so the device is asked once
// more before anything is confirmed.
type follower struct {
	commander   *commander
	entity      *entity
	step        step
	before      reading         // what the device said last before the command
	changed     <-chan struct{} // a value in question has a new reading
	reconnected <-chan struct{} // closed when broker or gateway have come back: a request sent before is lost
	after       uint64          // only readings with a higher seq count
	sent        uint64          // the seq when the command was sent; answers to earlier questions do not count
	slow        bool            // the device took long to take the command
	giveUpAt    time.Time       // when a device that does not move is given up
	guards      bool            // it moves or guards something
	asks        bool            // it is asked before its state is reported; only a lamp that has not lied is not
	supervises  bool            // it answers for what it does, so that the controller writes its state
	word        reading         // the state it claims under Supervision, if that is reported at once
	askNow      bool            // the device is to be asked at once; its read-back would come a second later
	checked     uint64          // the report after which the device was asked once more
	answerLost  bool            // the gateway's answer was lost, and perhaps the command
	motion      motion
	command     *orderedCommand
	arrivesAt   time.Time // when the device says it will be there; zero: it said nothing
	inquiry     *inquiry  // who is to blame, once something does not answer
}

// motion is what we have seen of a moving device: when it was told to move, its last known
// state, when that has changed since, and the first answer of the device that said so.
type motion struct {
	began   time.Time
	state   any
	moved   bool
	at      time.Time
	restsAt reading
}

// guards reports whether an entity moves or guards something, so that a wrong "done" lets
// a person in, or floods, burns or deafens.
func (e *entity) guards() bool {
	switch e.Domain {
	case "cover", "lock", "valve":
		return true
	default:
		return e.Class == "siren" || e.thing().Hazards() != 0
	}
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

// follow returns when the device has said that it did what was asked, when it is
// clear that it will not say so in time, or when time is up. It asks the device
// itself: at once after an unsupervised write, later in growing steps, because
// reports get lost and topics may be unusable (MANUAL gateways, two nodes of one
// name).
func (f *follower) follow(ctx context.Context, r tools.Receipt) tools.Receipt {
	next := time.NewTimer(0)
	defer next.Stop()
	pause := firstPoll
	if !f.askNow {
		next.Reset(max(f.remaining()+lateness, laterPolls))
	}
	var polled <-chan error
	for {
		fact := f.fact()
		f.noteProgress(fact)
		switch done := fact.known && f.done(fact); {
		case done && f.proven(fact):
			return f.takeFact(ctx, r, fact)
		case done, f.step.reportsBeside(fact):
			polled = f.pollOnce(ctx, fact, polled)
		case f.arrivesAfter(ctx), f.movesFor(settle, r, fact):
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
			f.askNow, f.giveUpAt = true, time.Now().Add(settle)
			next.Reset(0)
		case <-next.C:
			if f.hopeless() {
				return f.giveUp(r, f.fact())
			}
			polled = f.poll(ctx)
		case err := <-polled:
			polled = nil
			f.suspect(ctx, err)
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

// movesFor reports whether a garage door or a gate, which takes long and never says how
// long, has been moving for a while: waiting for its end is useless.
func (f *follower) movesFor(d time.Duration, r tools.Receipt, fact reading) bool {
	return f.entity.main.Class == wire.BarrierOperator && time.Since(r.PublishedAt) > d && f.underWay(fact)
}

// hopeless reports whether a device that neither moves nor guards has had its
// time.
func (f *follower) hopeless() bool {
	return time.Now().After(f.giveUpAt) && !f.guards && f.commander.link.connected()
}

// proven reports whether a fact may be reported. The report of a device that answers
// under Supervision may be the controller's and not the device's.
func (f *follower) proven(fact reading) bool {
	return fact.source == sourcePoll || !f.guards && (!f.asks || !f.supervises)
}

// takeFact confirms with a fact. One that the controller may have written is read back
// afterwards.
func (f *follower) takeFact(ctx context.Context, r tools.Receipt, fact reading) tools.Receipt {
	r = f.confirm(ctx, r, fact)
	if r.Outcome == tools.Confirmed && f.supervises && fact.source != sourcePoll && !f.step.stops {
		f.commander.readBacks.notePromise(f.entity, f.step, f.before, fact.value, r.Value)
	}
	return r
}

// pollOnce asks the device because of a report, unless it is being asked already.
func (f *follower) pollOnce(ctx context.Context, report reading, polled <-chan error) <-chan error {
	if polled != nil || f.checked == report.seq {
		return polled
	}
	f.checked = report.seq
	return f.poll(ctx)
}

// suspect asks around when the device has not answered a question, so that it is
// not blamed for the fault of another.
func (f *follower) suspect(ctx context.Context, err error) {
	if err != nil && f.inquiry == nil {
		f.inquiry = f.commander.inquire(ctx, f.entity.node, true)
	}
}

// fact returns the last reading that counts, or an unknown one. A list does not count,
// because it holds what the gateway believes; neither does a value that the gateway
// derives from several while it only believes some of them.
func (f *follower) fact() reading {
	if f.word.known {
		return f.word
	}
	if f.step.assemble != nil {
		return f.step.assembleReading(f.factOf)
	}
	return f.factOf(f.step.check)
}

func (f *follower) factOf(id wire.ValueID) reading {
	if r := f.commander.ledger.read(id); r.after(f.after, f.sent) {
		return r
	}
	return reading{}
}

// noteProgress gives more time to a device whose state changes although it does
// not say how long it will move.
func (f *follower) noteProgress(fact reading) {
	switch {
	case !fact.known || same(fact.value, f.motion.state):
	case f.motion.state == nil:
		f.motion.state = fact.value
	default:
		f.motion.state, f.motion.moved, f.motion.at, f.motion.restsAt = fact.value, true, time.Now(), reading{}
		f.giveUpAt = time.Now().Add(settle)
	}
}

// readDuration reads from the ledger how long the device says it will still move;
// known is false where it has not said.
func (f *follower) readDuration() (known bool) {
	if f.step.duration == (wire.ValueID{}) {
		return false
	}
	r := f.commander.ledger.read(f.step.duration)
	if !r.after(f.after, f.sent) {
		return false
	}
	f.arrivesAt = time.Time{}
	d, known := wire.Seconds(r.value)
	if d > 0 {
		f.noteRemaining(d)
	}
	return known
}

// done reports whether a fact shows what was asked. A level beside the asked one may be where
// the device stays, because it rounds, or a step on its way; so it counts once the device rests
// there.
func (f *follower) done(fact reading) bool {
	switch {
	case f.step.stops:
		return f.stopped(fact)
	case f.step.besides(fact):
		return f.rests(fact, f.leastRest())
	default:
		return f.step.done(fact.value)
	}
}

// stopped reports whether a thing that was told to stop has stopped: it says that it no
// longer moves, or is found at the same place twice.
func (f *follower) stopped(fact reading) bool {
	if f.readDuration() {
		return f.remaining() == 0
	}
	return f.rests(fact, 0)
}

// rests reports whether the device, when it was asked, was found in the same state as a time
// ago, and does not say that it still moves.
func (f *follower) rests(fact reading, ago time.Duration) bool {
	first := f.motion.restsAt
	if fact.source == sourcePoll && !first.known {
		f.motion.restsAt = fact
	}
	f.readDuration()
	return first.known && fact.source == sourcePoll && fact.seq > first.seq && fact.at.Sub(first.at) >= ago && f.remaining() == 0
}

// leastRest returns for how long a device has to show the same level until it is known to
// rest: for twice as long as it has taken for one level since the command. What has not left
// its level yet may only be about to begin, and so needs longer.
func (f *follower) leastRest() time.Duration {
	first := f.motion.restsAt
	from, known := number(f.before.value)
	at, _ := number(first.value)
	if way := math.Abs(at - from); known && way > 0 {
		return min(laterPolls, 2*time.Duration(float64(first.at.Sub(f.motion.began))/way))
	}
	return laterPolls
}

// answersLater reports whether a lamp, a plug or a fan has taken the command late and has
// not been heard since: what it does takes as long, and is told when it is there.
func (f *follower) answersLater(fact reading) bool {
	switch home.Ability(f.step.property) { //nolint:exhaustive // of the others it is not known what they do meanwhile
	case home.OnOff, home.Brightness, home.Speed:
		return f.slow && !fact.known && !f.guards
	}
	return false
}

// underWay reports whether the device has begun and not ended: it says how long
// it will take, its state changes, or it names the target that it was given.
func (f *follower) underWay(fact reading) bool {
	_, gradual := f.entity.level()
	switch {
	case f.step.stops:
		return false
	case f.remaining() > 0, !f.arrivesAt.IsZero() && !fact.known && f.entity.Domain == "cover":
		return true // of a cover that said how long it takes, nothing has been heard since
	case gradual:
		return f.motion.moved && time.Since(f.motion.at) < settle || f.aims() && (f.entity.Domain == "cover" || f.motion.moved)
	default:
		return fact.known && f.entity.main.Class == wire.BarrierOperator && fact.value == barrierWay[f.step.value]
	}
}

// barrierWay is what a barrier says on its way to a state.
var barrierWay = map[any]any{float64(barrierOpen): float64(barrierOpening), float64(barrierClosed): float64(barrierClosing)}

// aims reports whether the device itself names the target that it was given.
func (f *follower) aims() bool {
	target := f.factOf(f.step.target)
	return f.step.target != f.step.check && target.known && same(target.value, f.step.value)
}

// pollUnlessAlone asks the device when an inquiry has found that gateway and stick
// work: then only the gateway's answer to the write may be lost, or the device is
// slow.
func (f *follower) pollUnlessAlone(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { // ends at the latest with the ctx in which the inquiry began
		if !f.inquiry.waits().reachesOthers() {
			return
		}
		done <- <-f.poll(ctx)
	}()
	return done
}

// polledDone reports whether a poll that ended with err has shown what was asked.
func (f *follower) polledDone(err error) (fact reading, done bool) {
	fact = f.fact()
	return fact, err == nil && fact.known && fact.source == sourcePoll && f.done(fact)
}

// poll asks the device for the values in question; the channel receives when the answers
// are in the ledger, or the reason why there are none.
func (f *follower) poll(ctx context.Context) <-chan error {
	ids := f.step.polls
	if ids == nil {
		ids = []wire.ValueID{f.step.check}
	}
	done := make(chan error, 1)
	go func() { // ends with ctx at the latest, which follow's caller cancels
		ctx, cancel := context.WithTimeout(ctx, pollWait)
		defer cancel()
		for _, id := range ids {
			if err := f.commander.devices.poll(ctx, id); err != nil {
				f.commander.log.Debug("asking a device for a value", "node", id.Node, "err", err)
				done <- err
				return
			}
		}
		done <- nil
	}()
	return done
}
