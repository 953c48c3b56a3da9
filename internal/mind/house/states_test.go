package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// A server's states are read page by page, up to the last page it has or a bound.
func TestStatesOfAServer(t *testing.T) {
	page := func(n, pages int) tools.Result {
		return tools.Result{Data: fmt.Appendf(nil, `{"pages":%d,"devices":[{"id":"d%d","state":"on","reachable":true}]}`, pages, n)}
	}
	for name, tc := range map[string]struct {
		answer         func(n int) (tools.Result, error)
		devices, asked int
	}{
		"one page":    {func(n int) (tools.Result, error) { return page(n, 1), nil }, 1, 1},
		"three pages": {func(n int) (tools.Result, error) { return page(n, 3), nil }, 3, 3},
		"endless":     {func(n int) (tools.Result, error) { return page(n, n+1), nil }, statePages, statePages},
		"it fails":    {func(int) (tools.Result, error) { return tools.Result{Failed: true, Text: "no"}, nil }, 0, 1},
		"it is away":  {func(int) (tools.Result, error) { return tools.Result{}, errors.New("away") }, 0, 1},
		"garbage":     {func(int) (tools.Result, error) { return tools.Result{Data: json.RawMessage(`{"pages":"x"}`)}, nil }, 0, 1},
		"no data":     {func(int) (tools.Result, error) { return tools.Result{Text: "none"}, nil }, 0, 1},
		"then it goes away": {func(n int) (tools.Result, error) {
			if n > 2 {
				return tools.Result{}, errors.New("away")
			}
			return page(n, 9), nil
		}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			h, reg := known(t), tools.NewRegistry()
			asked := 0
			reg.Replace("zwave", []tools.Tool{tools.New(tools.Spec{Name: stateTool, Description: "x", Risk: tools.Read},
				func(_ context.Context, a struct{ Page int }) (tools.Result, error) {
					asked++
					return tc.answer(a.Page)
				})})
			if got := h.statesOf(t.Context(), reg, "zwave"); len(got) != tc.devices || asked != tc.asked {
				t.Errorf("%d devices after %d pages, expected %d after %d", len(got), asked, tc.devices, tc.asked)
			}
		})
	}
	if got := known(t).statesOf(t.Context(), tools.NewRegistry(), "music"); len(got) != 0 {
		t.Errorf("a server without the tool has states: %v", got)
	}
}

// TestStatesAsShown: degrees are those of the house, what is dangerous is marked, and a thing
// that cannot be reached has the time of its last report.
func TestStatesAsShown(t *testing.T) {
	t.Parallel()
	read := func(text string) (d listedDevice) {
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	control := &home.Control{Tool: "set", ID: "1"}
	oven := home.Entity{Name: "Guest Thermostat", Domain: "climate", Scale: home.Celsius, Attributes: map[string]any{"unit": "°F"}, Control: control}
	if s := read(`{"state":70,"reachable":true,"age_seconds":3,"values":{"setpoint":70,"temperature":68,"unit":"°F"}}`).of(oven); s.State != 21.0 && s.State != 21.1 || s.Values["temperature"] != 20.0 || s.Values["unit"] != "°C" || s.Told != nil || s.Guarded {
		t.Errorf("a thermostat of another scale: %+v", s)
	}
	for e, guarded := range map[*home.Entity]bool{
		{Name: "Front Door", Domain: "lock", Control: control}: true, {Name: "Garage Door", Domain: "cover", Control: control, Attributes: map[string]any{"device_class": "garage"}}: true,
		{Name: "Lamp", Domain: "light", Control: control}: false, {Name: "Front Door", Domain: "lock"}: false,
	} {
		if s := read(`{"state":"on"}`).of(*e); s.Guarded != guarded || s.Values != nil {
			t.Errorf("%s: %+v", e.Name, s)
		}
	}
	if s := read(`{"state":"on","reachable":false,"age_seconds":7200}`).of(oven); s.Told == nil || time.Since(*s.Told) < 2*time.Hour || time.Since(*s.Told) > 2*time.Hour+2*time.Minute {
		t.Errorf("told %v", s.Told)
	}
	if s := read(`{"state":null,"reachable":false,"age_seconds":-1}`).of(oven); s.Told != nil {
		t.Errorf("told %v, though nobody knows", s.Told)
	}
}
