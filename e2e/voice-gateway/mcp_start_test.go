package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// coldStart is one start of everything together, in an order, in which no part waits for
// another.
type coldStart struct {
	order []string      // of the parts; a "server" here is a separate program, reached over HTTP
	pause time.Duration // between two parts
}

// parts of a cold start: the broker, the simulated house, the MCP server if it is not a
// child of the gateway, and the gateway.
var (
	asChild = []string{"broker", "house", "gateway"}
	apart   = []string{"broker", "house", "server", "gateway"}
)

// orders are all orders of the parts.
func orders(parts []string) [][]string {
	if len(parts) == 0 {
		return [][]string{nil}
	}
	var all [][]string
	for i := range parts {
		rest := append(append([]string{}, parts[:i]...), parts[i+1:]...)
		for _, o := range orders(rest) {
			all = append(all, append([]string{parts[i]}, o...))
		}
	}
	return all
}

// run starts everything and waits for a connection and then for a light that
// obeys. It returns how long after the last start there was a connection.
func (s coldStart) run(t *testing.T) time.Duration {
	t.Helper()
	addr, http, server := fake.FreeAddr(t), fake.FreeAddr(t), fake.FreeAddr(t)
	broker := "mqtt://" + addr
	more := []string{}
	begin := map[string]func(){
		"broker": func() { rig.StartMosquitto(t, addr) },
		"house":  func() { simulate(t, broker) },
		"server": func() {
			start(t, environ(t, "MQTT_BROKER_URL="+broker), filepath.Join(bin, "zwave-mcp-server"), "--http", server)
		},
		"gateway": func() {
			start(t, environ(t, append(more, "VOICE_GATEWAY_MQTT_BROKER="+broker, "VOICE_GATEWAY_HTTP_LISTEN="+http, "VOICE_GATEWAY_GATEWAY_ID=test",
				"VOICE_GATEWAY_AI_ENABLED=false")...), filepath.Join(bin, "voice-gateway"), "run")
		},
	}
	if len(s.order) == len(apart) {
		more = append(more, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_TRANSPORT=http", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_URL=http://"+server+"/mcp")
	}
	for i, part := range s.order {
		if i > 0 && s.pause > 0 {
			<-time.After(s.pause)
		}
		begin[part]()
	}
	last := time.Now()
	eventually(t, "it is connected by itself", func() bool {
		servers, err := serversOf(t, http)
		return err == nil && servers[0].Status == "connected"
	})
	took := time.Since(last)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	return took
}

// serverStatus is what GET /mcp/servers says of one server.
type serverStatus struct {
	ID, Transport, Status, Health, Breaker string
	RetryCount, MaxRetries                 int
	NextRetryTime                          *time.Time
	ErrorMessage                           *string
	PID                                    *int
	Tools                                  *int
}

func serversOf(t *testing.T, http string) ([]serverStatus, error) {
	t.Helper()
	var list struct {
		Servers []serverStatus `json:"servers"`
	}
	err := get(t, http, "/mcp/servers", &list)
	if err == nil && len(list.Servers) == 0 {
		err = fmt.Errorf("there are no servers")
	}
	return list.Servers, err
}

// TestColdStarts: the gateway comes first, in the middle, and last; all orders
// are an acceptance test.
func TestColdStarts(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{
		{"gateway", "broker", "house"},
		{"house", "gateway", "broker"},
		{"gateway", "house", "server", "broker"},
	} {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			t.Parallel()
			t.Logf("connected %v after the last start", coldStart{order: order}.run(t).Round(time.Millisecond))
		})
	}
}
