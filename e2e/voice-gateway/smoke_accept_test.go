//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"voicegateway/internal/keep/record"
)

// announced are the announcements that were published.
func (e *ear) announced(t *testing.T) (all []record.Announcement) {
	t.Helper()
	for _, m := range e.on("voice/test/announce") {
		var a record.Announcement
		if err := json.Unmarshal([]byte(m), &a); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		all = append(all, a)
	}
	return all
}

// TestAcceptSmokeAtNight burns the simulated house in the quiet hours, with the real
// gateway. The alarm rings until a user stops it, is silent about that fire from then on,
// even after a kill, and rings for the next fire, even if the gateway started in the
// middle of it.
func TestAcceptSmokeAtNight(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	stranger, hand := listen(t, broker), listen(t, broker, "zwave/_SIM/#")
	c, http, env := daemon(t, broker, "VOICE_GATEWAY_ANNOUNCE_QUIET=00:00-23:59")
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(what string) {
		said, state := "-", stranger.on("voice/test/state")
		if all := stranger.announced(t); len(all) > 0 {
			said = fmt.Sprintf("%d: %s %s", len(all), all[len(all)-1].Kind, all[len(all)-1].Text)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", what, said, state[len(state)-1])
	}
	rings := func(n int, what string) {
		t.Helper()
		eventually(t, "it rings: "+what, func() bool {
			all, state := stranger.announced(t), stranger.on("voice/test/state")
			return len(all) == n && all[n-1].Kind == record.Alarm && all[n-1].Text == "Smoke in the attic!" && state[len(state)-1] == "speaking"
		})
		row(what)
	}
	rests := func(what string) {
		t.Helper()
		eventually(t, "it rests: "+what, func() bool {
			s := stranger.on("voice/test/state")
			return !slices.Contains([]string{"speaking", "offline"}, s[len(s)-1])
		})
		row(what)
	}
	again := func() {
		t.Helper()
		kill(t, c.Process.Pid)
		c = start(t, env, filepath.Join(bin, "voice-gateway"), "run")
		eventually(t, "the daemon answers again", func() bool { return get(t, http, "/healthz", new(any)) == nil })
		eventually(t, "the next gateway knows that it burns", func() bool {
			r, err := tryAsk(t, http, "is there a fire")
			return err == nil && strings.HasPrefix(r.Reply, "Yes")
		})
	}
	smoke := func(value string) {
		t.Helper()
		hand.happens(t, `{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":`+value+`}`)
	}

	houseThere(t, http, "at the start")
	smoke("2")
	rings(1, "smoke, in the quiet hours")
	eventually(t, "the log says that it rings", func() bool { return strings.Contains(c.stderr.String(), "alarm rings") })
	stranger.say(t, "stop", `{"id":"s1"}`)
	rests("somebody stops it over MQTT")
	eventually(t, "the log has it", func() bool { return strings.Contains(c.stderr.String(), "alarm acknowledged") })
	again()
	rests("killed and started while it burns")
	if n := len(stranger.announced(t)); n != 1 {
		t.Errorf("%d announcements after a restart, expected the one before: %+v", n, stranger.announced(t))
	}
	smoke("0")
	eventually(t, "its end is published", func() bool { a := stranger.announced(t); return a[len(a)-1].Kind == record.Cleared })
	row("the smoke is gone")
	smoke("2")
	rings(3, "smoke again")
	again()
	rings(4, "killed and started before anybody has heard it")
	smoke("0")
	eventually(t, "its end is told", func() bool {
		a := stranger.announced(t)
		return len(a) == 5 && a[4].Text == "The attic smoke alarm is quiet again."
	})
	rests("the smoke is gone before anybody said stop")
	_ = w.Flush()
	t.Logf("\n%s", &table)
}
