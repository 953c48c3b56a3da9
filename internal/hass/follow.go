package hass

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// Waits while following a command.
const (
	settle  = 2500 * time.Millisecond // a thing that does not move shows it within this, once its service has ended
	arrival = 700 * time.Millisecond  // a thing that moves is told as under way unless it arrives within this
	turning = 3 * time.Second         // and a bolt that turns unless it stands within this
	silence = time.Second             // without any sign, Home Assistant is asked whether it is there
)

// follower follows one command until the state of its thing shows what came of it.
type follower struct {
	commander *commander
	entity    *entity
	step      step
	conn      *socket.Conn
	before    *status
	after     uint64        // changes after this one may be of the command
	overtaken chan struct{} // closed when a newer command has the same aim

	replied          bool                // the service has ended
	pinged           <-chan socket.Reply // Home Assistant was asked whether it is there; nil: it has answered
	settled, arrived <-chan time.Time    // when what has not happened by then is not waited for
}

// believesAtOnce reports whether the first state that shows the wanted value is told. What
// opens, locks or heats is told when its service has ended as well, because some
// integrations write the wanted state before they ask the device.
func (f *follower) believesAtOnce() bool {
	return slices.Contains([]string{"light", "switch", "fan", "media_player"}, f.entity.Domain)
}

// follow waits for what shows the end of a command. The value decides; the reply only says
// that the service has ended, or why it was refused.
func (f *follower) follow(ctx context.Context, r tools.Receipt, changed <-chan struct{}, reply <-chan socket.Reply) tools.Receipt {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		var end *tools.Receipt
		select {
		case <-changed:
			end = f.takeChange(r)
		case got := <-reply:
			reply = nil
			end = f.takeReply(ctx, r, got.Err)
		case <-f.arrived:
			f.arrived = nil
			if s := f.commander.mirror.read(f.entity.ID); f.underWay(s) {
				return f.endOnItsWay(r, s)
			}
		case <-quiet.C:
			if reply != nil {
				f.pinged, _ = f.conn.Start(socket.Command{"type": "ping"})
			}
		case <-f.pinged:
			f.pinged = nil
		case <-f.overtaken:
			return form.End(r, tools.Accepted, tools.Overtaken, "A newer command for "+f.entity.Name+" has overtaken this one.")
		case <-f.conn.Ended():
			return f.endLost(ctx, r)
		case <-f.settled:
			return f.giveUp(r)
		case <-ctx.Done():
			return f.giveUp(r)
		}
		if end != nil {
			return *end
		}
	}
}

// takeChange takes a change of the thing's state. It returns a receipt if that is the end.
func (f *follower) takeChange(r tools.Receipt) *tools.Receipt {
	s := f.commander.mirror.read(f.entity.ID)
	end := f.judge(r, s)
	if end == nil && f.underWay(s) && f.arrived == nil {
		f.arrived = time.After(either(f.entity.Domain == "lock", turning, arrival))
	}
	return end
}

// takeReply takes what came of the service: nil that it has ended, else why it was refused,
// or that the connection has ended. It returns a receipt if that is the end.
func (f *follower) takeReply(ctx context.Context, r tools.Receipt, err error) *tools.Receipt {
	if _, refused := errors.AsType[*socket.Error](err); refused {
		end := f.endRefused(r, err)
		return &end
	}
	if err != nil {
		end := f.endLost(ctx, r)
		return &end
	}
	f.replied = true
	f.settled = time.After(settle)
	return f.judge(r, f.commander.mirror.read(f.entity.ID))
}

// judge ends the receipt if a state shows how the command ended; nil if it does not yet.
func (f *follower) judge(r tools.Receipt, s *status) *tools.Receipt {
	news := s == nil || s.seq > f.after
	switch {
	case news && s.away():
		end := f.commander.endAway(r, f.entity, s)
		return &end
	case news && f.step.failed != nil && f.step.failed(s):
		end := form.End(f.fact(r, s), tools.Refused, tools.RefusedByDevice, form.Is(f.entity.Name, s.state)+" Please look at it.")
		return &end
	case !f.step.done(s), !news && (f.step.fresh || !f.replied), !f.replied && !f.believesAtOnce():
		return nil
	case s.assumed():
		if !f.replied {
			return nil
		}
		end := form.End(f.fact(r, s), tools.Accepted, tools.Unconfirmed, f.entity.Name+" took the command, but cannot tell whether it has done it.")
		return &end
	}
	end := f.confirm(f.fact(r, s), s)
	return &end
}

// underWay reports whether a thing is on its way since the command.
func (f *follower) underWay(s *status) bool {
	return s != nil && s.seq > f.after && f.step.moving != nil && f.step.moving(s)
}

// showsDone reports whether a state since the command is the wanted one, and no guess.
func (f *follower) showsDone(s *status) bool {
	return s.known() && s.seq > f.after && f.step.done(s) && !s.assumed()
}

// fact puts what a state shows into the receipt.
func (f *follower) fact(r tools.Receipt, s *status) tools.Receipt {
	if !s.known() {
		return r
	}
	r.Value = f.step.say(s)
	if level, ok := f.entity.level(); ok && string(level) != f.step.property && !f.underWay(s) {
		r.ValueLevel = f.entity.percentOf(s)
	}
	return r
}

