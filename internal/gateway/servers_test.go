package gateway

import (
	"maps"
	"testing"
)

// TestOurServerKnowsTheBroker: our own server gets the broker, and the topics of
// zwave-js-ui where they are named; nothing else of our environment.
func TestOurServerKnowsTheBroker(t *testing.T) {
	s := setup{opts: Options{Environ: []string{"ZWAVE_MQTT_TOPIC=home/zwave", "OPENAI_API_KEY=sk-1", "PATH=/bin"}}}
	s.cfg.MQTT.Username = "house"
	s.opts.Secrets.MQTTPassword = "pw"
	want := map[string]string{"MQTT_BROKER_URL": "mqtt://b", "MQTT_USERNAME": "house", "MQTT_PASSWORD": "pw", "ZWAVE_MQTT_TOPIC": "home/zwave"}
	if got := s.brokerEnv("mqtt://b"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.opts.Environ = nil
	delete(want, "ZWAVE_MQTT_TOPIC")
	if got := s.brokerEnv("mqtt://b"); !maps.Equal(got, want) {
		t.Errorf("without a prefix: %v", got)
	}
}
