package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	shipped "voicegateway/configs"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// newcomer is an installation without a configuration.
type newcomer struct {
	*testing.T
	config string
	env    []string
}

func newNewcomer(t *testing.T, more ...string) *newcomer {
	t.Helper()
	return &newcomer{t, filepath.Join(t.TempDir(), "etc", "voice-gateway.yaml"), environ(t, more...)}
}

// setup runs the command without a terminal.
func (n *newcomer) setup(flags ...string) (stdout string) {
	n.Helper()
	stdout, stderr, status := command(n, n.env, append([]string{"--config", n.config, "setup"}, flags...)...)
	if status != 0 {
		n.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	return stdout
}

func (n *newcomer) text() string {
	n.Helper()
	text, err := os.ReadFile(n.config)
	if err != nil {
		n.Fatal(err)
	}
	return string(text)
}

// differences returns the lines that are different in the text after a change.
func differences(t *testing.T, before, after string) (changed []string) {
	t.Helper()
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(old) != len(now) {
		t.Fatalf("%d lines became %d:\n%s", len(old), len(now), after)
	}
	for i := range old {
		if old[i] != now[i] {
			changed = append(changed, now[i])
		}
	}
	return changed
}

// sentencesIn are what setup says that one can say.
func sentencesIn(t *testing.T, stdout string) (all []string) {
	t.Helper()
	_, list, ok := strings.Cut(stdout, ":\n   ")
	for line := range strings.Lines("   " + list) {
		if s, said := strings.CutPrefix(line, "   "); said {
			all = append(all, strings.TrimSpace(s))
		}
	}
	if !ok || len(all) != 3 {
		t.Fatalf("%d sentences: %s", len(all), stdout)
	}
	return all
}

// done says every sentence to the gateway that runs, and wants each to be done.
func (n *newcomer) done(sentences []string) {
	n.Helper()
	for _, s := range sentences {
		if r := n.ask(s); r.Outcome != record.Done || r.Route != record.RouteLocal {
			n.Errorf("%q: %+v", s, r)
		}
	}
}

// ask is one turn of the gateway that runs.
func (n *newcomer) ask(text string) (r record.Record) {
	n.Helper()
	stdout, stderr, _ := command(n, n.env, "--config", n.config, "ask", "--json", text)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		n.Fatalf("%q: %v: %s%s", text, err, stdout, stderr)
	}
	return r
}

// TestSetup goes from nothing to sentences that the house has done, in the languages of
// families, and changes nothing when it is run again.
func TestSetup(t *testing.T) {
	t.Parallel()
	for language, prefix := range map[string]string{"en": "zwave", "de": "attic"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			simulate(t, broker, "--prefix", prefix)
			house := listen(t, broker, prefix+"/#")
			eventually(t, "the house is there", func() bool { return house.has(prefix+"/driver/status", "true") })
			n := newNewcomer(t)
			listenAt := fake.FreeAddr(t)
			stdout := n.setup("--yes", "--broker", broker, "--listen", listenAt, "--language", language, "--models", "skip", "--model", "none", "--id", "test")
			sentences := sentencesIn(t, stdout)
			if !strings.Contains(stdout, "zwave-js-ui, at the prefix "+prefix) || !strings.Contains(stdout, "This house has ") {
				t.Errorf("%s", stdout)
			}
			first := n.text()
			changed := differences(t, shipped.Profile, first)
			if want := map[string]int{"en": 4, "de": 7}[language]; len(changed) != want {
				t.Errorf("%d lines were changed, expected %d: %q", len(changed), want, changed)
			}

			c := start(t, n.env, filepath.Join(bin, "voice-gateway"), "--config", n.config, "run")
			eventually(t, "the gateway is ready", func() bool { return get(t, listenAt, "/readyz", new(any)) == nil })
			eventually(t, "the house is known", func() bool {
				var told struct{ Entities []any }
				return get(t, listenAt, "/api/home", &told) == nil && len(told.Entities) > 0
			})
			n.done(sentences)

			again := n.setup("--yes")
			if !strings.Contains(again, "Nothing was changed; the gateway runs.") || n.text() != first {
				t.Errorf("run again: %s", again)
			}
			n.done(sentencesIn(t, again))
			stopped(t, c, n.env)
			if again = n.setup("--yes", "--models", "skip"); n.text() != first {
				t.Errorf("run again without a gateway: %s", again)
			}
			if again = n.setup("--prefix", prefix); !strings.Contains(again, "✓ house          zwave-js-ui, at the prefix "+prefix) || n.text() != first {
				t.Errorf("the prefix alone: %s", again)
			}
			n.setup("--area", "Bathroom")
			if changed := differences(t, first, n.text()); len(changed) != 1 || !strings.Contains(changed[0], "area: Bathroom") {
				t.Errorf("one flag changed %q", changed)
			}
		})
	}
}

