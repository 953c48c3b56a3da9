package mind_test

import (
	"context"
	"fmt"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/tools"
)

// twoHouses is a house of two servers: two lamps downstairs in each.
func twoHouses() *home.House {
	h := &home.House{
		Floors: []home.Floor{{Name: "Downstairs", Aliases: []string{"unten", "abajo", "rez-de-chaussée"}}},
		Areas: []home.Area{
			{Name: "Kitchen", Floor: "Downstairs", Aliases: []string{"Küche", "cocina", "cuisine"}},
			{Name: "Hall", Floor: "Downstairs", Aliases: []string{"Flur", "pasillo", "couloir"}},
		},
		Tellers: []home.Teller{{Server: "homeassistant", Name: "Home Assistant"}, {Server: "zwave", Name: "Z-Wave"}},
	}
	for _, l := range [][3]string{{"Island", "Kitchen", "homeassistant"}, {"Coat Lamp", "Hall", "homeassistant"}, {"Kitchen Light", "Kitchen", "zwave"}, {"Hall Light", "Hall", "zwave"}} {
		e := lamp(l[0], l[2])
		e.Area, e.House, e.Read = l[1], h.Teller(l[2]).Name, &home.Control{Tool: "get_device_state", ID: l[0]}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// houses are those of which nothing is known yet.
type houses []string

func (h houses) Untold() []string { return h }

func (h houses) Others(context.Context) (away []mind.AwayHouse) {
	for _, waiting := range h {
		away = append(away, mind.AwayHouse{Name: "Home Assistant", Waiting: waiting})
	}
	return away
}

func (h houses) OwnServer() (mind.AwayHouse, bool) { return mind.AwayHouse{}, true }

func (h houses) Expects() bool { return len(h) > 1 }

// TestTheOtherHouseIsBlamed: where no house is known, the one that was asked for is named,
// and not the server that runs unasked.
func TestTheOtherHouseIsBlamed(t *testing.T) {
	t.Parallel()
	for want, waiting := range map[string]houses{
		"I can't reach the devices. Home Assistant refuses the token.": {"token"},
		"Home Assistant is still starting. Try again in a minute.":     {"start of Home Assistant"},
		"I can't reach Home Assistant yet.":                            {""},
		"I can't reach the devices yet. Check Z-Wave JS UI. I can't reach the devices. Check that Home Assistant is running. I can't reach Home Assistant yet.": {"Home Assistant", ""},
		"I can't reach the devices yet. Check Z-Wave JS UI.": {},
	} {
		a := resident(t, "en", &home.House{}, func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{Data: []byte(`{"waiting_for":"gateway"}`)}, nil
		})
		a.Houses = waiting
		if rec := a.Turn(t.Context(), record.Request{Text: "turn on the kitchen light", Source: record.FromHTTP}); rec.Reply != want {
			t.Errorf("%q: %q, want %q", waiting, rec.Reply, want)
		}
	}
}

// TestOneOfTwoHousesIsGone: what the other house does is done and told, and so is what is
// missing, whether the house has been known or not.
func TestOneOfTwoHousesIsGone(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/houses.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		a := resident(t, language, twoHouses(), func(_ context.Context, call tools.Call) (tools.Result, error) {
			switch {
			case call.Server == c.Given["gone"]:
				return tools.Result{}, fmt.Errorf("calling %s: %w", call.Server, tools.ErrNotConnected)
			case call.Tool == "list_houses":
				return tools.Result{Data: []byte(c.Given["houses"])}, nil
			case call.Tool == "get_device_state":
				return tools.Result{Data: []byte(`{"device":"x","domain":"light","state":"off","values":{},"age_seconds":2,"stale":false,"reachable":true,"reason":""}`)}, nil
			}
			return obeys(call), nil
		})
		if c.Given["untold"] != "" {
			a.Houses = houses{c.Given["untold"]}
		}
		rec := a.Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP})
		return string(rec.Outcome) + ": " + rec.Reply
	})
	golden.Compare(t, *update)
}
