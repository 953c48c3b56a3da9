package e2e

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mcpint"
)

// askedAs answers a text with the command ask.
func askedAs(t *testing.T, env []string, text string) (r record.Record) {
	t.Helper()
	out, errs, _ := command(t, env, "ask", "--json", text)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s %s", err, out, errs)
	}
	return r
}

// ran runs a command that must end with a status, and returns what it printed.
func ran(t *testing.T, env []string, status int, args ...string) string {
	t.Helper()
	out, errs, got := command(t, env, args...)
	if got != status {
		t.Errorf("voice-gateway %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, out, errs)
	}
	return out
}

// TestAWordingIsKept: what a model has carried out once is local the next time, until
// it is forgotten.
func TestAWordingIsKept(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	model := &scriptedModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	_, http, env := daemon(t, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
	becomes(t, http, mcpint.Connected)
	const wish = "make the kitchen feel like christmas"
	if r := askedAs(t, env, wish); r.Route != record.RouteModel || !r.Keepable || !confirmed(r) {
		t.Fatalf("the model's turn: %+v", r)
	}
	if out := ran(t, env, 0, "remember", "last"); !strings.Contains(out, "Kitchen Light") {
		t.Errorf("kept: %s", out)
	}
	before := len(model.saw())
	r := askedAs(t, env, wish)
	if r.Route != record.RouteLocal || !confirmed(r) || len(model.saw()) != before || r.Reply != "The kitchen light is on." {
		t.Errorf("the second time: %+v", r)
	}
	if at := r.Timings; at.FirstPublish != nil && at.Total != nil {
		t.Logf("a wording: first publish after %.0f ms (goal 200), the device's own report after %.0f ms", *at.FirstPublish, *at.Total)
	}
	var kept []record.Wording
	if err := get(t, http, "/api/wordings", &kept); err != nil || len(kept) != 1 || kept[0].Error != "" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	ran(t, env, 0, "wordings", "edit", kept[0].ID, "give the kitchen a christmas glow")
	if out := ran(t, env, 0, "wordings"); !strings.Contains(out, "give the kitchen a christmas glow") {
		t.Errorf("the list: %s", out)
	}
	if r := askedAs(t, env, "give the kitchen a christmas glow"); r.Route != record.RouteLocal || !confirmed(r) {
		t.Errorf("with other words: %+v", r)
	}
	ran(t, env, 0, "wordings", "delete", kept[0].ID)
	ran(t, env, 1, "wordings", "delete", kept[0].ID)
	if r := askedAs(t, env, wish); r.Route != record.RouteModel {
		t.Errorf("forgotten: %+v", r)
	}
}

// sentencesWith writes a file with our English sentences and more of some intents.
func sentencesWith(t *testing.T, more map[string]string) string {
	t.Helper()
	data, err := sentences.Pack("en")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, block := range more {
		head := "  " + name + ":\n    data:\n"
		if !strings.Contains(text, head) {
			t.Fatalf("the sentences have no %s", name)
		}
		text = strings.Replace(text, head, head+"      - "+block+"\n", 1)
	}
	file := filepath.Join(t.TempDir(), "en.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMarkedTurnsAreRunAgain: three mistakes of a family before and after a change of
// sentences, with and without a running gateway. Nothing in the house changes.
func TestMarkedTurnsAreRunAgain(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	world := listen(t, broker, "zwave/#")
	state := t.TempDir()
	daemon, http, env := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+state)
	becomes(t, http, mcpint.Connected)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	for _, mistake := range []struct{ said, should string }{
		{"the kitchen wants to glow", "turn on the kitchen light"},
		{"scrub the kitchen light", "turn off the kitchen light"},
		{"dim the bedroom light", "turn on the bedroom light"},
	} {
		ask(t, http, mistake.said)
		if out := ran(t, env, 0, "wrong", "last", "--should", mistake.should); !strings.Contains(out, mistake.should) {
			t.Errorf("marked: %s", out)
		}
	}
	written := func() int { return len(world.on("zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set")) }
	before := written()
	if before == 0 {
		t.Fatal("the commands that were carried out were not seen at the broker")
	}
	mended := sentencesWith(t, map[string]string{
		"HassTurnOn": `{sentences: ["the {area} wants to glow", "dim the {area} light"], slots: {domain: light}}`, "HassTurnOff": `{sentences: ["scrub [the] {name}"]}`,
	})
	for name, tt := range map[string]struct {
		args   []string
		status int
		sum    string
	}{
		"before": {nil, 1, "3 marked: 0 right, 3 wrong, 0 open"},
		"after":  {[]string{"--pack", mended}, 0, "3 marked: 3 right, 0 wrong, 0 open"},
	} {
		out := ran(t, env, tt.status, append([]string{"replay", "--marked"}, tt.args...)...)
		t.Logf("%s:\n%s", name, out)
		if !strings.Contains(out, tt.sum) {
			t.Errorf("%s: %s", name, out)
		}
	}
	one := ran(t, env, 0, "replay", "last", "--json")
	var o record.Replay
	if err := json.Unmarshal([]byte(one), &o); err != nil || !o.Same || len(o.Now.Calls) != 1 || o.Now.Calls[0].OK {
		t.Errorf("one turn: %v %s", err, one)
	}
	if got := written(); got != before {
		t.Errorf("a replay has written %d values", got-before)
	}
	_ = daemon.Process.Signal(os.Interrupt)
	if !daemon.wait() {
		t.Fatal("the gateway does not end")
	}
	if out := ran(t, env, 1, "replay", "--marked"); !strings.Contains(out, "3 marked: 0 right, 3 wrong, 0 open") {
		t.Errorf("without a gateway: %s", out)
	}
	ran(t, env, 2, "replay")
}

// TestASoundIsRunAgain: a recording goes through today's recogniser, beside what was
// heard then.
func TestASoundIsRunAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sound, err := os.ReadFile(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_001.wav")) // turn off the kitchen light
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"turn.wav":  string(sound),
		"turn.json": `{"id":"t-1","source":"mic","area":"Kitchen","transcript":{"text":"turn on the kitchen light"},"route":"local","calls":[{"tool":"set","server":"zwave","args":{"action":"on","device_name":"Kitchen Light"}}]}`,
		"home.json": `{"areas":[{"name":"Kitchen"}],"entities":[{"id":"1","name":"Kitchen Light","domain":"light","area":"Kitchen","abilities":["on_off"],"control":{"tool":"set","id":"Kitchen Light"}}]}`,
		"none.json": `{"id":`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := environ(t, "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t)) // no gateway runs there
	house := filepath.Join(dir, "home.json")
	for file, want := range map[string]struct{ heard, action string }{
		"turn.wav": {"turn off the kitchen light", `"off"`}, "turn.json": {"turn on the kitchen light", `"on"`},
	} {
		var o record.Replay
		out := ran(t, env, 0, "replay", filepath.Join(dir, file), "--home", house, "--json")
		if err := json.Unmarshal([]byte(out), &o); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if o.Now.Transcript.Text != want.heard || o.Then.Transcript.Text != "turn on the kitchen light" || len(o.Now.Calls) != 1 || !strings.Contains(string(o.Now.Calls[0].Args), want.action) {
			t.Errorf("%s: %s", file, out)
		}
	}
	ran(t, env, 1, "replay", filepath.Join(dir, "none.json"), "--home", house)
	ran(t, env, 2, "replay", filepath.Join(dir, "turn.json")) // in which house?
}