// TestSetupStartsTheServiceAnew: with --yes the running service takes the changes, if the
// service manager lets us restart it, by whatever path the file is named. A gateway with
// another file is left alone. A service that was stopped and does not come back is an
// error.
func TestSetupStartsTheServiceAnew(t *testing.T) {
	t.Parallel()
	m := newSystemctl(t)
	n := newNewcomer(t, "PATH="+m.dir+":"+os.Getenv("PATH"))
	listenAt := fake.FreeAddr(t)
	n.setup("--yes", "--broker", "none", "--listen", listenAt, "--models", "skip", "--model", "none", "--id", "test")
	start(t, n.env, filepath.Join(bin, "voice-gateway"), "--config", n.config, "run")
	eventually(t, "the gateway is ready", func() bool { return get(t, listenAt, "/readyz", new(any)) == nil })
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(here, n.config)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		serves        string // the file of the service
		status, after string // of its new start, and how it is then
		flags         []string
		config        string
		asked         bool
		said          string
	}{
		{n.config, "0", "active", []string{"--yes"}, n.config, true, "was restarted"},
		{n.config, "0", "active", []string{"--yes"}, relative, true, "was restarted"},
		{n.config, "0", "active", nil, n.config, false, "sudo systemctl restart"},
		{n.config, "1", "active", []string{"--yes"}, n.config, true, "sudo systemctl restart"},
		{n.config, "1", "failed", []string{"--yes"}, n.config, true, "was stopped and did not start again"},
		{"/etc/another.yaml", "0", "active", []string{"--yes"}, n.config, false, "when it is stopped and started again: "},
	} {
		m.is(c.serves, c.status, c.after)
		stdout, stderr, status := command(t, n.env, append([]string{"--config", c.config, "setup", "--area", fmt.Sprint("Room ", i)}, c.flags...)...)
		if lines := m.told(); (lines == "--no-ask-password restart voice-gateway\n") != c.asked {
			t.Errorf("%d: the service manager was told %q", i, lines)
		}
		stopped := c.after == "failed"
		if !strings.Contains(stdout+stderr, c.said) || (status != 0) != stopped || strings.Contains(stderr, "journalctl -u voice-gateway") != stopped {
			t.Errorf("%d: status %d: %s%s", i, status, stdout, stderr)
		}
	}
}

// systemctl is a service manager whose answers are in files. The program is written once:
// a program that was just written may be busy and fail to start.
type systemctl struct {
	*testing.T
	dir string
}

func newSystemctl(t *testing.T) systemctl {
	t.Helper()
	m := systemctl{t, t.TempDir()}
	script := fmt.Sprintf(`#!/bin/sh
cd %q || exit 9
[ "$2" = show ] && cat now && exit
echo "$*" >>told
cp after now
exit "$(cat status)"
`, m.dir)
	if err := os.WriteFile(filepath.Join(m.dir, "systemctl"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return m
}

// is sets the file with which the service runs, the exit status of a restart, and the
// state of the service after it.
func (m systemctl) is(file, status, after string) {
	m.Helper()
	shown := func(state string) string {
		return fmt.Sprintf("ActiveState=%s\nExecStart={ path=/usr/bin/voice-gateway ; argv[]=voice-gateway run --config %s ; }\n", state, file)
	}
	for name, text := range map[string]string{"now": shown("active"), "after": shown(after), "status": status, "told": ""} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
			m.Fatal(err)
		}
	}
}

// told returns the commands that it received.
func (m systemctl) told() string {
	m.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "told"))
	if err != nil {
		m.Fatal(err)
	}
	return string(text)
}

// TestSetupWithoutBroker continues without a broker, a house, sound or models.
func TestSetupWithoutBroker(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	// Another program has the first port.
	taken := mosquitto(t)
	stdout := n.setup("--yes", "--broker", "none", "--models", "skip", "--model", "none")
	for _, said := range []string{"brings its own", "No house is known yet", "what time is it"} {
		if !strings.Contains(stdout, said) {
			t.Errorf("%q is not said: %s", said, stdout)
		}
	}
	if changed := differences(t, shipped.Profile, n.text()); len(changed) == 0 || !strings.Contains(strings.Join(changed, "\n"), "enabled: false") {
		t.Errorf("%q", changed)
	}
	addr := strings.TrimPrefix(taken, "mqtt://")
	for flag, value := range map[string]string{"--area": "Kit\x1b[2Jchen", "--id": "a/b", "--language": "klingon", "--broker": "foo bar", "--prefix": "a/#"} {
		before := n.text()
		if _, stderr, status := command(t, n.env, "--config", n.config, "setup", flag, value); status != 2 || strings.Contains(stderr, "\x1b") || n.text() != before {
			t.Errorf("%s %q: status %d: %s", flag, value, status, stderr)
		}
	}
	n.setup("--listen", addr)
	if stdout := n.setup("--yes", "--models", "skip"); !strings.Contains(stdout, addr+" is taken by another program") || strings.Contains(n.text(), addr) {
		t.Errorf("a port that is taken: %s", stdout)
	}
}

