package house_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools"
)

// Degrees enter in the scale of the house and leave in that of the device, and nothing
// else of a call or a result is changed.
func TestDegreesEnterAndLeave(t *testing.T) {
	t.Parallel()
	h, err := house.New(intent.English(), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.Tell("zwave", []byte(`{"entities":[
{"id":"1","name":"Hall Thermostat","domain":"climate","attributes":{"unit":"°C","min":5,"max":30},"control":{"tool":"control","id":"Hall Thermostat"}},
{"id":"2","name":"Guest Thermostat","domain":"climate","attributes":{"unit":"°F","min":41,"max":86},"control":{"tool":"control","id":"zw-2"}},
{"id":"3","name":"Den Thermostat","domain":"climate","attributes":{"unit":"°C"},"control":{"tool":"control","id":"Den Thermostat"}}]}`))
	if err := h.Speak(""); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ args, sent, data, got string }{
		"a set point":         {`{"device_name":"zw-2","action":"setpoint","value":21}`, `{"device_name":"zw-2","action":"setpoint","value":70}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"setpoint","before":68,"value":70}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"setpoint","before":20,"value":21}`},
		"one of two":          {`{"device_name":"zw-2","action":"setpoint","value":"cool 24"}`, `{"device_name":"zw-2","action":"setpoint","value":"cool 75"}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"cools_to","before":77,"value":75}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"cools_to","before":25,"value":24}`},
		"its own scale":       {`{"device_name":"Hall Thermostat","action":"setpoint","value":21}`, `{"device_name":"Hall Thermostat","action":"setpoint","value":21}`, `{"device":"Hall Thermostat","outcome":"confirmed","property":"setpoint","before":20,"value":21}`, `{"device":"Hall Thermostat","outcome":"confirmed","property":"setpoint","before":20,"value":21}`},
		"a refusal":           {`{"device_name":"zw-2","action":"setpoint","value":33}`, `{"device_name":"zw-2","action":"setpoint","value":91}`, `{"device":"Guest Thermostat","outcome":"refused","property":"setpoint","limits":[41,86]}`, `{"device":"Guest Thermostat","outcome":"refused","property":"setpoint","limits":[5,30]}`},
		"a mode":              {`{"device_name":"zw-2","action":"mode","value":"heat"}`, `{"device_name":"zw-2","action":"mode","value":"heat"}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"mode","before":"off","value":"heat"}`, `{"device":"Guest Thermostat","outcome":"confirmed","property":"mode","before":"off","value":"heat"}`},
		"a state":             {`{"device_name":"zw-2"}`, `{"device_name":"zw-2"}`, `{"domain":"climate","state":"auto","values":{"temperature":41,"setpoint":68,"heats_to":68,"cools_to":77,"humidity":40,"unit":"°F"}}`, `{"domain":"climate","state":"auto","values":{"temperature":5,"setpoint":20,"heats_to":20,"cools_to":25,"humidity":40,"unit":"°C"}}`},
		"a sensor":            {`{"device_name":"Shed"}`, `{"device_name":"Shed"}`, `{"sensor":"temperature","value":41,"unit":"°F"}`, `{"sensor":"temperature","value":5,"unit":"°C"}`},
		"a sensor of another": {`{"device_name":"Shed"}`, `{"device_name":"Shed"}`, `{"sensor":"humidity","value":41,"unit":"%"}`, `{"sensor":"humidity","value":41,"unit":"%"}`},
		"several things":      {`{"device_name":"thermostats","action":"setpoint","value":21}`, `{"device_name":"thermostats","action":"setpoint","value":"21 °C"}`, `{"device":"thermostats","outcome":"confirmed","devices":[{"device":"Guest Thermostat","outcome":"confirmed","property":"setpoint","value":70}]}`, `{"device":"thermostats","outcome":"confirmed","devices":[{"device":"Guest Thermostat","outcome":"confirmed","property":"setpoint","value":21}]}`},
	} {
		c := tools.Call{Server: "zwave", Args: json.RawMessage(tt.args)}
		if got := h.Convert(c); !sameJSON(got, tt.sent) {
			t.Errorf("%s: %s is sent as %s, expected %s", name, tt.args, got, tt.sent)
		}
		r := h.Got(c, tools.Result{Data: json.RawMessage(tt.data), Receipt: tools.ReadReceipt(json.RawMessage(tt.data))})
		if !sameJSON(r.Data, tt.got) {
			t.Errorf("%s: %s is read as %s, expected %s", name, tt.data, r.Data, tt.got)
		}
		if want := tools.ReadReceipt(json.RawMessage(tt.got)); want != nil && (r.Receipt == nil || r.Receipt.Value != want.Value) {
			t.Errorf("%s: the receipt is %+v", name, r.Receipt)
		}
	}
	told := h.Got(tools.Call{Server: "zwave"}, tools.Result{Data: json.RawMessage(`{"value":-4,"unit":"°F"}`), Text: "Shed Sensor is -4 degrees Fahrenheit."})
	if told.Text != "Shed Sensor is -20 degrees." {
		t.Errorf("a model reads %q", told.Text)
	}
	if err := h.Speak(home.Fahrenheit); err != nil {
		t.Fatal(err)
	}
	if got := h.Got(tools.Call{Server: "zwave"}, tools.Result{Data: json.RawMessage(`{"value":5,"unit":"°C"}`)}); !sameJSON(got.Data, `{"value":41,"unit":"°F"}`) {
		t.Errorf("in Fahrenheit it is %s", got.Data)
	}
}

// sameJSON reports whether two texts hold the same.
func sameJSON(a json.RawMessage, b string) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return string(one) == string(other)
}

// A sensor is called by what it is in, unless another thing or a room has that name.
func TestSensorsAreCalledByWhatTheyAreIn(t *testing.T) {
	t.Parallel()
	h, err := house.New(intent.English(), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.Tell("zwave", []byte(`{"areas":[{"name":"Kitchen"}],"entities":[
{"id":"1","name":"Freezer Sensor","domain":"sensor","area":"Kitchen","abilities":["temperature"]},
{"id":"2","name":"Kitchen Sensor","domain":"sensor","area":"Kitchen","abilities":["temperature"]},
{"id":"3","name":"Fridge Thermometer","domain":"sensor","area":"Kitchen","abilities":["temperature"]},
{"id":"4","name":"Fridge","domain":"switch","area":"Kitchen","abilities":["on_off"]},
{"id":"5","name":"Capteur cave","domain":"sensor","abilities":["temperature"]},
{"id":"6","name":"Hall Sensor","domain":"binary_sensor","abilities":["motion"]}]}`))
	want := map[string]string{"Freezer Sensor": "Freezer", "Capteur cave": "cave"}
	for _, e := range h.House().Entities {
		name := want[e.Name]
		if has := len(e.Aliases) == 1 && e.Aliases[0] == name; has != (name != "") || name == "" && len(e.Aliases) > 0 {
			t.Errorf("%s is called %q too, expected %q", e.Name, e.Aliases, name)
		}
	}
}
