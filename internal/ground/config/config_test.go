package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

type retry struct {
	Enabled    bool          `yaml:"enabled"`
	Attempts   int           `yaml:"attempts"`
	BaseDelay  time.Duration `yaml:"base_delay"`
	Multiplier float64       `yaml:"multiplier"`
}

type server struct {
	Command        string            `yaml:"command"`
	Args           []string          `yaml:"args"`
	Env            map[string]string `yaml:"env"`
	Headers        map[string]string `yaml:"headers"`
	Essential      bool              `yaml:"essential"`
	ConnectTimeout time.Duration     `yaml:"connect_timeout"`
	Retry          *retry            `yaml:"retry"`
}

func (s *server) SetDefaults() { s.ConnectTimeout = 10 * time.Second }

type level int8

func (l *level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return errors.New("low or high")
	}
	return nil
}

func (l level) MarshalText() ([]byte, error) {
	return []byte(map[level]string{1: "low", 2: "high"}[l]), nil
}

type settings struct {
	Gateway struct {
		ID    string `yaml:"id"`
		Level level  `yaml:"level"`
	} `yaml:"gateway"`
	Wake struct {
		Words []string `yaml:"words"`
	} `yaml:"wake"`
	MQTT struct {
		Broker       string `yaml:"broker"`
		PasswordFile string `yaml:"password_file"`
		Token        string `yaml:"token"`
	} `yaml:"mqtt"`
	MCP struct {
		Retry   retry             `yaml:"retry"`
		Servers map[string]server `yaml:"servers"`
	} `yaml:"mcp"`
	Limits struct {
		Port uint16 `yaml:"port"`
	} `yaml:"limits"`
}

func defaults() *settings {
	s := &settings{}
	s.Gateway.ID = "kitchen"
	s.Gateway.Level = 1
	s.Wake.Words = []string{"hey jarvis"}
	s.MCP.Retry = retry{Enabled: true, Attempts: 3, BaseDelay: 2 * time.Second, Multiplier: 2}
	s.MCP.Servers = map[string]server{"zwave": {Command: "zwave-mcp-server", Essential: true}}
	return s
}

var prefix = Options{Prefix: "VG_", Known: []string{"VG_CONFIG"}, Environ: []string{}}

func environ(vars ...string) Options {
	o := prefix
	o.Environ = vars
	return o
}

func TestFileOverDefaults(t *testing.T) {
	s := defaults()
	file := `
gateway: {id: hall, level: high}
wake:
  words: [computer, "okay house"]
mqtt:
mcp:
  retry: {enabled: off, base_delay: 500ms, multiplier: 1.5}
  servers:
    zwave: {args: [--require-broker, 2s], retry: {attempts: 7}}
    music: {command: music-mcp}
limits: {port: 65535}
`
	origins, err := Parse("x.yaml", []byte(file), s, prefix)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Gateway.ID, want.Gateway.Level = "hall", 2
	want.Wake.Words = []string{"computer", "okay house"}
	want.MCP.Retry = retry{Attempts: 3, BaseDelay: 500 * time.Millisecond, Multiplier: 1.5}
	want.MCP.Servers = map[string]server{
		"zwave": {Command: "zwave-mcp-server", Essential: true, Args: []string{"--require-broker", "2s"}, Retry: &retry{Attempts: 7}},
		"music": {Command: "music-mcp", ConnectTimeout: 10 * time.Second},
	}
	want.Limits.Port = 65535
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	for key, origin := range map[string]string{
		"gateway.id": "x.yaml:2", "wake.words": "x.yaml:4", "mcp.retry.attempts": "default",
		"mcp.servers.music.command": "x.yaml:10",
	} {
		if got := origins.Of(key); got != origin {
			t.Errorf("origin of %s: %s, want %s", key, got, origin)
		}
	}
}

// TestTruthForAText covers a text key called enabled, which is auto, true or
// false; the last two may be written in all the ways a boolean may.
func TestTruthForAText(t *testing.T) {
	for written, want := range map[string]string{"false": "false", "true": "true", "off": "false", "Yes": "true", "auto": "auto", `"false"`: "false", `"off"`: "off"} {
		var s struct {
			AI struct {
				Enabled string `yaml:"enabled"`
				Model   string `yaml:"model"`
			} `yaml:"ai"`
		}
		if _, err := Parse("x.yaml", []byte("ai: {enabled: "+written+"}"), &s, prefix); err != nil || s.AI.Enabled != want {
			t.Errorf("%s: got %q, error %v", written, s.AI.Enabled, err)
		}
		if _, err := Parse("x.yaml", []byte("ai: {model: true}"), &s, prefix); err == nil {
			t.Error("a truth value is no text elsewhere")
		}
	}
}

