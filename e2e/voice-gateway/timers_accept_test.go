//go:build accept

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// survivor is a gateway that is killed and started again, with its timers, a broker
// that is lost, and a house.
type survivor struct {
	t        *testing.T
	c        *child
	addr     string // of its HTTP interface
	env      []string
	stranger *ear
	witness  *ear
	table    strings.Builder
	wrong    int
}

// TestAcceptTimersSurvive kills the daemon three times with timers that wait, ring and
// carry commands, and loses the broker once: nothing is lost, and nothing is done
// twice. It prints what was there after each.
func TestAcceptTimersSurvive(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	broker := mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	k := &survivor{t: t, stranger: listen(t, "mqtt://"+addr), witness: listen(t, "mqtt://"+addr, "zwave/#")}
	k.c, k.addr, k.env = daemon(t, "mqtt://"+addr, soundCard(t)) // what no speaker plays does not ring for long
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, k.addr, "turn off the kitchen light")) })
	writes := len(k.witness.on(writeTopic))

	k.stranger.say(t, "timer", `{"id":"m1","action":"start","name":"pasta","seconds":3600}`)
	k.stranger.say(t, "timer", `{"id":"m1","action":"start","name":"pasta","seconds":3600}`) // sent twice
	eventually(t, "it is told on MQTT", func() bool { return k.stranger.has("voice/test/timers", `"name":"pasta"`) })
	k.post(`{"name":"daily","at":"`+time.Now().Add(-time.Hour).Format("15:04")+`","every":"day"}`, http.StatusCreated)
	k.post(`{"name":"mum","text":"call mum","seconds":7200}`, http.StatusCreated)
	k.post(`{"name":"tea","seconds":600}`, http.StatusCreated)
	k.post(`{"action":"pause","name":"tea"}`, http.StatusOK)
	k.post(`{"name":"eggs","seconds":1}`, http.StatusCreated)
	k.check("before", "eggs ringing", "pasta running", "mum running", "daily running", "tea paused")

	k.kill("killed while one rings")
	k.check("after the first kill", "eggs ringing", "pasta running", "mum running", "daily running", "tea paused")
	k.stranger.say(t, "timer", `{"id":"m2","action":"stop","name":"eggs"}`)
	k.check("stopped", "pasta running", "mum running", "daily running", "tea paused")

	k.post(`{"name":"lamp","command":"turn on the kitchen light","seconds":5}`, http.StatusCreated)
	k.kill("killed with a command that waits")
	k.check("after the second kill", "pasta running", "mum running", "daily running", "tea paused")
	k.carried("turn on the kitchen light")
	k.kill("killed after it was carried out")
	k.check("after the third kill", "pasta running", "mum running", "daily running", "tea paused")
	if n := len(k.witness.on(writeTopic)) - writes; n != 1 {
		k.fail("the light was written %d times, expected once: %q", n, k.witness.on(writeTopic)[writes:])
	}
	k.row("writes to the light: %d", len(k.witness.on(writeTopic))-writes)
	refused := `{"name":"door","command":"unlock the front door","seconds":2}`
	eventually(t, "the house is known again", func() bool { return confirmed(ask(t, k.addr, "turn off the kitchen light")) })
	k.post(refused, http.StatusConflict)

	kill(t, broker.Process.Pid)
	k.post(`{"name":"rice","seconds":1}`, http.StatusCreated)
	k.check("without a broker", "rice ringing", "pasta running", "mum running", "daily running", "tea paused")
	mosquittoAt(t, addr)
	eventually(t, "the retained list is told again", func() bool {
		list := k.stranger.on("voice/test/timers")
		return len(list) > 0 && strings.Contains(list[len(list)-1], `"name":"rice"`) && strings.Contains(list[len(list)-1], `"ringing"`)
	})
	k.check("with a broker again", "rice ringing", "pasta running", "mum running", "daily running", "tea paused")
	if out, _, status := command(t, k.env, "timers", "stop", "rice"); status != 0 || !strings.HasPrefix(out, "Stopped:") {
		k.fail("timers stop: %q, status %d", out, status)
	}
	if out, _, status := command(t, k.env, "timers"); status != 0 || strings.Count(out, "\n") != 5 || strings.Contains(out, "rice") {
		k.fail("timers: status %d\n%s", status, out)
	}
	if out, _, status := command(t, k.env, "timers", "cancel_all", "--json"); status != 0 || !strings.Contains(out, `"outcome":"cancelled"`) {
		k.fail("timers cancel_all: %q, status %d", out, status)
	}
	k.check("cancelled")
	t.Logf("%s\n%d wrong", k.table.String(), k.wrong)
}

// post asks for something about timers.
func (k *survivor) post(body string, status int) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, "http://"+k.addr+"/api/timers", bytes.NewReader([]byte(body)))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != status {
		k.fail("%s: status %d, %v, %v", body, resp.StatusCode, answer, err)
	}
}

// kill kills the daemon and starts it again.
func (k *survivor) kill(why string) {
	k.t.Helper()
	k.row("%s", why)
	online := count(k.stranger.on("voice/test/availability"), "online")
	kill(k.t, k.c.Process.Pid)
	if !k.c.wait() {
		k.t.Fatal("it cannot be killed")
	}
	k.c = start(k.t, k.env, filepath.Join(bin, "voice-gateway"), "run")
	eventually(k.t, "the daemon answers", func() bool { return get(k.t, k.addr, "/healthz", new(any)) == nil })
	eventually(k.t, "it takes commands", func() bool { return count(k.stranger.on("voice/test/availability"), "online") > online })
}

// check waits until these timers are there, and no other, each once.
func (k *survivor) check(when string, want ...string) {
	k.t.Helper()
	slices.Sort(want)
	var got []string
	eventually(k.t, when+": "+strings.Join(want, ", "), func() bool {
		var list []timers.Timer
		if get(k.t, k.addr, "/api/timers", &list) != nil {
			return false
		}
		got = nil
		for _, timer := range list {
			if timer.Kind != timers.Command { // its time comes when it comes
				got = append(got, timer.Name+" "+string(timer.State))
			}
		}
		slices.Sort(got)
		return slices.Equal(got, want)
	})
	k.row("%s: %s", when, cmp.Or(strings.Join(got, ", "), "none"))
}

// carried waits until a sentence was carried out by a timer, and demands that it was
// once.
func (k *survivor) carried(text string) {
	k.t.Helper()
	var found []record.Record
	eventually(k.t, "the command is carried out", func() bool {
		var turns []record.Record
		if get(k.t, k.addr, "/api/turns", &turns) != nil {
			return false
		}
		found = slices.DeleteFunc(turns, func(r record.Record) bool {
			return r.Source != record.FromTimer || r.Transcript == nil || r.Transcript.Text != text
		})
		return len(found) > 0
	})
	if len(found) != 1 || !confirmed(found[0]) {
		k.fail("carried out: %+v", found)
	}
	k.row("%q was carried out %d times: %s", text, len(found), found[0].Reply)
}

func (k *survivor) row(format string, args ...any) {
	fmt.Fprintf(&k.table, "\n"+format, args...)
}

func (k *survivor) fail(format string, args ...any) {
	k.t.Helper()
	k.wrong++
	k.t.Errorf(format, args...)
}