// TestSetupWithoutTerminal: without a terminal for questions, setup says how to continue,
// and changes nothing.
func TestSetupWithoutTerminal(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	_, stderr, status := command(t, n.env, "--config", n.config, "setup")
	if _, err := os.Stat(n.config); status != 2 || !strings.Contains(stderr, "--yes") || !os.IsNotExist(err) {
		t.Errorf("status %d, %v: %s", status, err, stderr)
	}
	n.setup("--yes", "--broker", "none", "--models", "skip")
	before := n.text()
	if _, stderr, status = command(t, n.env, "--config", n.config, "setup"); status != 2 || !strings.Contains(stderr, "--yes") || n.text() != before {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestSetupAsksAgain is at a terminal, where a wrong password is asked for again, and no
// password is shown.
func TestSetupAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWard(t, "")
	passwords, addr := filepath.Join(w.dir, "passwords"), fake.FreeAddr(w)
	if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", "-b", "-c", passwords, "family", "s3cret").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	locked(w, addr, passwords)
	n := newNewcomer(t)
	dialogue, err := n.typed("family\nwr0ng\n\ns3cret\n", "--broker", addr, "--house", "zwave", "--language", "en", "--id", "test", "--microphone", "default",
		"--speaker", "default", "--wake-word", "hey jarvis", "--models", "skip", "--model", "none", "--area", "Hall", "--listen", fake.FreeAddr(t))
	if err != nil || strings.Count(dialogue, "wants a user and a password") != 1 || strings.Count(dialogue, "refuses the user family: the name or the password is wrong") != 1 ||
		!strings.Contains(dialogue, "mqtt://"+addr+" answers") {
		t.Fatalf("%v: %s", err, dialogue)
	}
	text := n.text()
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "username: family") || !strings.Contains(text, "area: Hall") {
		t.Errorf("%s", text)
	}
	if stdout := n.setup("--yes", "--models", "skip"); !strings.Contains(stdout, "mqtt://"+addr+" answers") || n.text() != text {
		t.Errorf("run again: %s", stdout)
	}
	wrong := w.file("wrong", "wr0ng\n")
	stdout, stderr, status := command(t, n.env, "--config", n.config, "setup", "--yes", "--broker-password-file", wrong)
	if status != 1 || !strings.Contains(stderr, "refuses the user family: the name or the password is wrong") || !strings.Contains(stdout, "Nothing was written.") || n.text() != text {
		t.Errorf("a wrong password, and nobody to ask: status %d: %s%s", status, stdout, stderr)
	}
}

// typed runs setup at a terminal with typed answers.
func (n *newcomer) typed(answers string, flags ...string) (string, error) {
	n.Helper()
	line := "'" + strings.Join(append([]string{filepath.Join(bin, "voice-gateway"), "--config", n.config, "setup"}, flags...), "' '") + "'"
	cmd := exec.CommandContext(n.Context(), "script", "-qec", line, os.DevNull)
	cmd.Env, cmd.Stdin = append(n.env, "SHELL=/bin/sh"), strings.NewReader(answers)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestSetupWithSound listens to the microphone and plays a short sound.
func TestSetupWithSound(t *testing.T) {
	t.Parallel()
	card, played := fake.SoundCard(t, "")
	n := newNewcomer(t, card)
	stdout := n.setup("--yes", "--broker", "none", "--models", fake.Shared(t, "speech", "models"), "--model", "none", "--listen", fake.FreeAddr(t))
	for _, said := range []string{"default gives sound", "default has played a short sound"} {
		if !strings.Contains(stdout, said) {
			t.Errorf("%q is not said: %s", said, stdout)
		}
	}
	sound, err := os.ReadFile(played)
	loud := false
	for _, b := range sound {
		loud = loud || b != 0
	}
	if err != nil || !loud {
		t.Errorf("%d bytes were played, %v: %s", len(sound), err, stdout)
	}
}

// TestHelp answers a newcomer's question with sentences that the house then does.
func TestHelp(t *testing.T) {
	t.Parallel()
	for language, asked := range map[string][]string{
		"en": {"help", "what can you do", "what can I say?"}, "de": {"Hilfe", "Was kannst du?", "was kann ich sagen"},
		"fr": {"aide", "que peux-tu faire ?", "que puis-je dire"}, "es": {"ayuda", "¿qué puedes hacer?", "qué puedo decir"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			simulate(t, broker)
			_, _, env := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_LANGUAGE="+language)
			n := &newcomer{t, "", env}
			for _, text := range asked {
				r := n.ask(text)
				_, list, _ := strings.Cut(strings.TrimSuffix(r.Reply, "."), ": ")
				sentences := strings.Split(list, "; ")
				if len(sentences) < 4 || r.Outcome != record.Done {
					t.Fatalf("%q: %+v", text, r)
				}
				n.done(sentences)
			}
		})
	}
}
