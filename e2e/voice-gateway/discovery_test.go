package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// configs are the configurations for Home Assistant that the broker keeps, by topic.
func configs(t *testing.T, broker string) map[string]string {
	t.Helper()
	kept := map[string]string{}
	late := listen(t, broker, "homeassistant/#")
	if err := late.PublishRetained(t.Context(), "homeassistant/last", []byte("x")); err != nil { // after all that is kept
		t.Fatal(err)
	}
	eventually(t, "all that is kept has come", func() bool { return late.has("homeassistant/last", "x") })
	late.mu.Lock()
	defer late.mu.Unlock()
	for topic, all := range late.heard {
		if strings.HasSuffix(topic, "/config") {
			kept[topic] = all[len(all)-1]
		}
	}
	return kept
}

// TestHomeAssistantIsTold: the device with its entities stands at the broker, its
// commands do what they say, and it is gone when discovery is switched off.
func TestHomeAssistantIsTold(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	state := t.TempDir()
	c, http, env := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+state)
	stranger := listen(t, broker)
	const entities = 13
	var kept map[string]string
	eventually(t, "all entities are told", func() bool { kept = configs(t, broker); return len(kept) == entities })
	for topic, config := range kept {
		var about struct {
			Availability string `json:"availability_topic"`
			Command      string `json:"command_topic"`
			Device       struct{ Name string }
		}
		if err := json.Unmarshal([]byte(config), &about); err != nil || about.Availability != "voice/test/availability" || about.Device.Name != "Voice gateway test" {
			t.Errorf("%s: %s, %v", topic, config, err)
		}
	}
	eventually(t, "the controls are told", func() bool {
		return stranger.has("voice/test/muted", "off") && len(stranger.on("voice/test/volume")) > 0
	})
	stranger.say(t, "mute", `{"id":"ha-1","on":true}`)
	stranger.say(t, "volume", `{"id":"ha-2","level":35}`)
	eventually(t, "the controls have changed", func() bool { return stranger.has("voice/test/muted", "on") && stranger.has("voice/test/volume", "35") })
	if out, errs, status := command(t, env, "mute", "off"); status != 0 {
		t.Errorf("mute off: %s%s", out, errs)
	}
	eventually(t, "what another changes is told", func() bool {
		told := stranger.on("voice/test/muted")
		return told[len(told)-1] == "off"
	})
	if _, err := tryAsk(t, http, "set the volume to 20 percent"); err != nil {
		t.Error(err)
	}
	eventually(t, "what a sentence changes is told", func() bool { return stranger.has("voice/test/volume", "20") })
	stranger.say(t, "retry", `{"id":"ha-3"}`)
	if err := stranger.PublishRetained(t.Context(), "homeassistant/sensor/bath/state/config", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	kill(t, c.Process.Pid)
	if !c.wait() {
		t.Fatal("it cannot be killed")
	}
	if len(configs(t, broker)) != entities+1 {
		t.Error("a gateway that is away is no more in Home Assistant")
	}
	start(t, append(env, "VOICE_GATEWAY_MQTT_DISCOVERY_ENABLED=false"), filepath.Join(bin, "voice-gateway"), "run")
	eventually(t, "it is gone where discovery is off, and what is not ours stays", func() bool {
		kept := configs(t, broker)
		return len(kept) == 1 && kept["homeassistant/sensor/bath/state/config"] == "{}"
	})
	if stranger.has("voice/test/cmd/error", "ha-") {
		t.Errorf("refused: %q", stranger.on("voice/test/cmd/error"))
	}
}
