package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"voicegateway/internal/zwave/wire"
)

// scene is a stored list of values.
type scene struct {
	id     int
	label  string
	values []map[string]any
}

func (c *scene) describe() map[string]any {
	values := make([]any, len(c.values))
	for i, v := range c.values {
		values[i] = v
	}
	return map[string]any{"sceneid": c.id, "label": c.label, "values": values}
}

func apiConstant(result any) func(*Sim, []any, reply) {
	return func(s *Sim, _ []any, done reply) { s.after(floorTime, func() { done(result, "") }) }
}

// apiLacksHardware is a call that the recorded controller could not serve.
func apiLacksHardware(function string) func(*Sim, []any, reply) {
	return func(s *Sim, _ []any, done reply) {
		s.after(floorTime, func() { done(nil, "Your hardware does not support the "+function+" function (ZW0105)") })
	}
}

func apiGetNeighbors(s *Sim, args []any, done reply) {
	if s.nodeArg(args) == nil {
		s.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'protocol')") })
		return
	}
	apiLacksHardware("GetRoutingInfo")(s, args, done)
}

func apiRefreshNeighbors(s *Sim, _ []any, done reply) {
	s.after(floorTime, func() {
		all := map[string]any{"1": []any{}}
		for _, id := range s.order {
			all[strconv.Itoa(id)] = []any{}
		}
		done(all, "")
	})
}

// removeTime is how long the gateway looks for a failed node.
const removeTime = 4200 * time.Millisecond

func apiRemoveFailed(s *Sim, args []any, done reply) {
	n := s.nodeArg(args)
	s.after(removeTime, func() {
		switch {
		case n == nil:
			done(nil, "Cannot read properties of undefined (reading 'protocol')")
		case !n.spec.Dead:
			done(nil, "The node removal process could not be started because the node responded to a ping. (ZW0360)")
		default:
			s.leave(n)
			done(nil, "")
		}
	})
}

func apiGetAssociations(s *Sim, args []any, done reply) {
	n := s.nodeArg(args)
	s.after(floorTime, func() {
		if n == nil {
			done([]any{}, "")
			return
		}
		done([]any{map[string]any{"endpoint": 0, "groupId": 1, "nodeId": 1}}, "")
	})
}

// apiSendCommand serves set and get of switches and dimmers. There are no checks
// and no claims.
func apiSendCommand(s *Sim, args []any, done reply) {
	id, ok := valueArg(args)
	n := s.nodes[id.Node]
	command := ""
	if len(args) > 1 {
		command, _ = args[1].(string)
	}
	id.Property = "targetValue"
	var v *value
	if ok && n != nil {
		v = n.find(id)
	}
	switch {
	case !ok || n == nil:
		s.after(floorTime, func() { done(nil, fmt.Sprintf("Node %d not found", id.Node)) })
	case v == nil || command != "set" && command != "get":
		s.after(floorTime, func() { done(nil, fmt.Sprintf("The command %s does not exist for CC %d", command, id.Class)) })
	case command == "set":
		s.sendSet(n, v, args, done)
	default:
		s.whenAwake(n, pollTime, func() {
			s.traffic(n, false)
			result := map[string]any{}
			for _, o := range n.answered(n.source(v)) {
				if o == nil {
					continue
				}
				s.settle(n, o)
				s.report(n, o)
				if fact, told := n.told99(o); told {
					result[o.id.Property] = fact
				}
			}
			done(result, "")
		}, func() { done(nil, "Failed to send the command after 3 attempts (Status NoAck) (ZW0204)") })
	}
}

// sendSet lets the device act; the gateway claims nothing.
func (s *Sim) sendSet(n *node, v *value, args []any, done reply) {
	var to any
	if len(args) > 2 {
		if list, ok := args[2].([]any); ok && len(list) > 0 {
			to = list[0]
		}
	}
	s.whenAwake(n, airTime, func() {
		s.traffic(n, false)
		s.act([]int{n.spec.ID}, v.id, to)
		done(nil, "")
	}, func() { done(nil, "Failed to send the command after 3 attempts (Status NoAck) (ZW0204)") })
}

// apiWriteMulticast is [[nodes], valueId, value].
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

// apiWriteBroadcast is [valueId, value].
func apiWriteBroadcast(s *Sim, args []any, done reply) { s.writeTogether(s.order, args, done) }

func (s *Sim) writeTogether(nodes []int, args []any, done reply) {
	id, ok := valueArg(args)
	var to any
	if len(args) > 1 {
		to = args[1]
	}
	s.onAir(airTime, func() {
		if ok {
			s.act(nodes, id, to)
		}
		done(nil, "")
	})
}

func (s *Sim) sceneArg(args []any) *scene {
	if len(args) == 0 {
		return nil
	}
	id, _ := args[0].(float64)
	for _, c := range s.scenes {
		if c.id == int(id) {
			return c
		}
	}
	return nil
}

func apiCreateScene(s *Sim, args []any, done reply) {
	id, label := 1, ""
	for _, c := range s.scenes {
		id = max(id, c.id+1)
	}
	if len(args) > 0 {
		label = wire.Text(args[0])
	}
	s.scenes = append(s.scenes, &scene{id: id, label: label})
	apiConstant(true)(s, args, done)
}

// sceneMissing is the gateway's text for a scene it does not have.
const sceneMissing = "No scene found with given sceneid"

// apiAddSceneValue is [scene, valueId, value, timeout]. The gateway writes value
// and timeout into the value id of the request, and so repeats them.
func apiAddSceneValue(s *Sim, args []any, done reply) {
	c := s.sceneArg(args)
	s.after(floorTime, func() {
		if c == nil || len(args) < 2 {
			done(nil, sceneMissing)
			return
		}
		v, ok := args[1].(map[string]any)
		if !ok {
			done(nil, "Cannot read properties of undefined (reading 'commandClass')")
			return
		}
		if len(args) > 2 {
			v["value"] = args[2]
		}
		v["timeout"] = 0.0
		if len(args) > 3 {
			v["timeout"] = args[3]
		}
		c.values = append(c.values, v)
		done(s.describeScenes(), "")
	})
}

func (s *Sim) describeScenes() []any {
	out := []any{}
	for _, c := range s.scenes {
		out = append(out, c.describe())
	}
	return out
}

func apiGetScenes(s *Sim, _ []any, done reply) {
	s.after(floorTime, func() { done(s.describeScenes(), "") })
}

func apiActivateScene(s *Sim, args []any, done reply) {
	c := s.sceneArg(args)
	s.after(floorTime, func() {
		if c == nil {
			done(nil, sceneMissing)
			return
		}
		for _, stored := range c.values {
			var id wire.ValueID
			if json.Unmarshal(body(stored), &id) == nil {
				s.setValue(id, body(map[string]any{"value": stored["value"]}))
			}
		}
		done(true, "")
	})
}

func apiRemoveScene(s *Sim, args []any, done reply) {
	c := s.sceneArg(args)
	s.after(floorTime, func() {
		if c == nil {
			done(nil, sceneMissing)
			return
		}
		s.scenes = slices.DeleteFunc(s.scenes, func(o *scene) bool { return o == c })
		done(true, "")
	})
}
