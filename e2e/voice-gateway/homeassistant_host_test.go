package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/tools/txtar"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// foreignHost is an MCP host of others that has started home-assistant-mcp-server.
type foreignHost struct {
	*testing.T
	*client.Client
	stderr rig.Output
}

// startForeignHost starts the server as a child, and says hello.
func startForeignHost(t *testing.T, settings ...string) *foreignHost {
	t.Helper()
	h := &foreignHost{T: t}
	var err error
	h.Client, err = client.NewStdioMCPClientWithOptions(filepath.Join(bin, "home-assistant-mcp-server"), environ(t, settings...), nil, transport.WithCommandStderrWriter(&h.stderr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := h.Initialize(ctx, hello); err != nil {
		t.Fatalf("%v; stderr: %s", err, &h.stderr)
	}
	return h
}

// call calls a tool.
func (h *foreignHost) call(tool string, args any) *mcp.CallToolResult {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), patience)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	result, err := h.CallTool(ctx, req)
	if err != nil {
		h.Fatalf("%s %v: %v; stderr: %s", tool, args, err, &h.stderr)
	}
	return result
}

// readHouse reads the resource of the house.
func (h *foreignHost) readHouse() (text string, err error) {
	var req mcp.ReadResourceRequest
	req.Params.URI = "homeassistant://home"
	result, err := h.ReadResource(h.Context(), req)
	if err != nil {
		return "", err
	}
	for _, c := range result.Contents {
		if c, ok := c.(mcp.TextResourceContents); ok {
			text += c.Text
		}
	}
	return text, nil
}

// changing are the parts of an answer that differ each time.
var changing = regexp.MustCompile(`"(ms|age_seconds|read_at|published_at|time)": ("[^"]*"|-?[0-9.]+)`)

// allowed is the list of what a refused argument may be, which grows with the program.
var allowed = regexp.MustCompile(`one of '.*'`)

// indent writes JSON on several lines, without what differs each time.
func (h *foreignHost) indent(data []byte) string {
	h.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, data, "", "  "); err != nil {
		h.Fatal(err)
	}
	return changing.ReplaceAllString(pretty.String(), `"$1": 0`) + "\n"
}

// hostSteps are the calls of the transcript: tool, then arguments as JSON.
var hostSteps = []struct{ tool, args string }{
	{"check_homeassistant_health", `{}`},
	{"list_devices", `{}`},
	{"verify_device", `{"device_name":"kichen lamp"}`},
	{"control_homeassistant_device", `{"device_name":"Kitchen Lamp","action":"on"}`},
	{"get_device_state", `{"device_name":"Kitchen Lamp"}`},
	{"control_homeassistant_device", `{"device_name":"Kitchen Lamp","action":"explode"}`},
	{"control_homeassistant_device", `{"device_name":"Liar","action":"on"}`},
	{"control_homeassistant_device", `{"device_name":"Pump","action":"on"}`},
	{"control_homeassistant_device", `{"device_name":"Front Door","action":"unlock"}`},
	{"control_homeassistant_device", `{"device_name":"Front Door","action":"lock"}`},
	{"control_homeassistant_device", `{"device_name":"Secret","action":"on"}`},
	{"get_device_sensor_data", `{"device_name":"Hall Temperature"}`},
}

// TestAnyHostOfHomeAssistant is what an MCP host sees of home-assistant-mcp-server: its tools
// with their hints, the house, and calls with their receipts.
func TestAnyHostOfHomeAssistant(t *testing.T) {
	t.Parallel()
	home := fake.NewHomeAssistant(map[string]fake.Thing{
		"light.kitchen": {State: "off", Area: "kitchen", Attributes: map[string]any{"friendly_name": "Kitchen Lamp", "supported_color_modes": []any{"onoff"}}, Aliases: []any{"ceiling lamp"}},
		"switch.liar":   {State: "off", Area: "hall", Attributes: map[string]any{"friendly_name": "Liar"}},
		"switch.pump":   {State: "unavailable", Area: "garage", Attributes: map[string]any{"friendly_name": "Pump"}},
		"switch.secret": {State: "off", Area: "hall", Attributes: map[string]any{"friendly_name": "Secret"}, Hidden: true},
		"lock.front":    {State: "unlocked", Area: "hall", Attributes: map[string]any{"friendly_name": "Front Door"}},
		"sensor.hall":   {State: "21.4", Area: "hall", Attributes: map[string]any{"friendly_name": "Hall Temperature", "device_class": "temperature", "unit_of_measurement": "°C"}},
	})
	home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
		switch c.Service {
		case "light.turn_on":
			home.Set(c.Entity, "on", nil, c.Context)
		case "lock.lock":
			home.Set(c.Entity, "locked", nil, c.Context)
		}
		return nil
	}
	h := startForeignHost(t, "HASS_URL="+home.Listen(t), "HASS_TOKEN="+fake.HomeAssistantToken)
	archive := txtar.Archive{Comment: []byte("The tools of home-assistant-mcp-server before a scripted Home Assistant, over stdio.\nTimes are masked. To write it anew: make golden.\n")}
	add := func(name, text string) {
		archive.Files = append(archive.Files, txtar.File{Name: fmt.Sprintf("%02d %s", len(archive.Files), name), Data: []byte(text)})
	}
	list, err := h.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var tools strings.Builder
	for _, tool := range list.Tools {
		hints := tool.Annotations
		fmt.Fprintf(&tools, "%s\n  read-only %t, destructive %t, idempotent %t, open world %t\n", tool.Name, *hints.ReadOnlyHint, *hints.DestructiveHint, *hints.IdempotentHint, *hints.OpenWorldHint)
	}
	add("tools/list", tools.String())
	var house string
	eventually(t, "the house can be read", func() bool { house, err = h.readHouse(); return err == nil })
	add("resources/read homeassistant://home", h.indent([]byte(house)))
	for _, s := range hostSteps {
		result := h.call(s.tool, json.RawMessage(s.args))
		text := s.args + "\n"
		for _, c := range result.Content {
			if c, ok := c.(mcp.TextContent); ok {
				text += allowed.ReplaceAllString(c.Text, "one of …") + "\n"
			}
		}
		if data, err := json.Marshal(result.StructuredContent); err == nil && result.StructuredContent != nil {
			text += h.indent(data)
		}
		name := s.tool
		if result.IsError {
			name += " (error)"
		}
		add(name, text)
	}
	rig.CheckTranscript(t, filepath.Join("testdata", "homeassistant.txtar"), &archive, *rewrite)
	for _, c := range home.Calls() {
		if c.Entity == "switch.secret" || c.Service == "lock.unlock" {
			t.Errorf("it called %s for %s", c.Service, c.Entity)
		}
	}
}
