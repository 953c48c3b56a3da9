package mqtt

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The list of rights that is shipped, user by user, at a real broker: only zwave-js-ui
// tells how the house is, only the gateway and zwave-mcp-server ask zwave-js-ui, and
// everybody else writes nothing there.
func TestTheShippedRights(t *testing.T) {
	t.Parallel()
	shipped, err := filepath.Abs("../../../configs/mosquitto-acl.conf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(shipped); err != nil {
		t.Fatal(err)
	}
	passwords := filepath.Join(t.TempDir(), "passwords")
	topics := []string{
		"zwave/_CLIENTS/nobody/api/none/set", "zwave/_CLIENTS/nobody/api/none", "zwave/nobody/37/0/currentValue", "zwave/nobody/37/0/targetValue/set",
		"zwave/_CLIENTS/nobody/status", "zwave/driver/nobody", "voice/nobody/cmd/ask", "voice/nobody/state", "homeassistant/sensor/voice_gateway_nobody/state/config", "elsewhere",
	}
	users := []struct{ name, granted string }{ // + granted, in the order of the topics
		{"voice-gateway", "+-----+++-"},
		{"zwave-mcp-server", "+-----+---"},
		{"zwave-js-ui", "+++++++-+-"},
		{"homeassistant", "------+-+-"},
		{"family", "------+---"},
		{"guest", "------+---"},
	}
	for i, u := range users {
		args := []string{"-b", passwords, u.name, "secret of " + u.name}
		if i == 0 {
			args = append([]string{"-c"}, args...)
		}
		if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m := newMosquitto(t, "allow_anonymous false\npassword_file "+passwords+"\nacl_file "+shipped)
	m.start(t)
	for _, u := range users {
		granted, err := Granted(bounded(t), Config{URL: m.url(), Username: u.name, Password: "secret of " + u.name}, topics...)
		if got := signs(granted); err != nil || got != u.granted {
			t.Errorf("%s: %s, expected %s; %v", u.name, got, u.granted, err)
		}
	}
	for name, cfg := range map[string]Config{"a stranger": {URL: m.url()}, "a wrong password": {URL: m.url(), Username: "zwave-js-ui", Password: "guessed"}} {
		if granted, err := Granted(bounded(t), cfg, topics...); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, %v; expected to be refused", name, granted, err)
		}
	}
	// Who reads what: a message of zwave-js-ui reaches those who may read it.
	reads := map[string]bool{"voice-gateway": true, "zwave-mcp-server": true, "family": false, "homeassistant": false}
	arrived := make(chan string, 2*len(reads))
	for name := range reads {
		c, stop := running(t, Config{URL: m.url(), Username: name, Password: "secret of " + name})
		defer stop()
		if err := c.AwaitConnected(bounded(t)); err != nil {
			t.Fatal(err)
		}
		for _, filter := range []string{"zwave/#", "voice/#"} {
			if err := c.Subscribe(bounded(t), filter, func(topic string, _ []byte, _ bool) { arrived <- name + " " + topic }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, from := range []struct{ user, topic string }{{"zwave-js-ui", "zwave/hall/37/0/currentValue"}, {"voice-gateway", "voice/hall/state"}} { // the second comes last and to all
		c, stop := running(t, Config{URL: m.url(), Username: from.user, Password: "secret of " + from.user})
		defer stop()
		if err := c.AwaitConnected(bounded(t)); err != nil {
			t.Fatal(err)
		}
		if err := c.Publish(bounded(t), from.topic, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for ends := 0; ends < len(reads); {
		select {
		case one := <-arrived:
			got[one] = true
			if strings.HasSuffix(one, " voice/hall/state") {
				ends++
			}
		case <-bounded(t).Done():
			t.Fatalf("only %v arrived", got)
		}
	}
	for name, may := range reads {
		if got[name+" zwave/hall/37/0/currentValue"] != may {
			t.Errorf("%s reads what zwave-js-ui tells: %v, expected %v", name, !may, may)
		}
	}
}

// Without a list of rights, every client with a password may publish below the prefix of
// zwave-js-ui; if the broker needs no password, every client may.
func TestWithoutRightsEverybodyWrites(t *testing.T) {
	t.Parallel()
	m := newMosquitto(t, "")
	m.start(t)
	granted, err := Granted(bounded(t), Config{URL: m.url()}, "zwave/_CLIENTS/nobody/api/none/set", "zwave/_CLIENTS/nobody/api/none")
	if err != nil || signs(granted) != "++" {
		t.Errorf("%s, %v", signs(granted), err)
	}
}

func signs(granted []bool) (all string) {
	for _, one := range granted {
		all += map[bool]string{true: "+", false: "-"}[one]
	}
	return all
}
