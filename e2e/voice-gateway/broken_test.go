package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/zwave/sim"
)

// symptom is what is shown and said while something is broken.
type symptom struct {
	name   string
	health string // of the whole gateway, in /readyz
	pill   string // a part of the text of the pill
	part   string // that the doctor speaks about; "": it is not asked
	state  doctor.State
	text   string // a part of what the doctor says
	voice  string // a part of the reply to asked
	asked  string // "": is everything all right
}

// patient is a gateway in which things are broken one after the other.
type patient struct {
	*testing.T
	http string
	env  []string
	log  *rig.Output
}

// readyz is the answer of /readyz, from which the page shows the state of the gateway.
type readyz struct {
	Health string
	MCP    string
	Parts  []struct{ Name, State, Health, Said, Why string }
}

// pill is the text that the page shows: what is said of the parts that are worst.
func (r readyz) pill() string {
	var said []string
	for _, p := range r.Parts {
		if p.Health == r.Health && r.Health != "well" {
			said = append(said, p.Said)
		}
	}
	return strings.Join(said, " · ")
}

// shows waits until the page and the voice show a symptom, then asks the doctor, and
// returns the line of the table.
func (p patient) shows(s symptom) {
	p.Helper()
	var ready readyz
	held := rig.Within(p.Context(), rig.Patience, func() bool {
		ready = readyz{}
		return get(p, p.http, "/readyz", &ready) == nil && ready.Health == s.health && strings.Contains(ready.pill(), s.pill)
	})
	if !held {
		p.Errorf("%s: the page shows %q, %q of %+v", s.name, ready.Health, ready.pill(), ready.Parts)
	}
	asked := s.asked
	if asked == "" {
		asked = "is everything all right"
	}
	said, _, _ := command(p, p.env, "ask", asked)
	if !strings.Contains(said, s.voice) || s.health == "well" != (said == "Everything is all right.\n") {
		p.Errorf("%s: %q is answered %q, expected %q", s.name, asked, said, s.voice)
	}
	told := doctor.Finding{}
	for _, f := range examine(p, p.env) {
		if f.Part == s.part && (told.Part == "" || f.State == s.state && strings.Contains(f.Text+" "+f.Do, s.text)) {
			told = f
		}
	}
	if s.part != "" && (told.State != s.state || !strings.Contains(told.Text+" "+told.Do, s.text) || told.State != doctor.Well && told.Mend == "" && told.Do == "") {
		p.Errorf("%s: the doctor says %+v, expected %s: %s", s.name, told, s.state, s.text)
	}
	p.Logf("| %s | %s: %s | %s %s: %s | %s |", s.name, ready.Health, ready.pill(), told.State, told.Part, strings.TrimSpace(told.Text+" "+told.Do), strings.TrimSpace(said))
}

// examine is everything that the doctor finds.
func examine(tb testing.TB, env []string, flags ...string) (all []doctor.Finding) {
	tb.Helper()
	out, errs, _ := command(tb, env, append(flags, "doctor", "--json")...)
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		tb.Fatalf("%v: %s %s", err, out, errs)
	}
	return all
}

// smallDisk mounts a disk of 256 KiB. Where that is not allowed, which is not so for root, it
// returns an ordinary directory, and small is false.
func smallDisk(t *testing.T) (dir string, small bool) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("no disk is filled here: %v", err)
		return dir, false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting the small disk: %v", err)
		}
	})
	return dir, true
}

