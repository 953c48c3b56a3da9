package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/tools/txtar"

	"voicegateway/e2e/rig"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/zwave/serve"
)

var update = flag.Bool("update", false, "write the golden files anew")

// steps are the calls of the transcript: tool, then arguments as JSON.
var steps = []struct{ tool, args string }{
	{"check_zwave_health", `{}`},
	{"list_devices", `{}`},
	{"list_devices", `{"area":"living room"}`},
	{"list_devices", `{"type":"lights"}`},
	{"list_devices", `{"page":2}`},
	{"list_devices", `{"area":"Ballroom"}`},
	{"list_devices", `{"type":"toaster"}`},
	{"verify_device", `{"device_name":"kitchen lamp"}`},
	{"verify_device", `{"device_name":"kichen lamb"}`},
	{"verify_device", `{"device_name":"Desk Lamp"}`},
	{"verify_device", `{"device_name":"nonsense on stilts"}`},
	{"control_zwave_device", `{"device_name":"Kitchen Lamp","action":"on"}`},
	{"get_device_state", `{"device_name":"Kitchen Lamp"}`},
	{"control_zwave_device", `{"device_name":"Kitchen Lamp","action":"toggle"}`},
	{"control_zwave_device", `{"device_name":"ceiling light","action":"level","value":"40 %"}`},
	{"control_zwave_device", `{"device_name":"Ceiling Light","action":"level","value":140}`},
	{"control_zwave_device", `{"device_name":"Kitchen Lamp","action":"level","value":40}`},
	{"control_zwave_device", `{"device_name":"Blind #1 (left)","action":"open"}`},
	{"control_zwave_device", `{"device_name":"Blind #1 (left)","action":"position","value":30}`},
	{"control_zwave_device", `{"device_name":"Front Lock","action":"lock"}`},
	{"control_zwave_device", `{"device_name":"Thermostat","action":"setpoint","value":22.5}`},
	{"control_zwave_device", `{"device_name":"Thermostat","action":"setpoint","value":"70 F"}`},
	{"control_zwave_device", `{"device_name":"Thermostat","action":"setpoint","value":55}`},
	{"control_zwave_device", `{"device_name":"Thermostat","action":"mode","value":"Cool"}`},
	{"control_zwave_device", `{"device_name":"Thermostat","action":"mode","value":"party"}`},
	{"control_zwave_device", `{"device_name":"Küche ✨ Lampe Ω","action":"colour","value":"green"}`},
	{"control_zwave_device", `{"device_name":"Power Strip 2","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Desk Lamp","action":"on"}`},
	{"control_zwave_device", `{"device_name":"office desk lamp","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Device 13","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Kitchn Lamp","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Broadcast","action":"off"}`},
	{"control_zwave_device", `{"device_name":"Living Room Temperature","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Porch Light","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Attic Light","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Shed Plug","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Garage Door","action":"open"}`},
	{"control_zwave_device", `{"device_name":"Front Lock","action":"open"}`},
	{"control_zwave_device", `{"device_name":"Water Valve","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Water Valve","action":"close"}`},
	{"control_zwave_device", `{"device_name":"living room lights","action":"off"}`},
	{"control_zwave_device", `{"device_name":"Kitchen Lamp and Office Desk Lamp","action":"on"}`},
	{"control_zwave_device", `{"device_name":"Kitchen Lamp","action":"explode"}`},
	{"control_zwave_device", `{"action":"on"}`},
	{"get_device_sensor_data", `{"device_name":"Living Room Temperature"}`},
	{"get_device_sensor_data", `{"device_name":"Front Lock","sensor":"battery"}`},
	{"get_device_sensor_data", `{"device_name":"Patio Door"}`},
	{"get_device_sensor_data", `{"device_name":"Kitchen Lamp","sensor":"humidity"}`},
	{"get_device_state", `{"device_name":"Porch Light"}`},
	{"get_device_state", `{"device_name":"Thermostat"}`},
	{"get_device_sensor_data", `{"device_name":"Living Room Sensor","sensor":"humidity"}`},
	{"get_device_state", `{"device_name":"Living Room Sensor"}`},
	{"refresh_device", `{"device_name":"Living Room Sensor"}`},
	{"control_zwave_device", `{"device_name":"Power Strip","action":"off"}`},
	{"get_device_state", `{"device_name":"Power Strip"}`},
	{"refresh_device", `{"device_name":"Kitchen Lamp"}`},
	{"refresh_device", `{"device_name":"Patio Door"}`},
	{"check_zwave_health", `{}`},
}

