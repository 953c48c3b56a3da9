package e2e

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

var rewrite = flag.Bool("update", false, "write the golden files anew")

// answer is what a person types once the terminal shows a text. The text is looked for in
// what came since the answer before.
type answer struct{ shown, typed string }

// Keys as a terminal sends them.
const (
	enter     = "\r"
	left      = "\x1b[D"
	toStart   = "\x1b[H"
	toEnd     = "\x1b[F"
	backspace = "\x7f"
	ctrlC     = "\x03"
	ctrlU     = "\x15"
)

// person is somebody at a terminal.
type person struct {
	*testing.T
	terminal *os.File
	mu       sync.Mutex
	shown    bytes.Buffer
	ended    chan struct{} // closed when the program has closed the terminal
	read     int           // how much of what was shown has been looked at
}

// sit starts a program at a terminal of its own.
func sit(t *testing.T, cmd *exec.Cmd) *person {
	t.Helper()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	p := &person{T: t, terminal: terminal, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_, _ = io.Copy(p, terminal) // it ends with an error when the program has ended
	}()
	t.Cleanup(func() { _ = terminal.Close(); <-p.ended })
	return p
}

// Write notes what the terminal shows.
func (p *person) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.Write(b)
}

// all is what was shown so far, as bytes.
func (p *person) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// answers types each answer when its text is there.
func (p *person) answers(script []answer) {
	p.Helper()
	for _, a := range script {
		found := rig.Within(p.Context(), rig.Patience, func() bool {
			all := p.all()
			at := strings.Index(all[p.read:], a.shown)
			if at >= 0 {
				p.read = len(all)
			}
			return at >= 0
		})
		if !found {
			p.Fatalf("%q was not shown after this:\n%s", a.shown, screen(p.all()))
		}
		if _, err := io.WriteString(p.terminal, a.typed); err != nil {
			p.Fatal(err)
		}
	}
}

// escape is a command to the terminal.
var escape = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

// screen is what a terminal shows of these bytes.
func screen(bytes string) string {
	lines, row, column := [][]rune{nil}, 0, 0
	for bytes != "" {
		if m := escape.FindStringSubmatch(bytes); m != nil {
			bytes = bytes[len(m[0]):]
			n, err := strconv.Atoi(m[1])
			if err != nil {
				n = 1
			}
			switch m[2] {
			case "A":
				row = max(row-n, 0)
			case "C":
				column += n
			case "D":
				column = max(column-n, 0)
			case "K":
				lines[row] = lines[row][:min(column, len(lines[row]))]
			}
			continue
		}
		r := []rune(bytes)[0]
		bytes = bytes[len(string(r)):]
		switch r {
		case '\r':
			column = 0
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, nil)
			}
		case '\b':
			column = max(column-1, 0)
		default:
			for len(lines[row]) <= column {
				lines[row] = append(lines[row], ' ')
			}
			lines[row][column] = r
			column++
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// dialogue is one run of setup at a terminal: its exit status, and the terminal at its end.
func (n *newcomer) dialogue(program, dir string, script []answer, flags ...string) (status int, shown string) {
	n.Helper()
	cmd := exec.CommandContext(n.Context(), program, append([]string{"setup"}, flags...)...)
	cmd.Env, cmd.Dir = append(n.env, "TERM=xterm", "NO_COLOR=1"), dir
	p := sit(n.T, cmd)
	p.answers(script)
	err := cmd.Wait()
	<-p.ended
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), screen(p.all())
	} else if err != nil {
		n.Fatal(err)
	}
	return 0, screen(p.all())
}

// clone is a clone of the repository with the built program in bin.
func clone(t *testing.T) (dir, program string) {
	t.Helper()
	dir = t.TempDir()
	program = filepath.Join(dir, "bin", "voice-gateway")
	for _, name := range []string{".gitignore", "Makefile", "configs/voice-gateway.yaml"} {
		copyFile(t, filepath.Join("../..", name), filepath.Join(dir, name))
	}
	copyFile(t, filepath.Join(bin, "voice-gateway"), program)
	copyFile(t, filepath.Join(bin, "zwave-mcp-server"), filepath.Join(dir, "bin", "zwave-mcp-server"))
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message", "all")
	return dir, program
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // as in a clone
		t.Fatal(err)
	}
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o755) //nolint:gosec // as in a clone
	}
	if err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// TestSetupInAClone keeps the configuration and the secrets of a clone where git does not
// see them, whichever command writes them, and says that make starts the gateway there.
func TestSetupInAClone(t *testing.T) {
	t.Parallel()
	dir, program := clone(t)
	n := &newcomer{t, filepath.Join(dir, "configs", "local.yaml"), environ(t)}
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env, cmd.Dir, cmd.Stdin = n.env, dir, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", args, err, out)
		}
		return string(out)
	}
	for _, c := range []struct {
		stdin string
		args  []string
		says  string
	}{
		{"s3cret\n", []string{"config", "secret", "mqtt.password"}, "at its next start: make run"},
		{"", []string{"config", "set", "gateway.area", "Hall"}, "at its next start: make run"},
		{"", []string{"setup", "--yes", "--broker", "none", "--listen", fake.FreeAddr(t), "--models", "skip", "--model", "none", "--id", "test"}, "To start the gateway: make run"},
		{"", []string{"config", "show"}, "Hall"},
	} {
		if said := run(c.stdin, c.args...); !strings.Contains(said, c.says) || strings.Contains(said, "systemctl") {
			t.Errorf("%q: expected %q:\n%s", c.args, c.says, said)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "make", "-C", dir, "--dry-run", "run").CombinedOutput(); err != nil || !strings.Contains(string(out), "run --config configs/local.yaml\n") {
		t.Errorf("make run: %v: %s", err, out)
	}
	if seen := git(t, dir, "status", "--porcelain"); seen != "" {
		t.Errorf("git sees\n%s", seen)
	}
	if text := n.text(); !strings.Contains(text, "area: Hall") || !strings.Contains(text, "id: test") || strings.Contains(text, "s3cret") {
		t.Errorf("local.yaml:\n%s", text)
	}
}