// raise makes an empty file, the flag for something.
func raise(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenMachines breaks one machine after the other, and compares what the page, the
// doctor and the voice say: they name the same part, and none of them says that all is well.
func TestBrokenMachines(t *testing.T) {
	t.Parallel()
	t.Run("one that was well", func(t *testing.T) {
		t.Parallel()
		breakOneByOne(t)
	})
	t.Run("a house that is not known", func(t *testing.T) {
		t.Parallel()
		script := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 9\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		c, http, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+script, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir(),
			"VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=10ms", soundCard(t))
		patient{t, http, env, c.stderr}.shows(symptom{"the server of the house is broken", "ill", "The program for Z-Wave has stopped.", "server zwave", doctor.Ill, "What it wrote before it ended says why.", "The program for Z-Wave has stopped.", "turn on the kitchen light"})
	})
	t.Run("a house whose program is not installed", func(t *testing.T) {
		t.Parallel()
		c, http, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND=no-such-server", "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir(),
			"VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=10ms", soundCard(t))
		patient{t, http, env, c.stderr}.shows(symptom{"the program of the house is not installed", "ill", "The program for Z-Wave is not installed.", "server zwave", doctor.Ill, "Install the program", "The program for Z-Wave is not installed.", "turn on the kitchen light"})
	})
	t.Run("a wrong password of the broker", func(t *testing.T) {
		t.Parallel()
		passwords, addr, wrong := filepath.Join(t.TempDir(), "passwords"), fake.FreeAddr(t), filepath.Join(t.TempDir(), "wrong")
		if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", "-b", "-c", passwords, "family", "s3cret").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.WriteFile(wrong, []byte("wr0ng\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		rig.MosquittoAt(t, addr, "allow_anonymous false", "password_file "+passwords, "user root")
		c, http, env := daemon(t, "mqtt://"+addr, "VOICE_GATEWAY_MQTT_USERNAME=family", "VOICE_GATEWAY_MQTT_PASSWORD_FILE="+wrong,
			"VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir(), soundCard(t))
		patient{t, http, env, c.stderr}.shows(symptom{"a wrong password of the broker", "ill", "The MQTT broker refuses the password.", "broker", doctor.Ill, "refused the credentials", "The MQTT broker refuses the password.", "turn on the kitchen light"})
	})
	t.Run("a broker that refuses large messages", func(t *testing.T) {
		t.Parallel()
		addr := fake.FreeAddr(t)
		rig.MosquittoAt(t, addr, "allow_anonymous true", "message_size_limit 20000")
		house, err := rig.PlayHouse(sim.DefaultConfig(), "mqtt://"+addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(house.Stop)
		c, http, env := daemon(t, "mqtt://"+addr, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir(), soundCard(t))
		patient{t, http, env, c.stderr}.shows(symptom{"a broker that refuses large messages", "ill", "the MQTT broker seems to refuse large messages", "broker", doctor.Ill, "refuses messages of 256 kB", "the MQTT broker seems to refuse large messages", "turn on the kitchen light"})
	})
}

// losesTimers starts where the file of the timers was damaged: that is shown and spoken of
// once, the file is kept, and timers work. It ends when the file is removed.
func (p patient) losesTimers(state string, witness *ear) {
	p.Helper()
	p.shows(symptom{"a damaged file of timers", "poor", "I have lost the timers.", "lost", doctor.Poor, "timers.json.broken-", "I have lost the timers.", ""})
	unasked := func() []string {
		return slices.DeleteFunc(witness.on("voice/test/reply"), func(m string) bool { return !strings.Contains(m, `"turn":""`) })
	}
	eventually(p, "the loss is spoken of", func() bool { return len(unasked()) > 0 })
	if said := unasked(); len(said) != 1 || !strings.Contains(said[0], "I have lost the timers.") {
		p.Errorf("unasked, it said %q", said)
	}
	for _, request := range []string{"set a timer for ten minutes", "cancel the timer"} {
		if said, errs, status := command(p, p.env, "ask", request); status != 0 {
			p.Errorf("%s: %s %s", request, said, errs)
		}
	}
	kept, err := filepath.Glob(filepath.Join(state, "timers.json.broken-*"))
	if err != nil || len(kept) != 1 {
		p.Fatalf("the damaged file is kept as %v, %v", kept, err)
	}
	if err := os.Remove(kept[0]); err != nil {
		p.Fatal(err)
	}
}

// fillsDisk fills the small disk of the state, and empties it.
func (p patient) fillsDisk(state string) {
	p.Helper()
	filler := filepath.Join(state, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		p.Fatal("the disk is not small")
	}
	p.shows(symptom{"the disk is full", "ill", "The disk is full.", "state", doctor.Ill, "full", "The disk is full.", ""})
	if err := os.Remove(filler); err != nil {
		p.Fatal(err)
	}
}

// soundCard is the setting of a card with a microphone and a speaker.
func soundCard(t *testing.T) string {
	t.Helper()
	setting, _ := fake.SoundCard(t, "")
	return setting
}

// breakOneByOne breaks the parts of one gateway, and mends each before the next.
func breakOneByOne(t *testing.T) {
	t.Helper()
	flags := t.TempDir()
	noMic, noSpeaker := filepath.Join(flags, "no-mic"), filepath.Join(flags, "no-speaker")
	card, _ := fake.SoundCard(t, fmt.Sprintf("gone %q", noMic), fmt.Sprintf("gone %q", noSpeaker))
	state, small := smallDisk(t)
	if err := os.WriteFile(filepath.Join(state, "timers.json"), []byte(`{"timers": [{"id": "1", `), 0o600); err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(&scriptedModel{})
	defer model.Close()
	addr := fake.FreeAddr(t)
	broker := mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	hand := listen(t, "mqtt://"+addr)
	// Without names, each half of the simulated card would stand in for the other.
	c, http, env := daemon(t, "mqtt://"+addr, card, "VOICE_GATEWAY_AUDIO_INPUT=simmic", "VOICE_GATEWAY_AUDIO_OUTPUT=simspk", "VOICE_GATEWAY_GATEWAY_STATE_DIR="+state,
		"VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+model.URL+"/v1")
	becomes(t, http, mcpint.Connected)
	p := patient{t, http, env, c.stderr}
	fault := func(operation string) {
		t.Helper()
		if err := hand.Publish(t.Context(), "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault/set", []byte(operation)); err != nil {
			t.Fatal(err)
		}
	}
	do := func(args ...string) { command(t, env, args...) }
	eventually(t, "the house is calm", func() bool {
		for _, request := range []string{"lock everything", "close everything"} {
			do("ask", request)
		}
		said, _, _ := command(t, env, "ask", "is everything all right")
		return said == "Everything in the house is all right. I have lost the timers.\n"
	})
	p.losesTimers(state, hand)
	p.shows(symptom{"none", "well", "", "microphone", doctor.Well, "", "Everything is all right.", ""})

	raise(t, noMic)
	p.shows(symptom{"no microphone", "ill", "The microphone is missing", "microphone", doctor.Ill, "simmic", "The microphone is missing", ""})
	do("mute", "on")
	p.shows(symptom{"muted and no microphone", "ill", "The microphone is missing", "microphone", doctor.Ill, "simmic", "The microphone is missing", ""})
	if muted := examine(t, env); !slices.ContainsFunc(muted, func(f doctor.Finding) bool { return f.Part == "microphone" && f.Text == "it is muted" }) {
		t.Errorf("the doctor does not say that it is muted: %+v", muted)
	}
	do("mute", "off")
	if err := os.Remove(noMic); err != nil {
		t.Fatal(err)
	}

	raise(t, noSpeaker)
	do("say", "hello")
	p.shows(symptom{"no speaker", "poor", "The speaker is missing", "speaker", doctor.Ill, "", "The speaker is missing", ""})
	if err := os.Remove(noSpeaker); err != nil {
		t.Fatal(err)
	}
	do("say", "hello")

	fault(`{"op":"stick_out"}`)
	p.shows(symptom{"the stick is pulled out", "ill", "Check the Z-Wave stick.", "house", doctor.Ill, "stick", "stick", ""})
	fault(`{"op":"clear"}`)

	if small {
		p.fillsDisk(state)
	}

	model.CloseClientConnections()
	model.Listener.Close()
	do("ask", "why is the sky blue")
	p.shows(symptom{"the model is away", "poor", "The language model is away.", "model", doctor.Poor, "refused", "The language model is away.", ""})

	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("gateway: {id: other}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range examine(t, env, "--config", other) {
		if f.Part == "gateway" {
			t.Logf("| another gateway on the port | | %s gateway: %s | |", f.State, f.Text)
			if f.State != doctor.Ill || !strings.Contains(f.Text, "another configuration") || !strings.Contains(f.Text, fmt.Sprint(c.Process.Pid)) {
				t.Errorf("of another gateway on its port, the doctor says %+v", f)
			}
		}
	}

	broker.Stop(t, syscall.SIGTERM)
	p.shows(symptom{"the broker is away", "ill", "The MQTT broker is away.", "broker", doctor.Ill, "connection refused", "broker", "turn on the kitchen light"})
}

// TestASilentPort: a program that takes connections and says nothing has the port of the
// gateway. The doctor finds that out in one attempt and says so.
func TestASilentPort(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	found := examine(t, environ(t, "VOICE_GATEWAY_HTTP_LISTEN="+silent.Addr().String(), "VOICE_GATEWAY_MQTT_EMBEDDED_LISTEN="+fake.FreeAddr(t), "VOICE_GATEWAY_AI_ENABLED=false"))
	for _, f := range found {
		if f.Part == "gateway" {
			t.Log(f)
			if f.State != doctor.Ill || !strings.Contains(f.Text, "says nothing") {
				t.Errorf("the doctor says %+v", f)
			}
		}
	}
}
