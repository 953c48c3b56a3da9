package plan

import (
	"encoding/json"

	"voicegateway/internal/tools"
)

// Allowed returns a dangerous step with the call that may do it, for a step whose
// challenge was passed (REQUIREMENTS S1). It returns false if the server has no such
// call, and for a step that starts from the present state: its effect is not known in
// advance.
func (s *Step) Allowed() (Step, bool) {
	if s.Risk != tools.Dangerous || s.Err != nil || s.next != nil || s.final != nil || s.Entity == nil || s.Entity.Dangerous == nil {
		return Step{}, false
	}
	var args map[string]any
	if json.Unmarshal(s.Call.Args, &args) != nil {
		return Step{}, false
	}
	args["device_name"] = s.Entity.Dangerous.ID
	made, err := call(s.Entity.Server, s.Entity.Dangerous.Tool, args)
	if err != nil {
		return Step{}, false
	}
	allowed := *s
	allowed.Call, allowed.Once = made, true
	return allowed, true
}
