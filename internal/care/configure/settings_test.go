package configure_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/care/configure"
)

const own = `# our house
gateway:
  id: kitchen   # the first one
  area: "Living # Room" # with a sharp

  # where it is kept
  state_dir: ''
wake:
  words:
    - hey_jarvis
    - okay_nabu
  # nothing moves
  stop: [stop]
mcp:
  retry: {attempts: 30, enabled: true} # in braces
  servers:
    zwave:
      env:
        ZWAVE_MQTT_TOPIC: zwave
mqtt:
# at the end
`

func TestSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, value, old, new string }{
		{"gateway.id", "hall", "  id: kitchen   # the first one\n", "  id: hall   # the first one\n"},
		{"gateway.area", "Hall", "  area: \"Living # Room\" # with a sharp\n", "  area: Hall # with a sharp\n"},
		{"gateway.state_dir", "/var/lib/x", "  state_dir: ''\n", "  state_dir: /var/lib/x\n"},
		{"gateway.language", "de", "  state_dir: ''\n", "  state_dir: ''\n  language: de\n"},
		{"wake.words", "[alexa]", "  words:\n    - hey_jarvis\n    - okay_nabu\n", "  words: [alexa]\n"},
		{"wake.engine", "micro", "  stop: [stop]\n", "  stop: [stop]\n  engine: micro\n"},
		{"mcp.retry.attempts", "3", "{attempts: 30, enabled: true} # in braces", "{attempts: 3, enabled: true} # in braces"},
		{"mcp.retry.interval", "2s", "{attempts: 30, enabled: true} #", "{attempts: 30, enabled: true, interval: 2s} #"},
		{"mcp.servers.zwave", "null", "    zwave:\n      env:\n        ZWAVE_MQTT_TOPIC: zwave\n", "    zwave: null\n"},
		{"mcp.servers.zwave.env.X", `"1"`, "        ZWAVE_MQTT_TOPIC: zwave\n", "        ZWAVE_MQTT_TOPIC: zwave\n        X: \"1\"\n"},
		{"mcp.servers.other.url", "http://127.0.0.1:1/mcp", "        ZWAVE_MQTT_TOPIC: zwave\n", "        ZWAVE_MQTT_TOPIC: zwave\n    other:\n      url: http://127.0.0.1:1/mcp\n"},
		{`mcp.servers.zwave.env."Den's Lamp: 1"`, "x", "        ZWAVE_MQTT_TOPIC: zwave\n", "        ZWAVE_MQTT_TOPIC: zwave\n        \"Den's Lamp: 1\": x\n"},
		{`mcp.retry."a b"`, "[x]", "{attempts: 30, enabled: true} #", "{attempts: 30, enabled: true, a b: [x]} #"},
		{`home.aliases."Tür"`, "[door]", "# at the end\n", "# at the end\nhome:\n  aliases:\n    \"Tür\": [door]\n"},
		{"mqtt.broker", "mqtt://192.168.1.10", "mqtt:\n# at the end\n", "mqtt:\n  broker: mqtt://192.168.1.10\n# at the end\n"},
		{"http.listen", "127.0.0.1:8766", "# at the end\n", "# at the end\nhttp:\n  listen: 127.0.0.1:8766\n"},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			got, err := configure.Set(own, c.path, c.value)
			if want := strings.Replace(own, c.old, c.new, 1); err != nil || got != want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

func TestSetInAnEmptyFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# only a comment\n"} {
		got, err := configure.Set(text, "gateway.id", "hall")
		if err != nil || !strings.HasSuffix(got, "gateway:\n  id: hall\n") || !strings.HasPrefix(got, strings.TrimSpace(text)) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, path, value, want string }{
		{own, "gateway..id", "x", "is no key's path"},
		{own, `home."a`, "x", "is no key's path"},
		{own, `home."a"b`, "x", "is no key's path"},
		{own, `home."".b`, "x", "is no key's path"},
		{own, `home."a".`, "x", "is no key's path"},
		{own, "gateway.id", "a\nb", "several lines"},
		{own, "gateway.id", "[a", "not YAML"},
		{own, "gateway.id.more", "x", "holds a value and no keys"},
		{"[a, b]\n", "gateway.id", "x", "holds no keys"},
		{"{gateway: {id: x}}\n", "gateway.id", "y", "in braces"},
		{"a: [\n", "gateway.id", "x", "reading the file"},
	} {
		if got, err := configure.Set(c.text, c.path, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.path, got, err, c.want)
		}
	}
}

// FuzzSet changes whatever is given: what comes out says the new value, and says of all
// else what it said before.
func FuzzSet(f *testing.F) {
	for _, path := range []string{"gateway.id", "wake.words", "mcp.retry.attempts", "mcp.servers.zwave.env", "mqtt.broker", "a.b.c", `mcp."Den's: Lamp"`} {
		f.Add(own, path, "x")
		f.Add("a: {b: {c: d}}\nb: |\n  text\n c\n", path, "[1, \"2\"]")
	}
	f.Fuzz(func(t *testing.T, text, path, value string) {
		got, err := configure.Set(text, path, value)
		if err != nil || strings.HasPrefix(path, `"`) {
			return
		}
		var before, after map[string]any
		if yaml.Unmarshal([]byte(text), &before) != nil || yaml.Unmarshal([]byte(got), &after) != nil {
			t.Fatalf("%q with %s: %q made %q", text, path, value, got)
		}
		top, _, _ := strings.Cut(path, ".")
		delete(before, top)
		delete(after, top)
		if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
			t.Errorf("%q with %s: %q made %q", text, path, value, got)
		}
		if again, err := configure.Set(got, path, value); err != nil && !errors.Is(err, configure.ErrByHand) || err == nil && again != got {
			t.Errorf("a second time: %q, %v, after %q", again, err, got)
		}
	})
}