// clumsy are people at a terminal, with what they type. Each has a transcript in
// testdata/setup.
func clumsy(broker, zwaveBroker string) map[string]struct {
	flags  []string
	script []answer
	status int
	writes bool
} {
	return map[string]struct {
		flags  []string
		script []answer
		status int
		writes bool
	}{
		"english": {
			[]string{"--broker", "mqtt://127.0.0.1:9", "--model", "none"},
			[]answer{
				{"Language", "klingon" + enter},
				{"Language", "engxlish" + toStart + strings.Repeat("\x1b[C", 4) + backspace + toEnd + enter},
				{"Your house", "5" + enter},
				{"Your house", enter},
				{"y/n", "n" + enter},
				{"Broker", "foo bar" + enter},
				{"Broker", broker + enter},
				{"User", "famly" + left + left + "i" + enter},
				{"Password", "wr0ng" + enter},
				{"User", enter},
				{"Password", "wr0" + ctrlU + "s3cret" + enter},
				{"Room", "99" + enter},
				{"Room", "Ballroom" + enter},
				{"y/n", "perhaps" + enter},
				{"y/n", "n" + enter},
				{"Room", "kitchen" + enter},
				{"Name of this gateway, for its MQTT topics", "a/b" + enter},
				{"Name of this gateway, for its MQTT topics", enter},
				{"Wake word", "jarvis" + enter},
				{"Wake word", enter},
				{"MB", "n" + enter},
			},
			0, true,
		},
		"german": {
			[]string{"--model", "none", "--broker", zwaveBroker},
			[]answer{
				{"Language", "Klingonisch" + enter},
				{"Language", "deutsch" + enter},
				{"y/n", "j" + enter},
				{"Your house", "z-wave" + enter},
				{"Room", "Kü" + "\xc2\x9b" + "che" + enter},
				{"Room", "Küche" + enter},
				{"Name of this gateway, for its MQTT topics", enter},
			},
			0, true,
		},
		"away": {
			[]string{"--model", "none", "--broker", broker},
			[]answer{
				{"Language", "en" + enter},
				{"Your house", "1" + enter},
				{"User", "family" + enter},
				{"Password", "s3cret" + enter},
				{"Room", ctrlC},
			},
			130, false,
		},
	}
}

// TestSetupWithClumsyPeople is at a terminal with people who mistype, do not know and go
// away. Nothing ends before they do, and nothing is written by half. They have no sound card:
// one that this machine has is hidden by a configuration of ALSA that knows only one that is not there.
func TestSetupWithClumsyPeople(t *testing.T) {
	t.Parallel()
	w := newWard(t, "")
	passwords, addr := filepath.Join(w.dir, "passwords"), fake.FreeAddr(w)
	for i, user := range []string{"family", "house"} {
		flags := []string{"-b", passwords, user, "s3cret"}
		if i == 0 {
			flags = append([]string{"-c"}, flags...)
		}
		if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", flags...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	locked(w, addr, passwords)
	rig.Start(t, append(environ(t), "MQTT_USERNAME=house", "MQTT_PASSWORD=s3cret"), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", "mqtt://"+addr)
	for name, c := range clumsy(addr, mosquitto(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t, "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t), noCard(t))
			status, shown := n.dialogue(filepath.Join(bin, "voice-gateway"), t.TempDir(), c.script, append([]string{"--config", n.config}, c.flags...)...)
			_, err := os.Stat(n.config)
			if status != c.status || (err == nil) != c.writes {
				t.Errorf("status %d, %v:\n%s", status, err, shown)
			}
			if !c.writes {
				if left, err := filepath.Glob(filepath.Join(filepath.Dir(n.config), "*")); err != nil || len(left) > 0 {
					t.Errorf("left behind: %q, %v", left, err)
				}
			}
			compareTranscript(t, filepath.Join("testdata", "setup", name+".txt"), n.steady(shown))
		})
	}
}

// steady is a terminal without what is another in each run or on each machine.
func (n *newcomer) steady(shown string) string {
	shown = strings.NewReplacer(n.config, "voice-gateway.yaml", filepath.Join(bin, "voice-gateway"), "voice-gateway").Replace(shown)
	for _, r := range []struct{ is, becomes string }{
		{`127\.0\.0\.1:\d{4,}`, "127.0.0.1:PORT"},
		{`, once \S+ is in the group audio: sudo usermod -aG audio \S+`, ""},
		{`\b\d+ MB`, "66 MB"}, // the recogniser has another size for each kind of processor
	} {
		shown = regexp.MustCompile(r.is).ReplaceAllString(shown, r.becomes)
	}
	return strings.TrimRight(shown, "\n") + "\n"
}

func compareTranscript(t *testing.T, path, got string) {
	t.Helper()
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the other test data
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // as the other test data
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v\ngot:\n%s\nwant:\n%s", path, err, got, want)
	}
}
