package sim

import (
	"fmt"
	"strconv"
)

func apiRefreshNeighbors(s *Sim, _ []any, done reply) {
	s.clock.after(floorTime, func() {
		all := map[string]any{"1": []any{}}
		for _, id := range s.net.order {
			all[strconv.Itoa(id)] = []any{}
		}
		done(all, "")
	})
}

// apiSendCommand serves sendCommand with [valueId, command, arguments]: set and
// get of switches and dimmers. The gateway neither checks nor claims anything.
func apiSendCommand(s *Sim, args []any, done reply) {
	id, _ := valueArg(args)
	id.Property = "targetValue"
	n, command := s.net.nodes[id.Node], ""
	if len(args) > 1 {
		command, _ = args[1].(string)
	}
	var v *value
	if n != nil {
		v = n.find(id)
	}
	if v == nil || command != "set" && command != "get" {
		s.clock.after(floorTime, func() { done(nil, fmt.Sprintf("The command %s does not exist for CC %d", command, id.Class)) })
		return
	}
	unheard := func() { done(nil, n.noAck()) }
	if command == "get" {
		s.air.whenAwake(n, pollTime, func() { done(s.air.sendGet(n, v), "") }, unheard)
		return
	}
	var to any
	if len(args) > 2 {
		if list, ok := args[2].([]any); ok && len(list) > 0 {
			to = list[0]
		}
	}
	s.air.whenAwake(n, airTime, func() {
		s.air.traffic(n, false)
		s.net.actUnseen([]int{n.spec.ID}, v.id, to)
		done(nil, "")
	}, unheard)
}

// sendGet has the device report, and returns what the gateway makes of the
// report.
func (a *air) sendGet(n *node, v *value) map[string]any {
	a.traffic(n, false)
	result := map[string]any{}
	for _, o := range n.answeredWith(n.source(v)) {
		if o == nil {
			continue
		}
		n.settle(o)
		a.mqtt.report(n, o)
		if fact, told := n.reportedLevel(o); told {
			result[o.id.Property] = fact
		}
	}
	return result
}

// apiWriteMulticast serves a multicast write with [[nodes], valueId, value].
func apiWriteMulticast(s *Sim, args []any, done reply) {
	var nodes []int
	if len(args) > 0 {
		list, _ := args[0].([]any)
		for _, id := range list {
			if number, ok := id.(float64); ok {
				nodes = append(nodes, int(number))
			}
		}
		args = args[1:]
	}
	s.writeTogether(nodes, args, done)
}

// apiWriteBroadcast serves a broadcast write with [valueId, value].
func apiWriteBroadcast(s *Sim, args []any, done reply) { s.writeTogether(s.net.order, args, done) }

func (s *Sim) writeTogether(nodes []int, args []any, done reply) {
	id, ok := valueArg(args)
	var to any
	if len(args) > 1 {
		to = args[1]
	}
	s.air.onAir(airTime, func() {
		if ok {
			s.actTogether(nodes, id, to)
		}
		done(nil, "")
	})
}
