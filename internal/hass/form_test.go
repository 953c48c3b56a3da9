package hass_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// TestTheHouseKeepsToTheForm compares the house with docs/house.md, as home check does.
func TestTheHouseKeepsToTheForm(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		document, err := json.Marshal(r.house.Offer().Document(r.house.Home()))
		events, errs := json.Marshal(r.house.Events())
		if err != nil || errs != nil {
			r.Fatal(err, errs)
		}
		o, known := form.Offering{House: document, Events: events}, map[string]tools.Tool{}
		for _, tool := range r.house.Tools() {
			o.Tools = append(o.Tools, tool.Spec())
			known[tool.Spec().Name] = tool
		}
		faults := form.Check(o)
		for _, p := range form.Probes(o, "no such thing") {
			result, err := known[p.Call.Tool].Call(r.Context(), p.Call.Args)
			if err != nil {
				r.Fatal(err)
			}
			faults = append(faults, p.Judge(result)...)
		}
		for _, f := range faults {
			r.Errorf("%+v", f)
		}
	})
}
