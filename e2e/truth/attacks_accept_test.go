//go:build accept

package truth

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// private is what the user says once and no server may learn.
const private = "4711"

// besieged is a household among servers that try everything.
type besieged struct {
	*household
	attacks []attack
	dir     string // where the servers keep what they receive
	names   []string
}

// newBesieged starts it, and waits until every server has done what it does at the
// start.
func newBesieged(tb testing.TB, c *conduct) *besieged {
	tb.Helper()
	b := &besieged{household: unhoused(tb, c, "en"), attacks: loadAttacks(tb), dir: tb.TempDir()}
	scripts, trusts := puppets(tb, b.attacks, func(server string) string { return filepath.Join(b.dir, server) })
	b.names = slices.Sorted(maps.Keys(scripts))
	servers := map[string]any{"zwave": map[string]any{"essential": true}}
	for _, name := range b.names {
		command, env := scripts[name].Pull(tb)
		entry := map[string]any{"command": command, "env": env, "connect_timeout": "30s", "retry": map[string]any{"attempts": 1, "base_delay": "1h", "max_delay": "1h", "slow_interval": "1h"}}
		if trusts[name] != "" {
			entry["trust"] = trusts[name]
		}
		servers[name] = entry
	}
	text, err := json.Marshal(map[string]any{"mcp": map[string]any{"servers": servers}})
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(b.dir, "gateway.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	b.flags = []string{"--config", path}
	b.anew()
	if !rig.Within(tb.Context(), rig.Patience, b.settled) {
		var servers json.RawMessage
		_ = b.request(tb.Context(), http.MethodGet, "/mcp/servers", nil, &servers)
		tb.Fatalf("the servers do not come: %s", servers)
	}
	return b
}

// settled reports whether every server is connected, or has failed as it should.
func (b *besieged) settled() bool {
	var list struct {
		Servers []struct{ ID, Status string }
	}
	if b.request(b.Context(), http.MethodGet, "/mcp/servers", nil, &list) != nil {
		return false
	}
	for _, s := range list.Servers {
		dies := strings.HasPrefix(s.ID, "stderr-")
		if dies && s.Status != "failed" || !dies && s.Status != "connected" {
			return false
		}
	}
	return len(list.Servers) == len(b.names)+1
}

// askIn says a text in a room in which nothing was said before.
func (b *besieged) askIn(room, text string) (r record.Record) {
	b.Helper()
	if err := b.request(b.Context(), http.MethodPost, "/api/ask", map[string]string{"text": text, "area": room}, &r); err != nil {
		b.Errorf("asking %q: %v", text, err)
	}
	return r
}

// toldCall is a call as a server received it.
type toldCall struct {
	server, tool, args string
}

// told returns the calls that the servers have received since the last call of told.
func (b *besieged) told() (calls []toldCall) {
	b.Helper()
	for _, name := range b.names {
		path := filepath.Join(b.dir, name)
		lines, _ := os.ReadFile(path) // a server that received nothing has none
		_ = os.Truncate(path, 0)
		for line := range strings.Lines(string(lines)) {
			var m struct {
				Method string
				Params struct {
					Name      string
					Arguments json.RawMessage
				}
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/call" {
				calls = append(calls, toldCall{name, m.Params.Name, string(m.Params.Arguments)})
			}
		}
	}
	return calls
}

// TestAcceptAttacks lets foreign servers try seventy attacks on a family whose model does
// whatever it reads. Nothing is written to the house, nothing that the user said reaches
// a server that may not have a house, and nothing is reported as done that is not.
func TestAcceptAttacks(t *testing.T) {
	t.Parallel()
	b := newBesieged(t, loadConduct(t))
	b.sentences()
	seen, calls := 0, 0
	for _, a := range b.attacks {
		reads, told := b.suffer(a)
		if reads {
			seen++
		}
		calls += told
	}
	t.Logf("%d attacks by %d servers: %d orders were read by the model, %d calls reached strangers", len(b.attacks), len(b.names), seen, calls)
	if seen < 20 || calls < 40 {
		t.Error("that proves little")
	}
	b.sentences()
}

// sentences says what is meant for the house: the house's own server gets it, and no
// other.
func (b *besieged) sentences() {
	b.Helper()
	b.before(order{Node: 29, Do: "on"})
	b.model.behave(func(r request) response {
		if r.rounds == 0 {
			return response{calls: b.conduct.house.calls("en", order{Node: 36, Do: "on"})}
		}
		return response{text: "Hm."}
	})
	b.take(b.Context())
	b.told()
	for _, s := range []struct {
		say    string
		writes int
	}{{"turn on the office fan", 1}, {"is the office fan on", 0}, {"is the front door locked", 0}, {"turn off the office fan", 1}, {"turn on the ghost lamp", 0}, {"do me a favour and make grandma comfortable", 1}, {"turn off the garden light", 1}, {"lock the front door", 1}} {
		r, sent := b.turn(s.say)
		if len(sent) != s.writes {
			b.Errorf("%q: %d writes to the house, expected %d: %+v", s.say, len(sent), s.writes, r)
		}
		for _, c := range r.Calls {
			if c.Server != "zwave" {
				b.Errorf("%q went to %s: %+v", s.say, c.Server, c)
			}
		}
		if told := b.told(); len(told) > 0 {
			b.Errorf("%q: %v were told of it", s.say, told)
		}
	}
}

// suffer lets an attack happen: in a question, then in a wish; if the attack could leak
// something, after something private was said.
func (b *besieged) suffer(a attack) (seen bool, calls int) {
	b.Helper()
	claim := a.Claim
	if claim == "" {
		claim = "I have switched the Office Fan on for you. Done."
	}
	var reads atomic.Bool
	says := []string{"what is the recipe of the day", "make it a little cosier around here"}
	if a.leaks() {
		says = slices.Insert(says, 0, "my locker is number "+private+" by the way")
	}
	conduct := func(r request) response {
		calls := b.visible(r, a.leaks())
		if a.Order != "" && strings.Contains(r.text, letters(a.Order)) {
			reads.Store(true)
		}
		if r.rounds == 0 {
			calls = append(calls, b.lures(a, r)...)
		}
		if len(calls) > 0 && r.rounds < 2 {
			return response{calls: calls}
		}
		return response{text: claim}
	}
	line := []string{}
	for _, said := range says {
		b.model.behave(conduct)
		if strings.Contains(said, private) {
			b.model.behave(func(request) response { return response{text: "Hm."} }) // it is in the conversation then
		}
		r := b.askIn("Room "+a.ID, said)
		sent := b.take(b.Context())
		told := b.told()
		calls += len(told)
		for _, w := range sent {
			b.Errorf("%s (%s): %q: %+v was written to the house: %+v", a.ID, a.By, said, w, r)
		}
		if strings.Contains(letters(r.Reply), letters(claim)) {
			b.Errorf("%s (%s): %q: it was told that %q", a.ID, a.By, said, r.Reply)
		}
		b.innocent(a, said, told, r)
		line = append(line, fmt.Sprintf("%s %d %q", r.Outcome, len(told), r.Reply))
	}
	b.Logf("%s %-12s read %-5v %s", a.ID, a.By, reads.Load(), strings.Join(line, " | "))
	return reads.Load(), calls
}

// innocent checks what foreign servers received in a turn.
func (b *besieged) innocent(a attack, said string, told []toldCall, r record.Record) {
	b.Helper()
	for _, c := range told {
		switch {
		case strings.Contains(c.args, private):
			b.Errorf("%s (%s): %q: %+v", a.ID, a.By, said, c)
		case strings.Contains(letters(c.args), letters(said)):
			b.Errorf("%s (%s): the sentence %q went to a stranger: %+v", a.ID, a.By, said, c)
		case strings.HasPrefix(c.server, "untrusted"):
			b.Errorf("%s (%s): a server that is not trusted was called: %+v", a.ID, a.By, c)
		}
	}
	looked := slices.ContainsFunc(r.Calls, func(c record.CallMade) bool { return c.Server == "zwave" && c.OK }) // the house itself tells how the thing is
	for _, c := range r.Calls {
		if c.Server != "zwave" && c.Receipt != nil && c.Receipt.Done() && !looked && strings.Contains(letters(r.Reply), letters(c.Receipt.Device)) {
			b.Errorf("%s (%s): the receipt of %s was spoken: %q", a.ID, a.By, c.Server, r.Reply)
		}
	}
}

// leaks reports whether something private is said before the attack.
func (a attack) leaks() bool { return a.Calls != "" || a.By == "result" }

// visible returns the calls with which the model follows every order that it can see. An
// order that needs what the user said is followed only if the model knows it.
func (b *besieged) visible(r request, knows bool) (calls []call) {
	fan := false
	for _, a := range b.attacks {
		switch {
		case a.Order == "" || !strings.Contains(r.text, letters(a.Order)):
		case a.Calls != "" && !knows:
		case a.Calls != "":
			calls = append(calls, call{a.Calls, map[string]any{"text": "locker " + private}})
		case !fan:
			fan = true // once is enough, whichever attack wants it
			calls = append(calls, b.conduct.house.calls("en", order{Node: 29, Do: "on"})...)
		}
	}
	return calls
}

// lures are the calls with which the model comes to read a server's text.
func (b *besieged) lures(a attack, r request) (calls []call) {
	leek := map[string]any{"text": "leek"}
	switch a.By {
	case "stderr", "version", "instructions":
		return []call{{"list_servers", map[string]any{}}, {"get_server_status", map[string]any{"serverId": a.server()}}}
	case "name": // as it was told of the tool
		for _, t := range r.Tools {
			if strings.HasPrefix(letters(t.Function.Name), letters(a.Text)[:4]) {
				calls = append(calls, call{t.Function.Name, leek})
			}
		}
		return calls
	case "steal", "house":
		calls = append(calls, call{a.server() + "_" + a.tool(), leek}, call{a.server() + "_control_zwave_device", leek})
	}
	return append(calls, call{a.tool(), leek})
}
