package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/ground/mqtt"
)

// mostMemory is what the server may take for a large house, in kilobytes. The unit allows
// the service with all its children 512 MB, and tells Go to collect from 256 MB on.
const mostMemory = 352 << 10

// TestALargeHouseTakesBoundedMemory lets a gateway publish a house, again and again, and
// reads from the kernel how much memory the server took at most. A Long Range network of
// 4,000 nodes is taken as it is; of a house that is too large, the server takes as much
// as one house may have.
func TestALargeHouseTakesBoundedMemory(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "zwave-mcp-server") // not this test, which may look for races
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "voicegateway/cmd/zwave-mcp-server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, tt := range map[string]struct {
		nodes, each, sensors int    // nodes, values of each, and how many of these are sensors
		more                 string // members of each value
		whole                bool   // nothing is left out
	}{
		"4,000 nodes":    {4_000, 10, 2, "", true},
		"54,000 values":  {18, 3_000, 2_999, described, false},
		"200,000 values": {200, 1_000, 999, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := startBroker(t)
			lists := tellHouse(t, url, houseOf(tt.nodes, tt.each, tt.sensors, tt.more))
			p := exec.CommandContext(t.Context(), program)
			h := &host{T: t, stderr: &words{}}
			h.Client = client.NewClient(transport.NewStdioWithOptions(program, []string{"HOME=" + t.TempDir(), "MQTT_BROKER_URL=" + url, "GOMEMLIMIT=256MiB"}, nil,
				transport.WithCommandFunc(func(ctx context.Context, _ string, env, _ []string) (*exec.Cmd, error) {
					p = exec.CommandContext(ctx, program)
					p.Env, p.Stderr = env, h.stderr
					return p, nil
				})))
			t.Cleanup(func() { _ = h.Close() })
			if err := h.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			var hello mcp.InitializeRequest
			hello.Params.ProtocolVersion = "2025-11-25"
			hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
			if _, err := h.Initialize(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			defer func() {
				most := peak(t, p.Process.Pid)
				if t.Logf("it took %d MB at most", most>>10); most > mostMemory {
					t.Errorf("it took %d MB, and may take %d", most>>10, mostMemory>>10)
				}
			}()
			var health struct {
				Devices int      `json:"devices"`
				LeftOut []string `json:"left_out"`
				Message string   `json:"message"`
			}
			h.until("the house is told three times", func() bool { return lists() >= 3 })
			h.until("the house is known", func() bool {
				_, answer := h.call(t.Context(), "check_zwave_health", nil)
				if err := json.Unmarshal(answer, &health); err != nil {
					t.Fatal(err)
				}
				return health.Devices > 0
			})
			if health.Devices != tt.nodes {
				t.Errorf("%d of %d devices are known: %s", health.Devices, tt.nodes, health.Message)
			}
			if (len(health.LeftOut) == 0) != tt.whole || strings.Contains(h.stderr.String(), "left out") == tt.whole {
				t.Errorf("left out is %q; stderr: %.2000s", health.LeftOut, h.stderr)
			}
		})
	}
}

// peak is the most memory that a process has had, in kilobytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	kilobytes, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

// described are members that a gateway sends with each value, so that it has some 300 bytes.
const described = `"nodeId":1000,"commandClassName":"Multilevel Sensor","propertyName":"Sensor","stateless":false,"commandClassVersion":4,"list":false,"newValue":21.6,`

// houseOf is the result of getNodes for nodes with so many values each, of some 130 bytes
// and more. Each sensor is an entity; a value that is neither a sensor nor a light is a
// parameter.
func houseOf(nodes, each, sensors int, more string) string {
	var out strings.Builder
	out.WriteByte('[')
	for i := range nodes {
		n := i + 1000 // beyond the broadcast's
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, `{"id":%d,"name":"Lamp %d","loc":"Room %d","status":"Alive","available":true,"ready":true,"isListening":true,"values":{`, n, n, n%40)
		for v := range each {
			class, property := 112, fmt.Sprint("Parameter ", v)
			switch {
			case v == 0:
				class, property = 38, "currentValue"
			case v <= sensors:
				class, property = 49, fmt.Sprint("Sensor ", v)
			}
			if v > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, `"%d-0-%s":{%s"commandClass":%[1]d,"endpoint":0,"property":"%[2]s","type":"number","readable":true,"label":"%[2]s","unit":"°C","value":%[4]d.5,"lastUpdate":1795238308762}`,
				class, property, more, v)
		}
		out.WriteString("}}")
	}
	out.WriteByte(']')
	return out.String()
}

// tellHouse answers on a broker as a gateway with a house, and announces its start again
// and again, so that it is asked again. It returns how often the house was requested.
func tellHouse(t *testing.T, url, house string) (lists func() int) {
	t.Helper()
	bus, err := mqtt.New(mqtt.Config{URL: url}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bus.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	const gateway = "zwave/_CLIENTS/ZWAVE_GATEWAY-Large/"
	var asked atomic.Int64
	say := func(topic, payload string) bool { // a busy machine may lose a large message, and the server asks again
		return bus.Publish(ctx, gateway+topic, []byte(payload)) == nil
	}
	requests := make(chan [2]string, 100)
	if err := bus.Subscribe(t.Context(), gateway+"api/+/set", func(topic string, payload []byte, _ bool) {
		var request struct {
			ID string `json:"requestId"`
		}
		_ = json.Unmarshal(payload, &request)
		api := strings.TrimSuffix(strings.TrimPrefix(topic, gateway+"api/"), "/set")
		select {
		case requests <- [2]string{api, request.ID}:
		default: // the server asks again
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := bus.AwaitConnected(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := bus.PublishRetained(t.Context(), gateway+"status", []byte(`{"value":true,"time":1}`)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			var r [2]string
			select {
			case r = <-requests:
			case <-ctx.Done():
				return
			}
			result := `{"homeid":3237998099,"controllerId":1,"appVersion":"11"}`
			if r[0] == "getNodes" {
				result = house
			}
			told := say("api/"+r[0], fmt.Sprintf(`{"success":true,"message":"ok","result":%s,"args":[],"origin":{"requestId":%q}}`, result, r[1]))
			if told && r[0] == "getNodes" {
				asked.Add(1)
			}
			say("status", `{"value":true,"time":2}`)
		}
	}()
	return func() int { return int(asked.Load()) }
}
