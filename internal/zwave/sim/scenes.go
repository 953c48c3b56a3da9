package sim

import (
	"encoding/json"
	"slices"

	"voicegateway/internal/zwave/wire"
)

// scene is a stored list of values.
type scene struct {
	ID     int              `json:"sceneid"`
	Label  string           `json:"label"`
	Values []map[string]any `json:"values"`
}

// apiCreateScene creates a scene from [label].
func apiCreateScene(s *Sim, args []any, done reply) {
	c := &scene{ID: 1, Values: []map[string]any{}}
	for _, other := range s.scenes {
		c.ID = max(c.ID, other.ID+1)
	}
	if len(args) > 0 {
		c.Label = wire.Text(args[0])
	}
	s.scenes = append(s.scenes, c)
	s.clock.after(floorTime, func() { done(true, "") })
}

func apiGetScenes(s *Sim, _ []any, done reply) {
	s.clock.after(floorTime, func() { done(s.scenes, "") })
}

// ofScene makes an API call that acts on one scene, whose id is the call's first
// argument.
func ofScene(do func(s *Sim, c *scene, further []any) (result any)) func(*Sim, []any, reply) {
	return func(s *Sim, args []any, done reply) {
		s.clock.after(floorTime, func() {
			for _, c := range s.scenes {
				if len(args) > 0 && args[0] == float64(c.ID) {
					done(do(s, c, args[1:]), "")
					return
				}
			}
			done(nil, "No scene found with given sceneid")
		})
	}
}

// addSceneValue adds a value to a scene from [scene, valueId, value, timeout].
// The gateway writes value and timeout into the value id of the request, so its
// answer repeats them.
func addSceneValue(s *Sim, c *scene, further []any) any {
	v := map[string]any{}
	for i, argument := range further {
		switch i {
		case 0:
			if id, ok := argument.(map[string]any); ok {
				v = id
			}
			v["timeout"] = 0.0
		case 1:
			v["value"] = argument
		case 2:
			v["timeout"] = argument
		}
	}
	c.Values = append(c.Values, v)
	return s.scenes
}

func activateScene(s *Sim, c *scene, _ []any) any {
	for _, stored := range c.Values {
		var id wire.ValueID
		if json.Unmarshal(body(stored), &id) == nil {
			s.setValue(id, body(map[string]any{"value": stored["value"]}))
		}
	}
	return true
}

func removeScene(s *Sim, c *scene, _ []any) any {
	s.scenes = slices.DeleteFunc(s.scenes, func(o *scene) bool { return o == c })
	return true
}
