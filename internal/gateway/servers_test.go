package gateway

import (
	"maps"
	"testing"

	"voicegateway/internal/mcpint"
)

// TestOurServerKnowsTheBroker: our own server gets the broker and the topics of
// zwave-js-ui; nothing else of our environment.
func TestOurServerKnowsTheBroker(t *testing.T) {
	s := setup{opts: Options{Environ: []string{"ZWAVE_MQTT_TOPIC=home/zwave", "OPENAI_API_KEY=sk-1", "PATH=/bin"}}}
	s.cfg.MQTT.Username = "house"
	s.opts.Secrets.MQTTPassword = "pw"
	want := map[string]string{"MQTT_BROKER_URL": "mqtt://b", "MQTT_USERNAME": "house", "MQTT_PASSWORD": "pw", "ZWAVE_MQTT_TOPIC": "home/zwave"}
	if got := s.brokerEnv("mqtt://b"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, environ := range [][]string{nil, {"ZWAVE_MQTT_TOPIC="}} {
		s.opts.Environ, want["ZWAVE_MQTT_TOPIC"] = environ, "zwave"
		if got := s.brokerEnv("mqtt://b"); !maps.Equal(got, want) {
			t.Errorf("without a prefix: %v, want %v", got, want)
		}
	}
	// The server's own file may name the topics, and the environment would override it.
	s.cfg.MCP.Servers = map[string]mcpint.Server{zwaveServer: {Args: []string{"--config=/etc/zwave.yaml"}}}
	delete(want, "ZWAVE_MQTT_TOPIC")
	if got := s.brokerEnv("mqtt://b"); !maps.Equal(got, want) {
		t.Errorf("with a file of its own: %v, want %v", got, want)
	}
}
