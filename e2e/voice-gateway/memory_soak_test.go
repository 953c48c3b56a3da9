//go:build soak && accept

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// memoryBudgets are what the daemon and everything it starts may hold together, in MB,
// counted as the sum of proportional set sizes: shared pages are counted in parts.
var memoryBudgets = []struct {
	name   string
	most   float64
	config []string
}{
	{"with Moonshine", 260, nil}, // and its models, see TestSoakMemory
	{"with PocketSphinx", 120, []string{"VOICE_GATEWAY_STT_ENGINES=pocketsphinx"}},
	{"text only", 45, []string{"VOICE_GATEWAY_GATEWAY_LANGUAGE=de"}}, // no recogniser knows the language
}

// TestSoakMemory prints what gateways without a microphone hold over time (FOR=1h): at the
// most, while the names of the house are rehearsed too, and at the end, by program.
func TestSoakMemory(t *testing.T) {
	models := fake.Models(t)
	broker := mosquitto(t)
	simulate(t, broker)
	for _, budget := range memoryBudgets {
		t.Run(budget.name, func(t *testing.T) {
			t.Parallel()
			config := append([]string{"GOGC=", "VOICE_GATEWAY_WAKE_MODELS_DIR=" + models, "VOICE_GATEWAY_GATEWAY_ID=" + fake.FreeAddr(t)[10:]}, budget.config...)
			c, _, _ := daemon(t, broker, config...)
			var most, last float64
			var mostBy, lastBy string
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for end := time.Now().Add(*duration); time.Now().Before(end); <-tick.C {
				if last, lastBy = heldBy(c.Process.Pid); last > most {
					most, mostBy = last, lastBy
				}
			}
			t.Attr("shows", fmt.Sprintf("%s, over %v: at most %.0f MB (%s), at the end %.0f MB (%s); the budget is %.0f MB without MCP servers",
				budget.name, *duration, most, mostBy, last, lastBy, budget.most))
		})
	}
}

// heldBy returns what a process and everything below it hold in MB, without MCP servers,
// and a list of all of them.
func heldBy(pid int) (sum float64, list string) {
	by := map[string]float64{}
	for _, p := range family(pid) {
		by[p.name] += p.pss
		if p.name != "zwave-mcp-server" {
			sum += p.pss
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s %.0f", name, by[name]))
	}
	return sum, strings.Join(parts, ", ")
}
