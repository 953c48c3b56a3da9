package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/fake"
)

// ward is a broken installation: its configuration, how it is mended, and what is said
// before and after.
type ward struct {
	*testing.T
	dir     string
	config  string
	env     []string
	stdin   string // what the mending command reads
	program string // "": the one that all tests share
	also    string // what is added to the mending command, which here has no internet
}

// newWard makes an installation in which nothing is wrong, except that there is no sound
// card.
func newWard(t *testing.T, config string) *ward {
	t.Helper()
	w := &ward{T: t, dir: t.TempDir()}
	w.config = filepath.Join(w.dir, "voice-gateway.yaml")
	w.env = environ(t)
	for i, kv := range w.env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			w.env[i] = "PATH=" + bin + string(filepath.ListSeparator) + path
		}
	}
	if !strings.Contains(config, "http:") {
		config += "http: {listen: " + fake.FreeAddr(t) + "}\n"
	}
	if !strings.Contains(config, "mqtt:") {
		config += "mqtt: {embedded: {listen: " + fake.FreeAddr(t) + "}}\n"
	}
	if !strings.Contains(config, "ai:") {
		config += "ai: {enabled: false}\n"
	}
	if err := os.WriteFile(w.config, []byte("# ours\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// examined returns what the doctor says about a part; nil if it says nothing about it.
func (w *ward) examined(part string) (all []doctor.Finding) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), cmp.Or(w.program, filepath.Join(bin, "voice-gateway")), "--config", w.config, "doctor", "--json")
	cmd.Env = w.env
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	status := cmd.ProcessState.ExitCode()
	var found []doctor.Finding
	if err := json.Unmarshal(stdout, &found); err != nil {
		w.Fatalf("%v: %s", err, stdout)
	}
	if ill := slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.State == doctor.Ill }); ill != (status == 1) || status > 1 {
		w.Errorf("status %d, %s", status, stdout)
	}
	return slices.DeleteFunc(found, func(f doctor.Finding) bool { return f.Part != part })
}

// mended runs the command that the doctor names.
func (w *ward) mended(f doctor.Finding) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "sh", "-c", strings.TrimPrefix(f.Mend, "sudo ")+w.also) //nolint:gosec // it is what is tested
	cmd.Env, cmd.Stdin = w.env, strings.NewReader(w.stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%s: %v\n%s", f.Mend, err, out)
	}
}

