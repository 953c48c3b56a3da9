package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/zwave/sim"
)

// TestABrokerThatRefusesLargeMessages has a real broker with a limit between the server
// and a house whose list of devices is larger: the health names that as the cause.
func TestABrokerThatRefusesLargeMessages(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	rig.MosquittoAt(t, addr, "allow_anonymous true", "message_size_limit 20000")
	played, err := rig.PlayHouse(sim.DefaultConfig(), "mqtt://"+addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(played.Stop)
	h := startServer(t, []string{"MQTT_BROKER_URL=mqtt://" + addr})
	h.until("the health names the broker's limit", func() bool {
		var health struct {
			Healthy bool
			Waiting string `json:"waiting_for"`
			Message string
		}
		_, data := h.call(t.Context(), "check_zwave_health", map[string]any{})
		return json.Unmarshal(data, &health) == nil && !health.Healthy && health.Waiting == "large messages" && strings.Contains(health.Message, "message_size_limit")
	})
}
