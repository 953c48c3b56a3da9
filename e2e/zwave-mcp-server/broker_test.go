package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// mosquitto is a real broker that can be killed and started again. It keeps
// nothing on disk.
type mosquitto struct {
	t    *testing.T
	addr string
	conf string
	cmd  *exec.Cmd
}

func newMosquitto(t *testing.T) *mosquitto {
	t.Helper()
	if _, err := exec.LookPath("mosquitto"); err != nil {
		t.Skip("mosquitto is not installed")
	}
	m := &mosquitto{t: t, addr: fake.FreeAddr(t), conf: filepath.Join(t.TempDir(), "mosquitto.conf")}
	_, port, _ := strings.Cut(m.addr, ":")
	body := fmt.Sprintf("listener %s 127.0.0.1\nallow_anonymous true\npersistence false\n", port)
	if err := os.WriteFile(m.conf, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	m.start()
	t.Cleanup(m.kill)
	return m
}

func (m *mosquitto) url() string { return "mqtt://" + m.addr }

func (m *mosquitto) start() {
	m.cmd = exec.Command("mosquitto", "-c", m.conf)
	if err := m.cmd.Start(); err != nil {
		m.t.Error(err)
	}
}

func (m *mosquitto) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
}

// startBroker runs a broker for one test and returns its address.
func startBroker(t *testing.T) string {
	t.Helper()
	return newMosquitto(t).url()
}
