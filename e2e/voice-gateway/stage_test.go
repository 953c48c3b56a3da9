package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"voicegateway/e2e/rig"
)

// TestHearNeverTouchesTheLiveHouse: whatever the configuration says of the live
// house, a recording acts in a simulated one only.
func TestHearNeverTouchesTheLiveHouse(t *testing.T) {
	t.Parallel()
	live := mosquitto(t)
	simulate(t, live)
	var commands atomic.Int32
	rig.Subscribe(t, live, func(topic string, _ []byte, _ bool) {
		if strings.HasSuffix(topic, "/set") {
			commands.Add(1)
		}
	}, "zwave/#")
	conf := filepath.Join(t.TempDir(), "live.yaml")
	text := fmt.Sprintf("mqtt: {broker: %q}\nmcp:\n  servers:\n    zwave: {args: [], env: {MQTT_BROKER_URL: %q, ZWAVE_MQTT_TOPIC: zwave}}\n    other: {command: %q, env: {MQTT_BROKER_URL: %q}}\n",
		live, live, filepath.Join(bin, "zwave-mcp-server"), live)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	records := heard(t, "--config", conf, "--no-wake", spoken(t, "turn on the kitchen light."))
	if len(records) != 1 || records[0].Reply != "The kitchen light is on." {
		t.Errorf("the simulated house: %+v", records)
	}
	if n := commands.Load(); n != 0 {
		t.Errorf("the live house was sent %d commands", n)
	}
}

// TestAsksOfOneDeviceKeepTheirOrder: on and off, sent one after the other, must
// end in off.
func TestAsksOfOneDeviceKeepTheirOrder(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, _, env := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "the house is known", func() bool {
		_, _, status := command(t, env, "ask", "turn off the kitchen light")
		return status == 0
	})
	for i := range 10 {
		for _, way := range []string{"on", "off"} {
			payload := fmt.Sprintf(`{"id":"%s%d","text":"turn %s the kitchen light"}`, way, i, way)
			if err := stranger.Publish(t.Context(), "voice/test/cmd/ask", []byte(payload)); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "both are done", func() bool {
			return stranger.has("voice/test/turn", fmt.Sprintf(`"id":"on%d"`, i)) && stranger.has("voice/test/turn", fmt.Sprintf(`"id":"off%d"`, i))
		})
		if out, _, _ := command(t, env, "ask", "is the kitchen light on"); !strings.HasPrefix(out, "No") {
			t.Fatalf("after on and off: %q", out)
		}
	}
}

// TestExitStatus: mistakes in a call are 2, everything else that goes wrong is 1.
func TestExitStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		want int
	}{
		"help":              {[]string{"--help"}, 0},
		"version":           {[]string{"--version"}, 0},
		"unknown command":   {[]string{"dance"}, 2},
		"unknown flag":      {[]string{"run", "--confg", "x"}, 2},
		"missing file":      {[]string{"hear"}, 2},
		"missing text":      {[]string{"ask"}, 2},
		"no such worker":    {[]string{"worker", "dishes"}, 2},
		"no such recording": {[]string{"hear", "nowhere.wav"}, 1},
		"no such config":    {[]string{"--config", "nowhere.yaml", "config", "check"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, errs, got := command(t, environ(t), tt.args...); got != tt.want {
				t.Errorf("status %d, expected %d: %s", got, tt.want, errs)
			}
		})
	}
}

// TestACommandReachesARepairedServer: the attempts are used up and no timer runs,
// and still the next command after the repair is done, by itself.
func TestACommandReachesARepairedServer(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	mended := filepath.Join(t.TempDir(), "mended")
	server := filepath.Join(t.TempDir(), "server")
	script := fmt.Sprintf("#!/bin/sh\n[ -e %q ] || exit 9\nexec %q \"$@\"\n", mended, filepath.Join(bin, "zwave-mcp-server"))
	if err := os.WriteFile(server, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c, _, env := daemon(t, broker, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+server, "DISABLE_RETRY=true")
	eventually(t, "the only attempt is over", func() bool {
		return strings.Contains(c.stderr.String(), "MCP connection failed after 1 attempt")
	})
	if out, _, status := command(t, env, "ask", "turn on the kitchen light"); status != 1 || !strings.Contains(out, "reach") {
		t.Errorf("before the repair: %q, status %d", out, status)
	}
	if err := os.WriteFile(mended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := command(t, env, "ask", "turn on the kitchen light"); status != 0 || out != "The kitchen light is on.\n" {
		t.Errorf("after the repair: %q, status %d", out, status)
	}
}
