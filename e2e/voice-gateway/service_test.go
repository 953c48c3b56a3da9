package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
)

// manager is a service manager that only listens.
type manager struct {
	*net.UnixConn
	mu   sync.Mutex
	said []string
}

// notified opens the socket a service tells its manager through.
func notified(t *testing.T) (m *manager, path string) {
	t.Helper()
	path = fmt.Sprintf("@%s-%d", t.Name(), os.Getpid()) // the path of a file here can be longer than a socket's name
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	m = &manager{UnixConn: socket}
	var reading sync.WaitGroup
	reading.Go(func() {
		b := make([]byte, 8192)
		for {
			n, err := socket.Read(b)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.said = append(m.said, strings.Split(string(b[:n]), "\n")...)
			m.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		_ = socket.Close()
		reading.Wait()
	})
	return m, path
}

// count returns how many lines with these words there were so far.
func (m *manager) count(words string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, s := range m.said {
		if strings.Contains(s, words) {
			n++
		}
	}
	return n
}

// A service without a microphone and without its servers is ready, says what is missing,
// and is alive; later arrivals are reported.
func TestTheServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	m, socket := notified(t)
	addr := fake.FreeAddr(t)
	c, _, _ := daemon(t, "mqtt://"+addr, "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=900000")
	eventually(t, "it is ready, without microphone, broker and server", func() bool { return m.count("READY=1") == 1 })
	eventually(t, "it says so", func() bool {
		return m.count("STATUS=no microphone, text commands work; 0 devices; MCP DISCONNECTED; no MQTT broker") > 0
	})
	eventually(t, "it is alive", func() bool { return m.count("WATCHDOG=1") >= 3 })

	mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	eventually(t, "the house is told", func() bool { return m.count("devices; MCP FULL") > 0 })
	if m.count("READY=1") != 1 || m.count("STOPPING=1") != 0 {
		t.Errorf("told %q", m.said)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	eventually(t, "it says that it stops", func() bool { return m.count("STOPPING=1") == 1 })
}

// launcherService runs the service that starts the servers of others, with its socket.
func launcherService(t *testing.T) (c *child, socket string) {
	t.Helper()
	socket = fmt.Sprintf("@%s-%d", t.Name(), os.Getpid())
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	in, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(bin, "voice-gateway"), "worker", "servers")
	cmd.Env, cmd.Stdin = append(environ(t), "HOME="+t.TempDir()), in
	return newChild(rig.StartCommand(t, cmd)), socket
}

// parentOf is the number of the process that started another one.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// Under the packaged units the gateway starts its own server, and the service beside it
// those of others, which end with the gateway.
func TestServersOfOthersHaveAServiceOfTheirOwn(t *testing.T) {
	t.Parallel()
	launcher, socket := launcherService(t)
	config := filepath.Join(t.TempDir(), "house.yaml")
	other := fmt.Sprintf(`mcp:
  servers:
    zwave: {args: []}
    other: {command: sh, args: [-c, 'echo "its home is $HOME" >&2; exec %s/zwave-mcp-server']}
    node: {command: sh, args: [-c, 'echo "3: v8::internal::MemoryAllocator::SetPermissionsOnExecutableMemoryChunk()" >&2; kill -TRAP $$']}
    notes: {command: sh, args: [-c, 'echo "Error: EROFS: read-only file system, mkdir /srv/notes" >&2; exit 1']}
`, bin)
	if err := os.WriteFile(config, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	c, addr, env := daemonWith(t, []string{"--config", config}, "mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_MCP_LAUNCHER="+socket)
	parents := map[string]int{}
	pids := map[string]int{}
	eventually(t, "two servers are connected, and two have failed", func() bool {
		var list servers
		failed := 0
		if err := get(t, addr, "/mcp/servers", &list); err != nil {
			t.Fatal(err)
		}
		for _, s := range list.Servers {
			if s.Status == mcpint.Connected && s.PID != nil {
				pids[s.ID] = *s.PID
			}
			if s.ErrorMessage != nil {
				failed++
			}
		}
		return len(pids) == 2 && failed == 2
	})
	for id, pid := range pids {
		parents[id] = parentOf(t, pid)
	}
	if parents["zwave"] != c.Process.Pid || parents["other"] != launcher.Process.Pid {
		t.Errorf("the gateway is %d and the service %d; they started %v", c.Process.Pid, launcher.Process.Pid, parents)
	}
	said, _, _ := command(t, env, "--config", config, "doctor", "--json")
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(said), &found); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for part, want := range map[string]string{"server node": "MemoryDenyWriteExecute=no", "server notes": "ReadWritePaths="} {
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool {
			return f.Part == part && f.State == doctor.Ill && strings.Contains(f.Text, want) && f.Mend == "sudo systemctl edit voice-gateway-servers"
		}) {
			t.Errorf("the doctor does not say what stops the %s: %s", part, said)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server of others has ended", func() bool { return syscall.Kill(pids["other"], 0) != nil })
}

// TestACrashIsNoWrongCall: after the watchdog has killed a daemon that hangs, the unit
// restarts it.
func TestACrashIsNoWrongCall(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../../configs/voice-gateway.service")
	if err != nil {
		t.Fatal(err)
	}
	var environment []string
	prevented := ""
	for line := range strings.Lines(string(unit)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "Environment":
			environment = append(environment, value)
		case "RestartPreventExitStatus":
			prevented = value
		}
	}
	if prevented == "" || len(environment) == 0 {
		t.Fatalf("the unit prevents %q, with %q", prevented, environment)
	}
	m, socket := notified(t)
	env := environ(t, append(environment, "NOTIFY_SOCKET="+socket, "VOICE_GATEWAY_MQTT_BROKER=mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t),
		"VOICE_GATEWAY_GATEWAY_ID=test", "VOICE_GATEWAY_AI_ENABLED=false")...)
	// As under the unit, no core file is left behind.
	c := start(t, env, "/bin/sh", "-c", `ulimit -c 0; exec "$@"`, "sh", filepath.Join(bin, "voice-gateway"), "run")
	eventually(t, "it is ready", func() bool { return m.count("READY=1") == 1 })
	if err := c.Process.Signal(syscall.SIGABRT); err != nil {
		t.Fatal(err)
	}
	if !c.wait() {
		t.Fatal("it did not end")
	}
	err = c.Wait()
	ended, _ := errors.AsType[*exec.ExitError](err)
	if ended == nil || fmt.Sprint(ended.ExitCode()) == prevented {
		t.Errorf("it ended with %v, which the unit takes for a wrong call", err)
	}
}