// TestDoctor breaks an installation in the ways that families meet, runs the command
// that the doctor names, and wants the part to be well.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, part string
		state      doctor.State
		text       string // a part of what is said
		config     string
		breaks     func(w *ward) (byHand func()) // nil: the command mends it
	}{
		{"no microphone", "microphone", doctor.Ill, "there is none", "", func(w *ward) func() {
			return func() { setting, _ := fake.SoundCard(w.T, ""); w.env = append(w.env, setting) }
		}},
		{"a microphone of another name", "microphone", doctor.Ill, "no microphone is called Studio", "audio: {input: Studio}\n", func(w *ward) func() {
			setting, _ := fake.SoundCard(w.T, "")
			w.env = append(w.env, setting)
			return nil
		}},
		{"a wrong password of the broker", "broker", doctor.Ill, "the broker cannot be used", "", func(w *ward) func() {
			passwords, addr := filepath.Join(w.dir, "passwords"), fake.FreeAddr(w)
			if out, err := exec.CommandContext(w.Context(), "mosquitto_passwd", "-b", "-c", passwords, "family", "s3cret").CombinedOutput(); err != nil {
				w.Fatalf("%v: %s", err, out)
			}
			locked(w, addr, passwords)
			w.replace("mqtt: ", "mqtt: {broker: mqtt://"+addr+", username: family, password_file: "+w.file("wrong", "wr0ng\n")+"}\nunused: ")
			w.stdin = "s3cret\n"
			return nil
		}},
		{"no model of the wake word", "wake word", doctor.Ill, "there is no model of hey jarvis", "wake: {engine: micro, stop: [stop]}\n", func(w *ward) func() {
			w.also = " --from " + fake.Shared(w.T, "speech", "models") + " hey_jarvis stop"
			return nil
		}},
		{"a server that is not installed", "server music", doctor.Ill, "music-mcp-server", "mcp: {servers: {music: {command: music-mcp-server}}}\n", nil},
		{"no place for the state", "state", doctor.Ill, "nothing can be kept", "", func(w *ward) func() {
			w.replace("# ours\n", "# ours\ngateway: {state_dir: "+w.file("state", "no directory\n")+"}\n")
			return nil
		}},
		{"a port that is taken", "http", doctor.Ill, "is taken by another program", "", func(w *ward) func() {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				w.Fatal(err)
			}
			w.Cleanup(func() { _ = l.Close() })
			w.replace("http: ", "http: {listen: "+l.Addr().String()+"}\nunused: ")
			return nil
		}},
		{"the broker's port is taken", "broker", doctor.Ill, "is taken by another program", "", func(w *ward) func() {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				w.Fatal(err)
			}
			w.Cleanup(func() { _ = l.Close() })
			w.replace("mqtt: ", "mqtt: {embedded: {listen: "+l.Addr().String()+"}}\nunused: ")
			return nil
		}},
		{"a broker that ends large messages", "broker", doctor.Ill, "refuses messages of 256 kB", "", func(w *ward) func() {
			addr := fake.FreeAddr(w)
			small := rig.MosquittoAt(w, addr, "allow_anonymous true", "max_packet_size 20000")
			w.replace("mqtt: ", "mqtt: {broker: mqtt://"+addr+"}\nunused: ")
			return func() {
				small.Stop(w, syscall.SIGTERM)
				rig.MosquittoAt(w, addr)
			}
		}},
		{"an id that is used twice", "id", doctor.Ill, "another gateway with the id kitchen", "", func(w *ward) func() {
			broker := mosquitto(w)
			other := listen(w.T, broker)
			if err := other.PublishRetained(w.Context(), "voice/kitchen/availability", []byte("online")); err != nil {
				w.Fatal(err)
			}
			w.replace("mqtt: ", "mqtt: {broker: "+broker+"}\nunused: ")
			return nil
		}},
		{"a key that has expired", "model", doctor.Ill, "refuses the key", "", func(w *ward) func() {
			server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer new-key" {
					out.WriteHeader(http.StatusUnauthorized)
					return
				}
				out.Header().Set("Content-Type", "application/json")
				_, _ = out.Write([]byte(`{"data":[]}`))
			}))
			w.Cleanup(server.Close)
			w.replace("ai: ", "ai: {enabled: true, base_url: "+server.URL+"/v1, model: x, api_key_file: "+w.file("old", "old-key\n")+"}\nunused: ")
			w.stdin = "new-key\n"
			return nil
		}},
		{"Ollama behind the name of another", "model", doctor.Ill, "ai.base_url is the address of ollama, and ai.profile is openai", "", func(w *ward) func() {
			server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				out.Header().Set("Content-Type", "application/json")
				_, _ = out.Write([]byte(map[string]string{"/api/version": `{"version":"0.9.1"}`, "/v1/models": `{"data":[]}`}[r.URL.Path]))
			}))
			w.Cleanup(server.Close)
			w.replace("ai: ", "ai: {enabled: true, profile: openai, base_url: "+server.URL+"/v1, model: x}\nunused: ")
			return nil
		}},
		{"an old zwave-js-ui", "zwave-js-ui", doctor.Ill, "is version 8.18.1", "", func(w *ward) func() {
			broker := mosquitto(w)
			house := listen(w.T, broker)
			says := func(version string) {
				if err := house.PublishRetained(w.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Home/version", []byte(`{"value":"`+version+`","time":1}`)); err != nil {
					w.Fatal(err)
				}
			}
			says("8.18.1")
			w.replace("mqtt: ", "mqtt: {broker: "+broker+"}\nunused: ")
			return func() { says("11.22.2") }
		}},
		{"a zwave-js-ui that is not running", "zwave-js-ui", doctor.Ill, "says that it is offline", "", func(w *ward) func() {
			broker := mosquitto(w)
			house := listen(w.T, broker)
			says := func(what, value string) {
				if err := house.PublishRetained(w.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Home/"+what, []byte(`{"value":`+value+`,"time":1}`)); err != nil {
					w.Fatal(err)
				}
			}
			says("version", `"11.22.2"`)
			says("status", "false")
			w.replace("mqtt: ", "mqtt: {broker: "+broker+"}\nunused: ")
			return func() { says("status", "true") }
		}},
		{"another prefix of zwave-js-ui", "zwave-js-ui", doctor.Ill, "under the prefix attic, and not under zwave", "", func(w *ward) func() {
			broker := mosquitto(w)
			if err := listen(w.T, broker).PublishRetained(w.Context(), "attic/_CLIENTS/ZWAVE_GATEWAY-Home/version", []byte(`{"value":"11.22.2"}`)); err != nil {
				w.Fatal(err)
			}
			w.replace("mqtt: ", "mqtt: {broker: "+broker+"}\nunused: ")
			return nil
		}},
		{"a voice that is not there", "voice", doctor.Ill, "piper cannot speak", "tts: {engines: [piper], piper: {model: /nowhere/voice.onnx}}\n", nil},
		{"a secret that everybody reads", "secrets", doctor.Poor, "everybody on this machine can read", "", func(w *ward) func() {
			open := w.file("token", "a token of the house\n")
			if err := os.Chmod(open, 0o644); err != nil { //nolint:gosec // that is what is wrong
				w.Fatal(err)
			}
			w.replace("http: {", "http: {token_file: "+open+", ")
			return nil
		}},
		{"a short token", "secrets", doctor.Poor, "the token of http.token_file has fewer than 16 characters", "", func(w *ward) func() {
			w.replace("http: {", "http: {token_file: "+w.file("token", "t0ken\n")+", ")
			w.stdin = "a token of the house\n"
			return nil
		}},
		{"two things of one name", "names", doctor.Poor, "2 things in Office are called Ceiling Light: who says that name is asked which one", "", func(w *ward) func() {
			w.lives("{id: 2, name: Ceiling Light, location: Office, kind: switch}", "{id: 3, name: Ceiling Light, location: Office, kind: switch}")
			return nil
		}},
		{"a name that is not in the dictionary", "names", doctor.Poor, "no dictionary has these words, which are taken to be pronounced so: zelbo (Z EH L B OW)", "", func(w *ward) func() {
			w.lives("{id: 2, name: Zelbo Light, location: Office, kind: switch}")
			return nil
		}},
		{"names that sound alike", "names", doctor.Poor, "confused by ear: ", "", func(w *ward) func() {
			w.lives("{id: 2, name: Bat Light, location: Office, kind: switch}", "{id: 3, name: Pat Light, location: Hall, kind: switch}")
			return nil
		}},
		{"a wrong clock", "clock", doctor.Ill, "the clock says", "", func(w *ward) func() {
			// The clock of the machine stays as it is; the program's file is dated tomorrow.
			w.program = filepath.Join(w.dir, "voice-gateway")
			if out, err := exec.CommandContext(w.Context(), "cp", filepath.Join(bin, "voice-gateway"), w.program).CombinedOutput(); err != nil {
				w.Fatalf("%v: %s", err, out)
			}
			made := func(at time.Time) {
				if err := os.Chtimes(w.program, at, at); err != nil {
					w.Fatal(err)
				}
			}
			made(time.Now().Add(24 * time.Hour))
			return func() { made(time.Now().Add(-time.Hour)) }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t, c.config)
			var byHand func()
			if c.breaks != nil {
				byHand = c.breaks(w)
			}
			before := w.examined(c.part)
			if len(before) != 1 || before[0].State != c.state || !strings.Contains(before[0].Text, c.text) {
				t.Fatalf("before: %+v", before)
			}
			if c.part != "clock" && (before[0].Mend == "") != (byHand != nil) || before[0].Mend == "" && before[0].Do == "" {
				t.Fatalf("how it is mended: %+v", before[0])
			}
			if byHand != nil {
				byHand()
			} else {
				w.mended(before[0])
			}
			for _, f := range w.examined(c.part) {
				if f.State != doctor.Well {
					t.Errorf("after %q: %+v", before[0].Mend, f)
				}
			}
			text, err := os.ReadFile(w.config)
			if err != nil || !strings.HasPrefix(string(text), "# ours\n") {
				t.Errorf("the configuration: %v\n%s", err, text)
			}
		})
	}
}