// confirm ends the receipt with the fact that was asked for, and has it watched: what is
// not so any more a moment later was never so.
func (f *follower) confirm(r tools.Receipt, s *status) tools.Receipt {
	f.commander.chronicle.watchBack(f.entity, f.step, r.Value, s)
	text := f.sentence(r.Value)
	if f.entity.Domain == "climate" && f.step.unit != "" && is("off")(s) {
		return form.End(r, tools.Confirmed, tools.WhenOn, strings.TrimSuffix(text, ".")+", but it is off.")
	}
	return form.End(r, tools.Confirmed, "", text)
}

// sentence says a confirmed change in words.
func (f *follower) sentence(v any) string {
	name, what := f.entity.Name, form.SayState(v, f.step.unit)
	switch {
	case f.step.told != "":
		return f.step.told
	case slices.Contains([]string{"scene", "script", "button"}, f.entity.Domain):
		return name + " has been started."
	case f.step.stops:
		if v == nil {
			return name + " has stopped."
		}
		return name + " stopped at " + what + "."
	}
	return form.SayDone(name, home.Ability(f.step.property), what)
}

// endOnItsWay ends the receipt of a thing that moves.
func (f *follower) endOnItsWay(r tools.Receipt, s *status) tools.Receipt {
	return form.End(f.fact(r, s), tools.Accepted, tools.OnItsWay, form.Is(f.entity.Name, either(f.entity.Domain == "lock", "still turning", "on the way")))
}

// endRefused ends the receipt of a command that Home Assistant or the device refused. Where the
// wanted value has come all the same, it counts, but not for what opens, locks or heats: it
// may have been written before the device was asked.
func (f *follower) endRefused(r tools.Receipt, err error) tools.Receipt {
	c, name := f.commander, f.entity.Name
	c.chronicle.withdraw(f.entity)
	no, _ := errors.AsType[*socket.Error](err)
	c.log.Info("home assistant refused a command", "entity", f.entity.ID, "service", f.step.domain+"."+f.step.service, "code", no.Code, "reason", no.Message)
	s := c.mirror.read(f.entity.ID)
	if f.believesAtOnce() && f.showsDone(s) {
		return f.confirm(f.fact(r, s), s)
	}
	r = f.fact(r, s)
	switch no.Code {
	case socket.CodeValidation, socket.CodeFormat:
		return form.End(r, tools.Refused, tools.RefusedValue, name+" does not accept that.")
	case socket.CodeNotFound:
		return form.End(r, tools.Refused, tools.RefusedAction, name+" cannot do that.")
	case socket.CodeUnauthorized:
		return form.End(r, tools.Refused, tools.RefusedAction, "Home Assistant does not let us control "+name+". Use the token of a user who may.")
	default:
		return form.End(r, tools.Refused, tools.RefusedByDevice, name+" did not carry out the command. Try again, and look at the device if it happens again.")
	}
}

// giveUp ends the receipt with what is known when the fact did not come in time.
func (f *follower) giveUp(r tools.Receipt) tools.Receipt {
	s := f.commander.mirror.read(f.entity.ID)
	r = f.fact(r, s)
	name := f.entity.Name
	switch {
	case f.showsDone(s) && (f.replied || f.believesAtOnce()): // the value decides
		return f.confirm(r, s)
	case f.underWay(s):
		return f.endOnItsWay(r, s)
	case !f.replied && f.pinged != nil:
		return form.End(r, tools.NoAnswer, tools.HomeAssistantAway, "Home Assistant does not answer."+form.GotIt+name+" got the command.")
	case !f.replied:
		return form.End(r, tools.Accepted, tools.OnItsWay, name+" takes long, and has not answered yet.")
	case !s.known() || r.Value == nil:
		return form.End(r, tools.Accepted, tools.Unconfirmed, name+" took the command but has not confirmed it yet.")
	case r.Value == r.Before && (s.seq <= f.after || f.before.known()):
		return form.End(r, tools.Accepted, tools.Unchanged, name+" took the command but still reports "+form.SayState(r.Value, f.step.unit)+".")
	default:
		return form.End(r, tools.Accepted, tools.Unconfirmed, name+" took the command but reports "+form.SayState(r.Value, f.step.unit)+".")
	}
}

// endLost ends the receipt of a command whose connection has ended. It is never sent again: it
// may have been carried out. What the thing says of itself afterwards decides, if that comes
// in time.
func (f *follower) endLost(ctx context.Context, r tools.Receipt) tools.Receipt {
	c, name := f.commander, f.entity.Name
	s, back := c.link.await(ctx, func(s standing) bool { return s.conn != nil && s.conn != f.conn })
	if !back {
		why, text := explainAway(s)
		if why == tools.HomeAssistantAway {
			why = tools.Interrupted
		}
		return form.End(r, tools.NoAnswer, why, text+form.GotIt+name+" got the command.")
	}
	now := c.mirror.read(f.entity.ID)
	r = f.fact(r, now)
	switch {
	case now.known() && !now.assumed() && !f.step.fresh && f.step.done(now):
		return f.confirm(r, now)
	case now.known():
		return form.End(r, tools.NoAnswer, tools.Interrupted, "The connection was interrupted, and "+name+" reports "+form.SayState(r.Value, f.step.unit)+". Please say it again.")
	default:
		return form.End(r, tools.NoAnswer, tools.Interrupted, "The connection was interrupted."+form.GotIt+name+" got the command.")
	}
}