// Every profile is a configuration a daemon would start with, on a machine that
// has nothing else.
func TestProfilesAreValid(t *testing.T) {
	t.Parallel()
	profiles, err := filepath.Glob("../../configs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range profiles {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if strings.HasSuffix(name, "-mcp-server") || name == "prometheus-rules" {
			continue // of other programs
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, errs, status := command(t, environ(t), "config", "check", "--config", path); status != 0 || errs != "" {
				t.Errorf("status %d: %s%s", status, out, errs)
			}
		})
	}
	if len(profiles) < 6 {
		t.Errorf("profiles: %q", profiles)
	}
}

// installer runs scripts/install.sh with a root of its own.
func installer(t *testing.T, root, what string, env ...string) (said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../scripts/install.sh", what)
	cmd.Env = append(environ(t), append([]string{"DESTDIR=" + root, "BIN=" + bin}, env...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s%s", what, err, out, stderr.String())
	}
	return string(out)
}

// tree lists the files below a directory.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	if err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, root))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestInstallKeepsWhatIsTheUsers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	installer(t, root, "install", "PREFIX=/usr", "PROFILE=offline")
	want := []string{
		"/etc/voice-gateway/voice-gateway.yaml", "/usr/bin/home-assistant-mcp-server", "/usr/bin/voice-gateway", "/usr/bin/zwave-mcp-server",
		"/usr/lib/systemd/system/voice-gateway-servers.service", "/usr/lib/systemd/system/voice-gateway-servers.socket",
		"/usr/lib/systemd/system/voice-gateway.service",
	}
	const profile = "/etc/voice-gateway/profile"
	if got := tree(t, root); !slices.Equal(got, append([]string{profile}, want...)) {
		t.Errorf("installed %q", got)
	}
	for _, dir := range []string{"/etc/voice-gateway/credentials", "/var/lib/voice-gateway", "/var/lib/voice-gateway/models"} {
		if info, err := os.Stat(root + dir); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	unit, err := os.ReadFile(root + want[len(want)-1])
	if err != nil || !strings.Contains(string(unit), "ExecStart=/usr/bin/voice-gateway run --config /etc/voice-gateway/voice-gateway.yaml\n") {
		t.Errorf("unit: %v\n%s", err, unit)
	}
	// The profile need not be named again.
	if said := installer(t, root, "install", "PREFIX=/usr"); said != "" {
		t.Errorf("the second time it did: %s", said)
	}

	own := []byte("gateway: {id: mine}\n")
	if err := os.WriteFile(root+want[0], own, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := installer(t, root, "install", "PREFIX=/usr"); !strings.Contains(said, "kept") {
		t.Errorf("it said %q", said)
	}
	shipped, err1 := os.ReadFile("../../configs/offline.yaml")
	beside, err2 := os.ReadFile(root + want[0] + ".new")
	kept, err3 := os.ReadFile(root + want[0])
	if err1 != nil || err2 != nil || err3 != nil || !bytes.Equal(kept, own) || !bytes.Equal(beside, shipped) {
		t.Errorf("%v, %v, %v; kept %q, beside it %q", err1, err2, err3, kept, beside)
	}

	installer(t, root, "uninstall", "PREFIX=/usr")
	if got := tree(t, root); !slices.Equal(got, []string{profile, want[0], want[0] + ".new"}) {
		t.Errorf("left: %q", got)
	}
}

// worstExposure is what systemd's own judgement of a unit must stay under, on
// its scale from 0 (safe) to 10, in tenths.
const worstExposure = "15"

func TestTheUnitsAreSoundAndShut(t *testing.T) {
	t.Parallel()
	judge, err := exec.LookPath("systemd-analyze") //nolint:misspell // the name of the program
	if err != nil {
		t.Fatalf("there is no systemd here to judge the units; make setup installs it: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"voice-gateway-servers.socket", "voice-gateway-servers.service", "voice-gateway.service"} {
		text, err := os.ReadFile("../../configs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		unit := filepath.Join(dir, name)
		// The program has to be there for a check.
		text = bytes.ReplaceAll(text, []byte("/usr/local/bin/"), []byte(bin+"/"))
		if err := os.WriteFile(unit, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"voice-gateway-servers.service", "voice-gateway.service"} {
		unit := filepath.Join(dir, name)
		for _, args := range [][]string{
			{"verify", "--man=no", unit},
			{"security", "--offline=true", "--no-pager", "--threshold=" + worstExposure, unit},
		} {
			out, err := exec.CommandContext(t.Context(), judge, args...).CombinedOutput()
			if strings.Contains(string(out), " option") {
				t.Fatalf("this systemd is older than 250, and cannot judge the units: %s", out)
			}
			about := strings.Contains(string(out), unit+":") // faults of other units of this machine are not ours
			if err != nil || args[0] == "verify" && about {
				t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
	}
}
