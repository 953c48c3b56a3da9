package e2e

import (
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// mosquitto is a real broker that can be killed and started again.
type mosquitto struct {
	t       *testing.T
	addr    string
	program *rig.Program
}

func newMosquitto(t *testing.T) *mosquitto {
	t.Helper()
	m := &mosquitto{t: t, addr: fake.FreeAddr(t)}
	m.start()
	return m
}

func (m *mosquitto) url() string { return "mqtt://" + m.addr }

func (m *mosquitto) start() { m.program = rig.MosquittoAt(m.t, m.addr) }

func (m *mosquitto) kill() { m.program.Stop(m.t, syscall.SIGKILL) }