func TestNullRemovesAnEntry(t *testing.T) {
	s := defaults()
	if _, err := Parse("x.yaml", []byte("mcp: {servers: {zwave: null}}"), s, prefix); err != nil {
		t.Fatal(err)
	}
	if len(s.MCP.Servers) != 0 {
		t.Errorf("still there: %v", s.MCP.Servers)
	}
}

func TestMistakesInTheFile(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		want []string // in order
	}{
		"mistyped key":        {"mcp:\n  retry:\n    atempts: 3", []string{"x.yaml:3: mcp.retry.atempts: unknown key; did you mean attempts?"}},
		"key of another part": {"gateway: {broker: x}", []string{"x.yaml:1: gateway.broker: unknown key; did you mean mqtt.broker?"}},
		"key of nowhere":      {"wake: {frobnicate: x}", []string{"x.yaml:1: wake.frobnicate: unknown key; wake has words"}},
		"secret in the file":  {"mqtt: {password: x}", []string{"unknown key; did you mean password_file?"}},
		"in a server":         {"mcp: {servers: {a: {comand: x}}}", []string{"mcp.servers.a.comand: unknown key; did you mean command?"}},
		"number for text":     {"gateway: {id: 7}", []string{`gateway.id: expected text in quotes, got the number "7"`}},
		"text for number":     {`mcp: {retry: {attempts: three}}`, []string{`mcp.retry.attempts: expected a whole number, got the text "three"`}},
		"quoted number":       {`mcp: {retry: {attempts: "3"}}`, []string{"expected a whole number"}},
		"fraction":            {`mcp: {retry: {attempts: 3.5}}`, []string{"expected a whole number"}},
		"bare duration":       {`mcp: {retry: {base_delay: 2}}`, []string{"expected a duration like 500ms, 2s or 1m30s, got the number"}},
		"truth as text":       {`mcp: {retry: {enabled: "true"}}`, []string{"expected true or false"}},
		"too large":           {`limits: {port: 65536}`, []string{"expected a whole number from 0 to 65535"}},
		"nothing for text":    {"gateway: {id: }", []string{`expected text ("" for none), got nothing`}},
		"list for keys":       {"mqtt: [a]", []string{"mqtt: expected keys with values, got a list"}},
		"text for list":       {"wake: {words: hello}", []string{"wake.words: expected a list like [a, b], got the text"}},
		"own type":            {"gateway: {level: medium}", []string{`gateway.level: expected low or high, got the text "medium"`}},
		"given twice":         {"gateway:\n  id: a\n  id: b", []string{"x.yaml:3: gateway.id: given twice, first on line 2"}},
		"alias":               {"gateway: {id: &a x}\nwake: {words: [*a]}", []string{"gateway.id: anchors and aliases", "wake.words: anchors and aliases"}},
		"two documents":       {"gateway: {id: a}\n---\ngateway: {id: b}", []string{"a second document"}},
		"not YAML":            {"gateway: {id: a", []string{"x.yaml:1: not valid YAML: a list in [ ] or keys in { } are not complete"}},
		"a tab":               {"gateway:\n  id: a\n\tlevel: low", []string{"x.yaml:3: not valid YAML: a tab at line 3: YAML wants spaces"}},
		"a tab before a key":  {"gateway:\n\tid: a", []string{"x.yaml:2: not valid YAML: a tab at line 2: YAML wants spaces"}},
		"an open quote":       {"gateway:\n  id: \"a\n  level: low", []string{"a quote or a bracket that is opened here or before is never closed"}},
		"an open bracket":     {"wake: {words: [a, b}\n", []string{"a comma or the closing bracket is missing"}},
		"two colons":          {"gateway:\n  id: a: b", []string{"x.yaml:2: not valid YAML: a colon where no key can stand"}},
		"a reserved sign":     {"gateway:\n  id: @home", []string{"x.yaml:2: not valid YAML: a value begins with a sign that YAML reserves"}},
		"a crooked line":      {"gateway:\n   id: a\n  level: low", []string{"indented differently"}},
		"a list":              {"- a", []string{"expected keys with values, got a list"}},
		"all at once": {"gatway: {}\nmcp: {retry: {attempts: x, enabled: 3}}", []string{
			"x.yaml:1: gatway: unknown key; did you mean gateway?", "x.yaml:2: mcp.retry.attempts", "x.yaml:2: mcp.retry.enabled",
		}},
		"secret stays secret": {"mqtt: {token: [hunter2]}", []string{"mqtt.token: expected text"}},
		"number as secret":    {"mqtt: {token: 4711}", []string{`got the number "(hidden)"`}},
		"control characters": {"gateway:\n  id: \"a\\e[2Jb\"\nmqtt: {token: \"hunter2\\u009b\"}\nmcp: {servers: {\"x\\a\": {command: \"y\\tz\\n\"}}}", []string{
			"x.yaml:2: gateway.id: the control character U+001B", "x.yaml:3: mqtt.token: the control character U+009B", "x.yaml:4: mcp.servers.x: the control character U+0007",
		}},
		"a control character as it is": {"gateway:\n  id: a\x1bb", []string{"x.yaml:2: the control character U+001B stands in this line; expected text without it"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.yaml", []byte(tc.file), defaults(), prefix)
			problems, ok := errors.AsType[Problems](err)
			if !ok || len(problems) != len(tc.want) {
				t.Fatalf("error %v, want %d problems", err, len(tc.want))
			}
			for i, want := range tc.want {
				if got := problems[i].String(); !strings.Contains(got, want) {
					t.Errorf("problem %q, want %q", got, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "4711") {
				t.Errorf("shows a secret: %v", err)
			}
		})
	}
}

func TestEnvironmentOverFile(t *testing.T) {
	s := defaults()
	origins, err := Parse("x.yaml", []byte("mcp: {retry: {attempts: 4}}"), s, environ(
		"VG_MCP_RETRY_ATTEMPTS=5", "VG_MCP_RETRY_ENABLED=false", "VG_WAKE_WORDS=computer, okay house",
		"VG_MCP_SERVERS_ZWAVE_COMMAND=/opt/z", "VG_MCP_SERVERS_MY_MUSIC_CONNECT_TIMEOUT=3s",
		"VG_MCP_SERVERS_ZWAVE_ENV_LOG_LEVEL=debug", "VG_MQTT_PASSWORD=hunter2", "VG_CONFIG=x", "OTHER=1",
		"VG_MCP_SERVERS_ZWAVE_RETRY_BASE_DELAY=9s", "VG_GATEWAY_LEVEL=high",
	))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Gateway.Level = 2
	want.MCP.Retry.Attempts, want.MCP.Retry.Enabled = 5, false
	want.Wake.Words = []string{"computer", "okay house"}
	want.MCP.Servers = map[string]server{
		"zwave":    {Command: "/opt/z", Essential: true, Env: map[string]string{"LOG_LEVEL": "debug"}, Retry: &retry{BaseDelay: 9 * time.Second}},
		"my_music": {ConnectTimeout: 3 * time.Second},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	if got := origins.Of("mcp.retry.attempts"); got != "environment VG_MCP_RETRY_ATTEMPTS" {
		t.Errorf("origin %s", got)
	}
}

func TestMistakesInTheEnvironment(t *testing.T) {
	for entry, want := range map[string]string{
		"VG_MCP_RETRY_ATEMPTS=5":           "environment: VG_MCP_RETRY_ATEMPTS: no key has this name; did you mean VG_MCP_RETRY_ATTEMPTS?",
		"VG_MCP_SERVERS_ZWAVE_COMAND=x":    "did you mean VG_MCP_SERVERS_ZWAVE_COMMAND?",
		"VG_NOTHING_LIKE_IT_AT_ALL_HERE=x": "config show lists the keys",
		"VG_MCP_RETRY=x":                   "no key has this name",
		"VG_MCP_RETRY_ATTEMPTS=many":       `expected a whole number, got "many"`,
		"VG_MCP_RETRY_ATTEMPTS=":           "expected a whole number",
		"VG_MCP_RETRY_BASE_DELAY=2":        "expected a duration",
		"VG_GATEWAY_ID=a\x1b[2Jb":          "environment: VG_GATEWAY_ID: the control character U+001B stands in it; expected text without it",
	} {
		_, err := Parse("", nil, defaults(), environ(entry))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", entry, err, want)
		}
	}
}

// TestFlatConfiguration stands for a program with flat keys and fixed variable
// names, which uses the same loader.
func TestFlatConfiguration(t *testing.T) {
	type flat struct {
		Broker    string `yaml:"mqtt_broker_url" env:"MQTT_BROKER_URL"`
		Dangerous bool   `yaml:"zwave_allow_dangerous" env:"ZWAVE_ALLOW_DANGEROUS"`
		Topic     string `yaml:"zwave_mqtt_topic" env:"ZWAVE_MQTT_TOPIC"`
	}
	s := flat{Topic: "zwave"}
	o := Options{Environ: []string{"MQTT_BROKER_URL=mqtt://b", "ZWAVE_MQTT_TOPIC=", "UNRELATED=1"}}
	origins, err := Parse("z.yaml", []byte("mqtt_broker_url: mqtt://a\nzwave_allow_dangerous: true"), &s, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := (flat{"mqtt://b", true, "zwave"}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if got := origins.Of("mqtt_broker_url"); got != "environment MQTT_BROKER_URL" {
		t.Errorf("origin %s", got)
	}
	o.Environ = []string{"ZWAVE_ALLOW_DANGEROUS=perhaps"}
	if _, err := Parse("", nil, &s, o); err == nil || !strings.Contains(err.Error(), "expected true or false") {
		t.Errorf("error %v", err)
	}
}

func TestLoadReadsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte("gateway: {id: den}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := defaults()
	if _, err := Load(path, s, prefix); err != nil || s.Gateway.ID != "den" {
		t.Errorf("%v, %q", err, s.Gateway.ID)
	}
	if _, err := Load(path+".none", s, prefix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := Load("", *s, prefix); err == nil {
		t.Error("a destination that cannot be filled is taken")
	}
}

func TestShowHasOriginsAndNoSecrets(t *testing.T) {
	s := defaults()
	origins, err := Parse("x.yaml", []byte(`
mqtt: {broker: "mqtt://family:hunter2@b.lan:1883", token: hunter2, password_file: /run/secret}
mcp: {servers: {zwave: {env: {API_KEY: hunter2, LOG_LEVEL: debug}, headers: {Authorization: Bearer hunter2}}}}
`), s, environ("VG_MCP_RETRY_ATTEMPTS=5"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Show(&out, s, origins); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    attempts: 5 # environment VG_MCP_RETRY_ATTEMPTS\n", "  id: kitchen # default\n", "  words: [hey jarvis] # default\n",
		"  broker: \"mqtt://(hidden)@b.lan:1883\" # x.yaml:2\n", "  password_file: /run/secret # x.yaml:2\n",
		"        LOG_LEVEL: debug # x.yaml:3\n", "        API_KEY: (hidden) # x.yaml:3\n", "  level: low # default\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q", want)
		}
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Error("shows a secret")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// TestShowOfPrograms looks at what programs and servers are given, whatever it is called.
func TestShowOfPrograms(t *testing.T) {
	type server struct {
		URL      string            `yaml:"url"`
		Args     []string          `yaml:"args"`
		Env      map[string]string `yaml:"env"`
		Requires []string          `yaml:"requires"`
	}
	var s struct {
		Servers map[string]server `yaml:"servers"`
	}
	const word = "violet-7"
	origins, err := Parse("x.yaml", []byte(`
servers:
  notes:
    url: "https://me:violet-7@h/mcp?room=violet-7&page=2"
    args: [-v, --token, violet-7, --room=kitchen, "--key=violet-7", "http://h/?a=violet-7", API_KEY=violet-7, ghp_0123456789abcdef]
    env: {COLOUR: violet-7, MODE: fast, FILE: /etc/passwd, PASSWORD: x, ADDRESS: "http://h/"}
    requires: ["http://me:violet-7@h/health?a=violet-7"]
`), &s, environ())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Show(&out, s, origins); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`url: "https://(hidden)@h/mcp?room=(hidden)&page=(hidden)" #`, `requires: ["http://(hidden)@h/health?a=(hidden)"] #`,
		`args: [-v, --token, (hidden), --room=kitchen, --key=(hidden), http://h/?a=(hidden), API_KEY=(hidden), (hidden)] #`,
		`COLOUR: (hidden) #`, `MODE: fast #`, `FILE: /etc/passwd #`, `PASSWORD: (hidden) #`, `ADDRESS: (hidden) #`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q", want)
		}
	}
	if strings.Contains(out.String(), word) || t.Failed() {
		t.Errorf("shown is\n%s", out.String())
	}
}

func TestSecret(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	empty := filepath.Join(dir, "empty")
	for path, text := range map[string]string{file: "from file\n", empty: "\n", filepath.Join(dir, "mqtt.password"): "from systemd"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		environ []string
		file    string
		want    string
		err     string
	}{
		"none":        {nil, "", "", ""},
		"environment": {[]string{"VG_MQTT_PASSWORD=x", "CREDENTIALS_DIRECTORY=" + dir}, file, "x", ""},
		"file":        {[]string{"CREDENTIALS_DIRECTORY=" + dir}, file, "from file", ""},
		"systemd":     {[]string{"CREDENTIALS_DIRECTORY=" + dir}, "", "from systemd", ""},
		"no such one": {[]string{"CREDENTIALS_DIRECTORY=" + t.TempDir()}, "", "", ""},
		"missing":     {nil, file + ".none", "", "mqtt.password_file"},
		"empty":       {nil, empty, "", "is empty"},
	} {
		got, err := environ(append([]string{}, tc.environ...)...).Secret("mqtt.password", tc.file)
		if got != tc.want || (err == nil) != (tc.err == "") || (err != nil && !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestStateDir(t *testing.T) {
	for name, tc := range map[string]struct {
		configured string
		environ    []string
		want       string
	}{
		"configured": {"/srv/vg", []string{"STATE_DIRECTORY=/var/lib/vg"}, "/srv/vg"},
		"systemd":    {"", []string{"STATE_DIRECTORY=/var/lib/vg:/var/lib/more", "HOME=/h"}, "/var/lib/vg"},
		"XDG":        {"", []string{"XDG_STATE_HOME=/x", "HOME=/h"}, "/x/vg"},
		"home":       {"", []string{"HOME=/h"}, "/h/.local/state/vg"},
		"nowhere":    {"", []string{""}, ""},
	} {
		got, err := environ(tc.environ...).StateDir(tc.configured, "vg")
		if got != tc.want || (err != nil) != (tc.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// FuzzLoad checks that no file makes loading panic, and that an accepted file can
// be shown and read again with the same result.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("gateway: {id: hall, level: high}\nmcp: {servers: {a: {args: [x, \"y z\"], env: {A: b}}}}"), "MCP_RETRY_ATTEMPTS", "5")
	f.Add([]byte("wake:\n  words:\n    - \"a: b\"\n    - '#'\n"), "WAKE_WORDS", "a,b")
	f.Add([]byte("a: &x [*x]"), "MCP_SERVERS_X_Y_COMMAND", "")
	f.Add([]byte("mcp: {retry: {base_delay: 1h, multiplier: 1e3}}\n--- "), "MCP_SERVERS_A_ENV_B", "\x00")
	f.Fuzz(func(t *testing.T, file []byte, name, value string) {
		s := defaults()
		origins, err := Parse("x.yaml", file, s, environ("VG_"+name+"="+value))
		if err != nil || strings.Contains(string(file)+value, "@") {
			return
		}
		conceal(s)
		var out bytes.Buffer
		if err := Show(&out, s, origins); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), hidden) || strings.Contains(out.String(), `\x`) {
			return
		}
		again := &settings{}
		if _, err := Parse("shown", out.Bytes(), again, prefix); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		var second bytes.Buffer
		if err := Show(&second, again, origins); err != nil {
			t.Fatal(err)
		}
		if out.String() != second.String() {
			t.Errorf("shown:\n%s\nread again:\n%s", out.String(), second.String())
		}
	})
}

// conceal empties the values that Show would hide.
func conceal(s *settings) {
	s.MQTT.Token = ""
	for name, server := range s.MCP.Servers {
		server.Headers = nil
		s.MCP.Servers[name] = server
	}
}

// SetDefaultsOf makes it known by its command.
func (s *server) SetDefaultsOf(text func(key string) string) {
	if text("command") == "ours" {
		s.ConnectTimeout = time.Minute
	}
}

// TestDefaultsOfWhatIsKnown: an element's own text decides about its defaults, and what the
// file says wins.
func TestDefaultsOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"{command: ours}": time.Minute, "{command: other}": 10 * time.Second, "{command: ours, connect_timeout: 1s}": time.Second,
	} {
		cfg := struct {
			Servers map[string]server `yaml:"servers"`
		}{}
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte("servers: {a: "+text+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file, &cfg, Options{Environ: []string{"X=1"}}); err != nil {
			t.Fatal(err)
		}
		if got := cfg.Servers["a"].ConnectTimeout; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
