package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// villa is a house of three rooms with names in a language: kitchen, office and cellar,
// each with a thermometer. The cellar's cannot be reached.
func villa(called []string) *home.House {
	h := &home.House{}
	for _, room := range called[:3] {
		h.Areas = append(h.Areas, home.Area{Name: room})
	}
	for i, thing := range []struct {
		domain, class string
		room          int
		can           home.Ability
	}{
		{"light", "", 0, home.OnOff},
		{"light", "", 1, home.OnOff},
		{"light", "", 0, home.OnOff},
		{"cover", "blind", 0, home.OpenClose},
		{"cover", "garage", 2, home.OpenClose},
		{"sensor", "temperature", 0, "temperature"},
		{"sensor", "temperature", 1, "temperature"},
		{"sensor", "temperature", 2, "temperature"},
	} {
		name := called[3+i]
		e := home.Entity{ID: name, Name: name, Domain: thing.domain, Area: called[thing.room], Abilities: []home.Ability{thing.can}, Server: "zwave"}
		e.Control, e.Read = &home.Control{Tool: "control", ID: name}, &home.Control{Tool: "read", ID: name}
		if thing.domain == "light" {
			e.Abilities = append(e.Abilities, home.Brightness)
		}
		if thing.class != "" {
			e.Attributes = map[string]any{"device_class": thing.class}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// answersOf makes the calls of a villa: its things obey, 20 degrees are in the
// kitchen, 22.5 in the office.
func answersOf(called []string) func(context.Context, tools.Call) (tools.Result, error) {
	degrees := map[string]string{called[8]: `{"value":20,"unit":"°C"}`, called[9]: `{"value":22.5,"unit":"°C"}`, called[10]: `{"reachable":false,"reason":"dead"}`}
	return func(_ context.Context, c tools.Call) (tools.Result, error) {
		var args struct {
			Device string `json:"device_name"`
			Action string `json:"action"`
			Zone   string `json:"zone"`
			Days   int    `json:"days"`
		}
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return tools.Result{}, err
		}
		switch {
		case c.Tool == "control":
			return tools.Result{Receipt: &tools.Receipt{Device: args.Device, Property: args.Action, Outcome: tools.Confirmed, Value: args.Action}}, nil
		case c.Tool == "set_volume":
			return tools.Result{Data: json.RawMessage(`{"level":40,"muted":false,"backend":"software"}`)}, nil
		case args.Zone == "atlantis":
			return tools.Result{Failed: true, Text: "I don't know the time zone of atlantis."}, nil
		case args.Zone != "":
			return tools.Result{Text: "It's 3:45 AM tomorrow in Tokyo.", Data: json.RawMessage(`{"time":"2026-11-22T03:45:00+09:00","place":"Tokyo","other":1}`)}, nil
		case c.Tool == "get_datetime":
			return tools.Result{Text: "Tomorrow is Sunday, 22 November.", Data: fmt.Appendf(nil, `{"time":"2026-11-22T19:45:00Z","days":%d}`, args.Days)}, nil
		}
		return tools.Result{Data: json.RawMessage(degrees[args.Device])}, nil
	}
}

// TestShortSentencesAreAnswered: what a family hears after a short sentence. If a
// sentence cannot be done for one of its things, nothing is done.
func TestShortSentencesAreAnswered(t *testing.T) {
	t.Parallel()
	residents := map[string]*mind.Mind{}
	for language, called := range map[string][]string{
		"en": {"Kitchen", "Office", "Cellar", "Kitchen Light", "Desk Lamp", "Counter Light", "Kitchen Blinds", "Garage Door", "Kitchen Thermometer", "Office Thermometer", "Cellar Thermometer"},
		"de": {"Küche", "Büro", "Keller", "Küchenlicht", "Schreibtischlampe", "Thekenlicht", "Küchenjalousie", "Garagentor", "Küchenthermometer", "Bürothermometer", "Kellerthermometer"},
		"es": {"Cocina", "Oficina", "Bodega", "Luz de la Cocina", "Lámpara del Escritorio", "Luz de la Barra", "Estor de la Cocina", "Puerta del Garaje", "Termómetro de la Cocina", "Termómetro de la Oficina", "Termómetro de la Bodega"},
		"fr": {"Cuisine", "Bureau", "Cave", "Lumière de la Cuisine", "Lampe de Bureau", "Lumière du Bar", "Store de la Cuisine", "Porte de Garage", "Thermomètre de la Cuisine", "Thermomètre du Bureau", "Thermomètre de la Cave"},
	} {
		residents[language] = resident(t, language, villa(called), answersOf(called))
	}
	golden := fake.ReadProse(t, "testdata/short.txtar")
	golden.Answer(func(_ fake.ProseCase, language, asked string) string {
		return residents[language].Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP}).Reply
	})
	golden.Compare(t, *update)
}

// resident is an answerer in a house, without a model.
func resident(t *testing.T, language string, h *home.House, call func(context.Context, tools.Call) (tools.Result, error)) *mind.Mind {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	a, err := mind.New(&fake.Matcher{MatchFunc: m.Match, Home: h}, &fake.Caller{CallFunc: call}, &fake.Assistant{}, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
