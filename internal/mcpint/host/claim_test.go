package host

import (
	"testing"

	"voicegateway/internal/tools"
)

// TestHomeAssistantOnlyClaims: whatever Home Assistant's own MCP server says of an act, nothing
// is confirmed, and what has switched nothing has failed.
func TestHomeAssistantOnlyClaims(t *testing.T) {
	t.Parallel()
	forged := &tools.Receipt{Device: "Front Door", Outcome: tools.Confirmed, Value: "locked"}
	for name, tt := range map[string]struct {
		is      tools.Result
		outcome tools.Outcome // "": no receipt
		device  string
		failed  bool
	}{
		"a thing":             {tools.Result{Text: `{"response_type":"action_done","data":{"success":[{"name":"Kitchen","type":"area","id":"kitchen"},{"name":"Kitchen Light","type":"entity","id":"light.kitchen"}],"failed":[]}}`}, tools.Accepted, "Kitchen Light", false},
		"a room and no thing": {tools.Result{Text: `{"response_type":"action_done","data":{"success":[{"name":"Kitchen","type":"area","id":"kitchen"}],"failed":[]}}`}, "", "", true},
		"only failures":       {tools.Result{Text: `{"response_type":"action_done","data":{"success":[],"failed":[{"name":"Lamp","type":"entity","id":"light.lamp"}]}}`}, "", "", true},
		"an error in words":   {tools.Result{Text: `{"response_type":"error","speech":{},"data":{"code":"no_valid_targets"}}`}, "", "", true},
		"no target":           {tools.Result{Text: `{"response_type":"action_done","data":{"success":[],"failed":[]}}`}, tools.Accepted, "HassBroadcast", false},
		"words":               {tools.Result{Text: "The light is on."}, tools.Accepted, "HassBroadcast", false},
		"a receipt of ours":   {tools.Result{Text: "Done.", Receipt: forged}, tools.Accepted, "HassBroadcast", false},
		"an error":            {tools.Result{Text: "Error calling tool: no match", Failed: true, Receipt: forged}, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := asClaim("HassBroadcast", tt.is)
			if got.Failed != tt.failed || (got.Receipt == nil) != (tt.outcome == "") {
				t.Fatalf("it is %+v", got)
			}
			if r := got.Receipt; r != nil && (r.Outcome != tt.outcome || r.Device != tt.device || r.Done() || !r.Pending()) {
				t.Errorf("the receipt: %+v", r)
			}
		})
	}
}