// TestDoctorTellsWhatStrangersMay asks a broker without passwords, one with passwords, and
// one with the shipped list of rights. Asking switches nothing, and doctor does not
// mistake its own question for another gateway.
func TestDoctorTellsWhatStrangersMay(t *testing.T) {
	t.Parallel()
	list, err := filepath.Abs("../../configs/mosquitto-acl.conf")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		rights string // of the broker
		want   []doctor.Finding
	}{
		"no passwords": {"allow_anonymous true", []doctor.Finding{{State: doctor.Poor, Text: "everybody who reaches the broker may write under zwave"}}},
		"passwords": {"allow_anonymous false", []doctor.Finding{
			{State: doctor.Well, Text: "nobody comes in without a password"}, {State: doctor.Poor, Text: "our own user may answer in the place of zwave-js-ui"},
		}},
		"guests under rights": {"allow_anonymous true\nacl_file " + list, []doctor.Finding{{State: doctor.Well, Text: "nobody without a password may write under zwave"}}},
		"rights":              {"allow_anonymous false\nacl_file " + list, []doctor.Finding{{State: doctor.Well, Text: "nobody comes in without a password"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t, "mcp: {servers: {zwave: {command: zwave-mcp-server, house: true}}}\n")
			passwords, addr := filepath.Join(w.dir, "passwords"), fake.FreeAddr(w)
			if out, err := exec.CommandContext(w.Context(), "mosquitto_passwd", "-b", "-c", passwords, "voice-gateway", "s3cret").CombinedOutput(); err != nil {
				w.Fatalf("%v: %s", err, out)
			}
			brokerWith(w, addr, tt.rights+"\npassword_file "+passwords)
			w.replace("mqtt: ", "mqtt: {broker: mqtt://"+addr+", username: voice-gateway, password_file: "+w.file("password", "s3cret\n")+"}\nunused: ")
			heard := listen(w.T, "mqtt://voice-gateway:s3cret@"+addr, "zwave/#")
			found := w.examined("strangers")
			if len(found) != len(tt.want) {
				t.Fatalf("%+v, expected %+v", found, tt.want)
			}
			for i, f := range found {
				if f.State != tt.want[i].State || !strings.HasPrefix(f.Text, tt.want[i].Text) || (f.State == doctor.Poor) != strings.Contains(f.Do, "mosquitto-acl.conf") {
					t.Errorf("%+v, expected %+v", f, tt.want[i])
				}
			}
			heard.mu.Lock()
			defer heard.mu.Unlock()
			for topic := range heard.heard {
				if !strings.HasPrefix(topic, "zwave/_CLIENTS/nobody/") {
					t.Errorf("asking wrote to %s", topic)
				}
			}
		})
	}
}

