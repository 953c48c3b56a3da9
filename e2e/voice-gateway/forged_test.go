package e2e

import (
	"maps"
	"slices"
	"testing"
)

// TestForgedTopicsArePutRight: what another program writes over the gateway's retained
// words does not stay at the broker.
func TestForgedTopicsArePutRight(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "the gateway is there", func() bool {
		return stranger.has("voice/test/availability", "online") && stranger.has("voice/test/muted", "off")
	})
	var told map[string]string
	eventually(t, "Home Assistant is told", func() bool { told = configs(t, broker); return len(told) > 0 })
	config := slices.Min(slices.Collect(maps.Keys(told)))
	for topic, forged := range map[string]string{
		"voice/test/availability": "offline", "voice/test/muted": "on", "voice/test/servers": "", config: `{"name":"Burglar"}`,
	} {
		if err := stranger.PublishRetained(t.Context(), topic, []byte(forged)); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(topic string) string { // as a client finds it that connects now
		late := listen(t, broker, topic)
		if err := late.Publish(t.Context(), topic+"/last", nil); err != nil {
			t.Fatal(err)
		}
		if all := late.on(topic); len(all) > 0 {
			return all[len(all)-1]
		}
		return ""
	}
	eventually(t, "the gateway is there again", func() bool { return kept("voice/test/availability") == "online" })
	eventually(t, "the microphone is open again", func() bool { return kept("voice/test/muted") == "off" })
	eventually(t, "the servers are told again", func() bool { return kept("voice/test/servers") != "" })
	eventually(t, "Home Assistant is told again", func() bool { return kept(config) == told[config] })
}