// dangerousSteps are done with ZWAVE_ALLOW_DANGEROUS=true.
var dangerousSteps = []struct{ tool, args string }{
	{"control_zwave_device", `{"device_name":"Garage Door","action":"open"}`},
	{"operate_dangerous_device", `{"device_name":"Garage Door","action":"open"}`},
	{"operate_dangerous_device", `{"device_name":"Front Lock","action":"unlock"}`},
	{"operate_dangerous_device", `{"device_name":"hall locks","action":"unlock"}`},
}

// TestTranscript is every tool of the real program over stdio, with its receipts
// and errors, as a host sees them.
func TestTranscript(t *testing.T) {
	t.Parallel()
	url := startBroker(t)
	simulate(t, url, filepath.Join("testdata", "house.yaml"))
	h := startServer(t, []string{"MQTT_BROKER_URL=" + url})
	var archive txtar.Archive
	archive.Comment = []byte("The tools of zwave-mcp-server against a simulated house, over stdio.\n" +
		"Times are masked. To write it anew: make golden.\n")
	h.tellTools(&archive)
	h.settled()
	for _, s := range steps {
		h.tell(&archive, s.tool, s.args)
	}
	d := startServer(t, []string{"MQTT_BROKER_URL=" + url, "ZWAVE_ALLOW_DANGEROUS=true"})
	d.settled()
	d.tellTools(&archive)
	for _, s := range dangerousSteps {
		d.tell(&archive, s.tool, s.args)
	}
	rig.CheckTranscript(t, filepath.Join("testdata", "transcript.txtar"), &archive, *update)
}

// simulate plays a house on a broker, five times as fast as the real one.
func simulate(t *testing.T, url, house string) {
	t.Helper()
	p := serve.Program{
		Args: []string{"simulate", "--broker", url, "--house", house, "--scale", "0.2"}, Err: &words{},
		Options: config.Options{Environ: []string{"X=1"}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if status := p.Run(ctx); status != 0 {
			t.Errorf("the simulator ended with %d: %s", status, p.Err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// settled waits until the house is known.
func (h *host) settled() {
	h.Helper()
	h.until("the house is known", func() bool {
		result, _ := h.call(h.Context(), "list_devices", nil)
		return !result.IsError
	})
}

// tellTools writes down which tools there are, with their hints.
func (h *host) tellTools(a *txtar.Archive) {
	h.Helper()
	list, err := h.ListTools(h.Context(), mcp.ListToolsRequest{})
	if err != nil {
		h.Fatal(err)
	}
	var text strings.Builder
	for _, tool := range list.Tools {
		fmt.Fprintf(&text, "%s\n  %s\n", tool.Name, tool.Description)
		hints := tool.Annotations
		fmt.Fprintf(&text, "  read-only %t, destructive %t, idempotent %t, open world %t\n",
			*hints.ReadOnlyHint, *hints.DestructiveHint, *hints.IdempotentHint, *hints.OpenWorldHint)
	}
	a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("%02d tools/list", len(a.Files)), Data: []byte(text.String())})
}

var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"ms": \d+`), `"ms": 0`},
	{regexp.MustCompile(`"age_seconds": -?\d+`), `"age_seconds": 0`},
	{regexp.MustCompile(`"source": "\w+"`), `"source": "any"`}, // whether a report came before the list
}

// tell makes a call and writes it down.
func (h *host) tell(a *txtar.Archive, tool, args string) {
	h.Helper()
	var decoded map[string]any
	if err := json.Unmarshal([]byte(args), &decoded); err != nil {
		h.Fatal(err)
	}
	result, data := h.call(h.Context(), tool, decoded)
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", args)
	for _, c := range result.Content {
		if c, ok := c.(mcp.TextContent); ok {
			fmt.Fprintf(&text, "%s\n", c.Text)
		}
	}
	if data != nil {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, data, "", "  "); err != nil {
			h.Fatal(err)
		}
		masked := pretty.String()
		for _, m := range masks {
			masked = m.what.ReplaceAllString(masked, m.with)
		}
		text.WriteString(masked + "\n")
	}
	if result.Meta != nil {
		at, _ := result.Meta.AdditionalFields["published_at"].(string)
		if _, err := time.Parse(time.RFC3339Nano, at); err == nil {
			text.WriteString("published\n")
		}
	}
	name := fmt.Sprintf("%02d %s", len(a.Files), tool)
	if result.IsError {
		name += " (error)"
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text.String())})
}
