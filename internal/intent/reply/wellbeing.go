package reply

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// inspection is the result of a look through the whole house, sorted for speaking.
type inspection struct {
	alarms, unlocked, doors, windows, hot, away, silent, low, fine []finding

	servers []plan.Absent // that are not connected
	gateway []string      // what is wrong with the gateway itself
	reached bool          // whether any device is reached
}

// inspect reads every thing for what must be so for all to be well.
func (c *census) inspect(steps []plan.Step, results []tools.Result) *inspection {
	n := &inspection{}
	for i := range steps {
		s := &steps[i]
		if s.About == plan.Servers {
			n.servers, n.gateway = plan.ReadAbsent(results[i]), plan.Troubles(results[i])
			continue
		}
		o, _ := observe(s, results[i])
		n.reached = n.reached || o.Reachable != nil && *o.Reachable
		q, watches := guarded(s)
		f, _ := (&census{c.Phrases, q}).find(s, results[i])
		f.away = o.Reachable != nil && !*o.Reachable
		n.file(f, q.want, watches)
	}
	slices.SortStableFunc(n.alarms, func(a, b finding) int { return peril(a.step.Entity) - peril(b.step.Entity) })
	return n
}

// file sorts in a finding.
func (n *inspection) file(f finding, want string, watches bool) {
	into := &n.fine
	switch {
	case f.state == "low":
		into = &n.low
	case f.state == "alarm":
		into = &n.alarms
	case f.away:
		into = &n.away
	case !watches || f.step.About == plan.Battery:
		return
	case f.state == "":
		into = &n.silent
	case f.state == want:
	case want == "off" && isHot(f.step.Entity):
		into = &n.hot
	case want == "off":
		into = &n.alarms // a siren that howls
	case want == "locked":
		into = &n.unlocked
	case want == "closed" && f.step.Entity.Opening()&home.AnyDoor != 0:
		into = &n.doors
	case want == "closed":
		into = &n.windows
	}
	*into = append(*into, f)
}

// wellbeing says whether all is well in the house, and what is not, the worst first; with
// advice, also since when, and what the user can do about it.
func (c *census) wellbeing(steps []plan.Step, results []tools.Result, advice bool) string {
	n := c.inspect(steps, results)
	var said []string
	for _, part := range []struct {
		kind  string
		found []finding
	}{{"alarm", n.alarms}, {"lock", n.unlocked}, {"door", n.doors}, {"window", n.windows}, {"switch", n.hot}} {
		if len(part.found) > 0 {
			said = append(said, (&census{c.Phrases, question{kind: part.kind}}).tell("", part.found)...)
		}
	}
	said = append(said, c.missing(n, advice)...)
	if len(n.low) > 0 {
		said = append(said, c.batteries("", n.low))
		said = append(said, c.advised(advice, "mend_battery", len(n.low))...)
	}
	said = append(said, c.absentServers(n.servers, advice)...)
	switch {
	case len(said) == 0 && len(n.gateway) > 0:
		said = []string{c.Phrase("house_right", nil)}
	case len(said) == 0:
		said = []string{c.Phrase("all_right", nil)}
	}
	said = append(said, n.gateway...)
	if text := c.ages(n.fine); text != "" {
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// missing says which things cannot be reached, or have no known state.
func (c *census) missing(n *inspection, advice bool) []string {
	if len(n.away) > 1 && !n.reached && n.away[0].blame == "" {
		return []string{c.Phrase("none_reached", nil)}
	}
	said := c.notKnown(slices.Concat(n.away, n.silent))
	if len(n.away) > 0 && n.away[0].blame == "" {
		said = append(said, c.advised(advice, "mend_away", len(n.away))...)
	}
	return said
}

// advised is what can be done about one or several things, where that is wanted.
func (c *census) advised(wanted bool, key string, count int) []string {
	switch {
	case !wanted:
		return nil
	case count > 1:
		key += "_all"
	}
	return []string{c.Phrase(key, nil)}
}

// absentServers says which servers are not connected.
func (c *census) absentServers(servers []plan.Absent, advice bool) []string {
	if len(servers) == 0 {
		return nil
	}
	var names, said []string
	for _, s := range servers {
		if advice && s.LastSuccess != nil && time.Since(*s.LastSuccess) < day {
			said = append(said, c.Phrase("server_away_since", map[string]any{"name": s.ID, "time": c.TimeOfDay(s.LastSuccess.Local())}))
			continue
		}
		names = append(names, s.ID)
	}
	if len(names) > 0 {
		said = append(said, c.Phrase("servers_away", map[string]any{"names": c.grammar.list(names)}))
	}
	return append(said, c.advised(advice, "mend_server", 1)...)
}

// guarded returns what must be so of a thing for all to be well; watches is false
// where its state does not matter.
func guarded(s *plan.Step) (q question, watches bool) {
	e := s.Entity
	switch {
	case s.About == plan.Battery:
		return question{want: "full"}, true
	case e.Domain == "lock":
		return question{kind: "lock", want: "locked"}, true
	case e.Opening() != 0:
		return question{kind: "door", want: "closed"}, true
	case e.Domain == "siren" || e.DeviceClass() == "siren":
		return question{kind: "siren", want: "off"}, true
	case perils[e.DeviceClass()] > 0 && e.Domain == "binary_sensor":
		return question{kind: "alarm", want: "off"}, true
	case isHot(e):
		return question{kind: "switch", want: "off"}, true
	}
	return question{want: "reachable"}, false
}

// isHot reports whether a thing should not stay on unattended: an oven, an iron.
func isHot(e *home.Entity) bool {
	return slices.Contains([]string{"switch", "outlet", "light"}, e.Domain) && e.Hazards()&home.Hot != 0
}

// perils are the classes of alarms, the worst first.
var perils = map[string]int{
	"smoke": 1, "heat": 1, "carbon_monoxide": 2, "gas": 2, "moisture": 3, "intrusion": 3, "safety": 4, "tamper": 4, "glass_break": 4, "problem": 5, "freeze": 5, "co2": 5,
}

func peril(e *home.Entity) int { return perils[e.DeviceClass()] }

// topmost leaves out the sensors of a device that is itself among the things: the
// battery of the front door beside the front door.
func topmost(found []finding) []finding {
	return slices.DeleteFunc(slices.Clone(found), func(f finding) bool {
		return f.step.Entity.Domain == "sensor" && slices.ContainsFunc(found, func(o finding) bool {
			return o.step.Entity != f.step.Entity && strings.HasPrefix(f.step.Entity.Name, o.step.Entity.Name+" ")
		})
	})
}