// TestAHouseUnderTheShippedRights: with the list of rights that is shipped, and a user
// for each program, a lamp is switched and its own report makes the receipt. A forged
// report and a forged order of another user have no effect.
func TestAHouseUnderTheShippedRights(t *testing.T) {
	t.Parallel()
	list, err := filepath.Abs("../../configs/mosquitto-acl.conf")
	if err != nil {
		t.Fatal(err)
	}
	w := newWard(t, "mcp: {servers: {zwave: {command: zwave-mcp-server, house: true}}}\n")
	passwords, addr := filepath.Join(w.dir, "passwords"), fake.FreeAddr(w)
	w.file("passwords", "")
	for _, user := range []string{"voice-gateway", "zwave-js-ui", "family"} {
		if out, err := exec.CommandContext(w.Context(), "mosquitto_passwd", "-b", passwords, user, "s3cret").CombinedOutput(); err != nil {
			w.Fatalf("%v: %s", err, out)
		}
	}
	brokerWith(w, addr, "allow_anonymous false\npassword_file "+passwords+"\nacl_file "+list)
	house := w.file("house.yaml", "home_id: 3237998099\nnodes:\n  - {id: 2, name: Kitchen Light, location: Kitchen, kind: switch}\n")
	env := append(environ(t), "MQTT_USERNAME=zwave-js-ui", "MQTT_PASSWORD=s3cret")
	start(w, env, filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", "mqtt://"+addr, "--house", house)
	w.replace("mqtt: ", "mqtt: {broker: mqtt://"+addr+", username: voice-gateway, password_file: "+w.file("password", "s3cret\n")+"}\nunused: ")
	family := listen(w.T, "mqtt://family:s3cret@"+addr, "#")
	told := listen(w.T, "mqtt://voice-gateway:s3cret@"+addr, "zwave/#")
	const forged = "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated/api/forged"
	for _, topic := range []string{forged, forged + "/set"} {
		if err := family.Publish(w.Context(), topic, []byte("{}")); err != nil {
			w.Fatal(err)
		}
	}
	said := ""
	eventually(w, "the lamp is switched", func() bool {
		cmd := exec.CommandContext(w.Context(), filepath.Join(bin, "voice-gateway"), "--config", w.config, "ask", "--json", "turn on the kitchen light")
		cmd.Env = w.env
		out, _ := cmd.Output() // a house that is not known yet fails the turn
		said = string(out)
		return strings.Contains(said, `"confirmed":true`)
	})
	if len(told.on(forged))+len(told.on(forged+"/set")) > 0 {
		t.Error("what another user forged has arrived")
	}
	family.mu.Lock()
	defer family.mu.Unlock()
	for topic := range family.heard {
		if strings.HasPrefix(topic, "zwave/") {
			t.Errorf("another user reads %s", topic)
		}
	}
}

// lives starts the gateway of the ward before a house of these nodes, and waits until it
// knows them.
func (w *ward) lives(nodes ...string) {
	w.Helper()
	broker, http := mosquitto(w), fake.FreeAddr(w)
	start(w, environ(w), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--house", w.file("house.yaml", "home_id: 3237998099\nnodes:\n  - "+strings.Join(nodes, "\n  - ")+"\n"))
	w.replace("mqtt: ", "mqtt: {broker: "+broker+"}\nunused: ")
	w.replace("http: ", "http: {listen: "+http+"}\nunused: ")
	w.env = append(w.env, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+filepath.Join(w.dir, "state"))
	start(w, w.env, filepath.Join(bin, "voice-gateway"), "--config", w.config, "run")
	eventually(w, "the house is known", func() bool {
		var told struct{ Entities []any }
		return get(w, http, "/api/home", &told) == nil && len(told.Entities) == len(nodes)
	})
}

// replace changes the configuration as the user wrote it; what follows "unused: " is
// taken out.
func (w *ward) replace(old, new string) {
	w.Helper()
	text, err := os.ReadFile(w.config)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(strings.Replace(string(text), old, new, 1)) {
		if !strings.HasPrefix(line, "unused: ") {
			lines = append(lines, line)
		}
	}
	if err := os.WriteFile(w.config, []byte(strings.Join(lines, "")), 0o600); err != nil {
		w.Fatal(err)
	}
}

// file is a file beside the configuration.
func (w *ward) file(name, text string) string {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// locked starts a broker that wants a password.
func locked(w *ward, addr, passwords string) {
	w.Helper()
	brokerWith(w, addr, "allow_anonymous false\npassword_file "+passwords)
}

// brokerWith starts a broker with these lines about who may do what.
func brokerWith(w *ward, addr, rights string) {
	w.Helper()
	// Without a bound on its queue, this mosquitto ends the connection of a client that
	// publishes what it may not.
	rig.MosquittoAt(w, addr, append(strings.Split(rights, "\n"), "user root", "max_queued_messages 1000")...)
}
