package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSanitise(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"punctuation is deleted":    {"Blind #1 (left)", "Blind_1_left"},
		"no replacement":            {"Garage.Shade+", "GarageShade"},
		"accents stay":              {"Termostato Salón", "Termostato_Salón"},
		"beyond Latin-1 is deleted": {"Küche ✨ Lampe Ω", "Küche__Lampe_"},
		"locations keep slashes":    {"Hall/Entrance", "Hall/Entrance"},
		"spaces are not collapsed":  {" a  b ", "_a__b_"},
		"all white space":           {"a\tb\u00a0c\u2003d", "a_b_c_d"},
		"signs in Latin-1":          {"2×3÷4", "234"},
		"decomposed loses its mark": {"o\u0301", "o"},
		"another script":            {"Лампа", ""},
		"nothing":                   {"", ""},
	}
	for name, tc := range tests {
		if got := Sanitise(tc.in); got != tc.want {
			t.Errorf("%s: Sanitise(%q) = %q, want %q", name, tc.in, got, tc.want)
		}
	}
}

func TestTopics(t *testing.T) {
	lamp := ValueID{Node: 2, Class: 37, Property: "targetValue"}
	setpoint := ValueID{Node: 6, Class: 67, Property: "setpoint", Key: "1"}
	door := ValueID{Node: 5, Class: 113, Property: "Access Control", Key: "Door state"}
	blind := ValueID{Node: 8, Class: 106, Property: "currentValue", Key: "13"}
	slash := ValueID{Node: 9, Class: 48, Property: "Door/Window"}
	tests := map[string]struct {
		scheme    Scheme
		name, loc string
		id        ValueID
		want      string
	}{
		"named":                 {Scheme{Named, false}, "Kitchen Lamp", "Kitchen", lamp, "Kitchen/Kitchen_Lamp/switch_binary/endpoint_0/targetValue"},
		"named, no location":    {Scheme{Named, true}, "Kitchen Lamp", "Kitchen", lamp, "Kitchen_Lamp/switch_binary/endpoint_0/targetValue"},
		"unnamed":               {Scheme{Named, false}, "", "", lamp, "nodeID_2/switch_binary/endpoint_0/targetValue"},
		"key":                   {Scheme{Named, false}, "T", "S", setpoint, "S/T/thermostat_setpoint/endpoint_0/setpoint/1"},
		"words as key":          {Scheme{Named, false}, "D", "", door, "D/notification/endpoint_0/Access_Control/Door_state"},
		"class without name":    {Scheme{Named, false}, "B", "", blind, "B/unknownClass_106/endpoint_0/currentValue/13"},
		"slash in property":     {Scheme{Named, false}, "D", "", slash, "D/sensor_binary/endpoint_0/Door-Window"},
		"ids":                   {Scheme{ByIDAndValue, false}, "Kitchen Lamp", "Kitchen", lamp, "Kitchen/2/37/0/targetValue"},
		"ids, no location":      {Scheme{ByIDAndValue, true}, "Kitchen Lamp", "Kitchen", lamp, "2/37/0/targetValue"},
		"class ids under names": {Scheme{ByIDAndName, false}, "Kitchen Lamp", "Kitchen", lamp, "Kitchen/Kitchen_Lamp/37/0/targetValue"},
	}
	for name, tc := range tests {
		if got := tc.scheme.Value(tc.scheme.Node(tc.id.Node, tc.name, tc.loc), tc.id); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestReadingByShape(t *testing.T) {
	at := time.UnixMilli(1795238308762)
	tests := map[string]struct {
		payload string
		want    Reading
	}{
		"time and value":    {`{"time":1795238308762,"value":true}`, Reading{Value: true, Known: true, Time: at}},
		"unknown":           {`{"time":1795238308762}`, Reading{Time: at}},
		"with node info":    {`{"time":1795238308762,"value":1,"nodeName":"a","nodeLocation":"b"}`, Reading{Value: 1.0, Known: true, Time: at}},
		"just a value":      {`23.1`, Reading{Value: 23.1, Known: true}},
		"just a duration":   {`{"value":0,"unit":"seconds"}`, Reading{Value: map[string]any{"value": 0.0, "unit": "seconds"}, Known: true}},
		"just text":         {`"Soon"`, Reading{Value: "Soon", Known: true}},
		"just unknown":      {``, Reading{}},
		"null":              {`null`, Reading{}},
		"the entire object": {`{"id":"2-37-0-currentValue","nodeId":2,"commandClass":37,"endpoint":0,"property":"currentValue","value":true,"lastUpdate":1795238308762}`, Reading{Value: true, Known: true, Time: at, HasID: true, ID: ValueID{Node: 2, Class: 37, Property: "currentValue"}}},
	}
	for name, tc := range tests {
		got, err := ParseReading([]byte(tc.payload))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
	if _, err := ParseReading([]byte(`{"time"`)); err == nil {
		t.Error("broken JSON is read")
	}
}

func TestValueIDRoundTrip(t *testing.T) {
	for _, id := range []ValueID{
		{Node: 2, Class: 37, Property: "targetValue"},
		{Node: 6, Class: 67, Endpoint: 1, Property: "setpoint", Key: "1"},
		{Node: 11, Class: 91, Property: "scene", Key: "001"},
		{Node: 11, Class: 112, Property: "5"},
	} {
		body, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		var back ValueID
		if err := json.Unmarshal(body, &back); err != nil || back != id {
			t.Errorf("%+v became %s and %+v, %v", id, body, back, err)
		}
	}
	if body, _ := json.Marshal(ValueID{Class: 67, Property: "setpoint", Key: "1"}); !bytes.Contains(body, []byte(`"propertyKey":1`)) {
		t.Errorf("a numeric key must go as a number: %s", body)
	}
}

func FuzzParseReading(f *testing.F) {
	for _, seed := range []string{`{"time":1,"value":true}`, `{"nodeId":2,"commandClass":37,"property":1e300}`, ``, `[]`, `{"time":1e400}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, payload []byte) {
		r, _ := ParseReading(payload)
		Seconds(r.Value)
		ParseNodeStatus(payload)
	})
}

func FuzzTopic(f *testing.F) {
	f.Add("Kitchen Lamp", "Hall/Entrance", "Door/Window", "1")
	f.Fuzz(func(t *testing.T, name, loc, property, key string) {
		for _, s := range Schemes() {
			topic := s.Value(s.Node(7, name, loc), ValueID{Node: 7, Class: 113, Property: property, Key: key})
			if strings.ContainsAny(topic, "+#\x00 ") {
				t.Errorf("%q is no topic", topic)
			}
		}
	})
}
