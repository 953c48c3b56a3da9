//go:build soak && accept

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/keep/record"
)

var writeFacts = flag.Bool("facts", false, "write the figures into docs/facts/assist.md")

// inParallel is one sentence as both have taken it.
type inParallel struct {
	familyOrder

	language string
	ours     taken
	assist   taken
	receipt  string   // how the gateway knows
	frame    *float64 // ms from the text to the frame to Home Assistant
}

// taken is how one of them took a sentence.
type taken struct {
	verdict verdict
	claim   claim
	said    string
	took    time.Duration // from the text to the reply
	after   time.Duration // from the thing's state to the reply; zero: no state was waited for
}

// TestSoakBesideAssist says the same forty sentences in two languages to the gateway and to
// Home Assistant's own Assist, with both releases and the demo integration, and compares what
// each claims with what has become of the thing. By hand, ten minutes; -facts writes what it
// finds into docs/facts/assist.md.
func TestSoakBesideAssist(t *testing.T) {
	for _, version := range []string{"3.13", "3.11"} {
		dir, err := fake.TryInstall(t, "homeassistant.sh", version)
		if err != nil {
			t.Fatal(err)
		}
		var all []inParallel
		release := ""
		var idle []time.Duration
		for _, language := range []string{"en", "de"} {
			t.Run(version+" "+language, func(t *testing.T) {
				h := startBeside(t, filepath.Join(dir, "bin", "python"), language, mosquitto(t))
				release = h.conn.Version
				all = append(all, h.talk(language)...)
				idle = append(idle, h.askWhileItSleeps(language)...)
			})
		}
		if len(all) == 0 {
			continue // the flag run has chosen the other release
		}
		text := tellBeside(release, all, idle)
		t.Logf("\n%s", text)
		for _, b := range all {
			if slices.Contains([]verdict{isImpostor, isForbidden, isWrong}, b.ours.verdict) {
				t.Errorf("%q: %s: %s, %q", b.said[b.language], b.ours.verdict, b.ours.claim, b.ours.said)
			}
		}
		if *writeFacts && !t.Failed() {
			writeBetween(t, filepath.Join("..", "..", "docs", "facts", "assist.md"), "assist "+version, text)
		}
	}
}

// startBeside starts a Home Assistant that speaks a language, with the family's names, and a
// gateway that knows it.
func startBeside(t *testing.T, python, language, broker string, more ...string) *hassHouse {
	t.Helper()
	dir, addr := layHomeAssistant(t, "demo", "{}", demoOf(language))
	file := filepath.Join(dir, "configuration.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`(?m)^homeassistant: \{.*\}\n`) // ours says more
	if err := os.WriteFile(file, own.ReplaceAll(text, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &hassHouse{T: t, homeAssistant: runHomeAssistant(t, python, dir, addr), dir: dir, file: filepath.Join(t.TempDir(), "token")}
	h.write(token("token"))
	h.enter()
	eventually(t, "Home Assistant has started", func() bool {
		var config struct{ State string }
		return h.request(t, http.MethodGet, "config", "", &config) == nil && config.State == "RUNNING" && h.entity("switch.liar").State != ""
	})
	var flow struct {
		ID string `json:"flow_id"`
	}
	if err := h.request(t, http.MethodPost, "config/config_entries/flow", `{"handler":"shopping_list"}`, &flow); err != nil {
		t.Fatal(err)
	}
	if err := h.request(t, http.MethodPost, "config/config_entries/flow/"+flow.ID, `{}`, new(any)); err != nil {
		t.Fatal(err)
	}
	h.furnish(language)
	h.start(broker, language, more...)
	var names []string
	for _, n := range named {
		if n.entity != "switch.hidden" && !strings.HasPrefix(n.entity, "todo.") && h.entity(n.entity).State != "" {
			names = append(names, n.name[language])
		}
	}
	h.waitForNames(names...)
	return h
}

// furnish puts things into rooms and says which are shown to assistants.
func (h *hassHouse) furnish(language string) {
	h.Helper()
	areas := map[string]string{}
	for _, n := range named {
		n.entity = h.resolve(n.entity)
		if h.entity(n.entity).State == "" {
			continue // not every release has everything
		}
		if name := n.area[language]; name != "" {
			if areas[name] == "" {
				body, err := h.conn.Call(h.Context(), socket.Command{"type": "config/area_registry/create", "name": name})
				var area struct {
					ID string `json:"area_id"`
				}
				if err != nil || json.Unmarshal(body, &area) != nil {
					h.Fatalf("the room %s: %v, %s", name, err, body)
				}
				areas[name] = area.ID
			}
			h.change(socket.Command{"type": "config/entity_registry/update", "entity_id": n.entity, "area_id": areas[name]})
		}
		h.change(socket.Command{"type": "homeassistant/expose_entity", "assistants": []string{"conversation"}, "entity_ids": []string{n.entity}, "should_expose": n.entity != "switch.hidden"})
	}
}

// resolve returns the id of an entity in this house: some are named in its language.
func (h *hassHouse) resolve(id string) string {
	if id == "todo.shopping_list" && h.entity(id).State == "" {
		return "todo.einkaufsliste"
	}
	return id
}

// start starts a gateway in a language, with more settings.
func (h *hassHouse) start(broker, language string, more ...string) {
	h.Helper()
	config := filepath.Join(h.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf("mcp:\n  servers:\n    zwave: null\n    homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: \"http://%s\", HASS_TOKEN_FILE: %q, HASS_SCRIPTS: script.bedtime}}\n", h.addr, h.file)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
	_, h.http, _ = daemonWith(h, []string{"--config", config}, broker, append(more, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+h.TempDir(), "VOICE_GATEWAY_GATEWAY_LANGUAGE="+language)...)
}

// talk says each sentence to both, each time to a thing that is otherwise.
func (h *hassHouse) talk(language string) (all []inParallel) {
	h.Helper()
	h.assist("hello", language) // it reads its sentences now
	for _, o := range familyOrders() {
		o.entity = h.resolve(o.entity)
		b := inParallel{familyOrder: o, language: language}
		if h.entity(o.entity).State == "" {
			h.Logf("%q: this release has no %s", o.said[language], o.entity)
			continue
		}
		began := h.arrange(o)
		afterwards(200 * milli) // nobody asks within a millisecond of a change
		r := h.ask(o.said[language], &b.ours)
		b.ours.claim = claimOf(r, o.aim)
		b.frame = r.Timings.FirstPublish
		b.receipt = receiptsOf(r)
		h.settle(o, began, &b.ours)
		if r.Outcome == record.Asked { // so that the next sentence is no answer
			h.ask(map[string]string{"en": "no", "de": "nein"}[language], new(taken))
		}

		began = h.arrange(o)
		b.assist.claim = h.assist(o.said[language], language, &b.assist)
		h.settle(o, began, &b.assist)
		h.Logf("%s: %q: %s (%s) %q; Assist %s (%s) %q", o.domain, o.said[language], b.ours.verdict, b.ours.claim, b.ours.said, b.assist.verdict, b.assist.claim, b.assist.said)
		all = append(all, b)
	}
	return all
}

// arrange makes a thing otherwise than a sentence wants it, and returns how it is then. A blind
// that has just begun to move takes no order to go where it still is, so it is told again.
func (h *hassHouse) arrange(o familyOrder) entityState {
	h.Helper()
	moves := func(s entityState) bool {
		return slices.Contains([]string{"opening", "closing", "locking", "unlocking", "returning"}, s.State)
	}
	for range 5 {
		for _, service := range o.before {
			h.order(service)
		}
		if o.is == nil || o.aim == aimLie || rig.Within(h.Context(), 15*time.Second, func() bool {
			s := h.entity(o.entity)
			return !o.is(s) && !moves(s)
		}) {
			return h.entity(o.entity)
		}
	}
	h.Fatalf("%s is never otherwise than %q wants it: %+v", o.entity, o.said["en"], h.entity(o.entity))
	return entityState{}
}

// order calls a service, written as "light.turn_on light.bed_light key=value".
func (h *hassHouse) order(service string) {
	h.Helper()
	words := strings.Fields(service)
	data := map[string]any{}
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		var number float64
		if data[key] = any(value); json.Unmarshal([]byte(value), &number) == nil {
			data[key] = number
		}
	}
	domain, name, _ := strings.Cut(words[0], ".")
	h.change(socket.Command{"type": "call_service", "domain": domain, "service": name, "target": map[string]any{"entity_id": []string{words[1]}}, "service_data": data})
}

// soonEnough is how long a thing may take to be as it is wanted, after the reply.
const soonEnough = 4 * time.Second

// settle waits for what has become of the thing, and judges.
func (h *hassHouse) settle(o familyOrder, began entityState, of *taken) {
	h.Helper()
	if o.aim == aimTell {
		of.verdict = o.judge(of.claim, regexp.MustCompile(`(?i)\b(`+o.answer+`)\b`).MatchString(of.said))
		return
	}
	replied := time.Now()
	is := o.is
	if is == nil { // another song, one thing more on the list
		is = func(s entityState) bool {
			return s.State != began.State || fmt.Sprint(s.Attributes["media_title"]) != fmt.Sprint(began.Attributes["media_title"])
		}
	}
	limit := soonEnough
	if of.claim == claimsNot {
		limit = soonEnough / 4
	}
	so := rig.Within(h.Context(), limit, func() bool { return is(h.entity(o.entity)) })
	of.verdict = o.judge(of.claim, so)
	if at := h.changedAt(o.entity); so && of.claim == claimsDone && !at.IsZero() {
		of.after = max(replied.Sub(at), time.Microsecond)
	}
}

// changedAt is when Home Assistant wrote the state of an entity.
func (h *hassHouse) changedAt(id string) time.Time {
	var s struct {
		At time.Time `json:"last_updated"`
	}
	_ = h.request(h.T, http.MethodGet, "states/"+id, "", &s)
	return s.At
}

// ask asks the gateway.
func (h *hassHouse) ask(text string, into *taken) (r record.Record) {
	h.Helper()
	began := time.Now()
	if err := rig.SendJSON(h.Context(), http.MethodPost, "http://"+h.http+"/api/ask", map[string]string{"text": text}, &r); err != nil {
		h.Fatalf("%s: %v", text, err)
	}
	into.took, into.said = time.Since(began), r.Reply
	return r
}

// receiptsOf says how the gateway knows what it says.
func receiptsOf(r record.Record) string {
	var all []string
	for _, c := range r.Calls {
		if c.Receipt != nil {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", c.Receipt.Outcome, c.Receipt.Reason)))
		}
	}
	return strings.Join(all, ", ")
}

// assist says a sentence to Home Assistant itself.
func (h *hassHouse) assist(text, language string, into ...*taken) claim {
	h.Helper()
	began := time.Now()
	body, err := h.conn.Call(h.Context(), socket.Command{"type": "conversation/process", "text": text, "language": language})
	took := time.Since(began)
	var answer struct {
		Response struct {
			Type   string `json:"response_type"`
			Speech struct {
				Plain struct{ Speech string }
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil {
		h.Logf("Assist, %q: %v", text, err)
	}
	for _, t := range into {
		t.took, t.said = took, answer.Response.Speech.Plain.Speech
	}
	switch answer.Response.Type {
	case "action_done":
		return claimsDone
	case "query_answer":
		return claimsFact
	}
	return claimsNot
}

// askWhileItSleeps asks the gateway while Home Assistant cannot answer anybody, and returns how
// long the answers took: a question costs no way there and back.
func (h *hassHouse) askWhileItSleeps(language string) (took []time.Duration) {
	h.Helper()
	send(h.T, h.Process.Pid, syscall.SIGSTOP)
	defer send(h.T, h.Process.Pid, syscall.SIGCONT)
	for _, o := range familyOrders() {
		if o.aim != aimTell || !slices.Contains([]string{"light", "lock", "sensor"}, o.domain) {
			continue
		}
		var of taken
		if r := h.ask(o.said[language], &of); r.Outcome != record.Done {
			h.Errorf("while Home Assistant sleeps, %q: %s, %q", o.said[language], r.Outcome, r.Reply)
		}
		took = append(took, of.took)
	}
	return took
}

// quantile is a value of some durations, such as the middle one for 0.5.
func quantile(all []time.Duration, q float64) string {
	if len(all) == 0 {
		return "–"
	}
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf("%.1f ms", float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Microseconds())/1000)
}

// tellBeside writes down what was found with one release.
func tellBeside(release string, all []inParallel, idle []time.Duration) string {
	var b strings.Builder
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(&b, "Home Assistant %s; %s, %d processors, load at the end %s.\n\n", release, runtime.GOARCH, runtime.NumCPU(), strings.Join(strings.Fields(string(load))[:2], " and "))
	b.WriteString("| | the gateway | Assist |\n|---|---|---|\n")
	count := func(who func(inParallel) taken, is ...verdict) (n int) {
		for _, each := range all {
			if slices.Contains(is, who(each).verdict) {
				n++
			}
		}
		return n
	}
	ours, theirs := func(x inParallel) taken { return x.ours }, func(x inParallel) taken { return x.assist }
	row := func(name string, is ...verdict) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", name, count(ours, is...), count(theirs, is...))
	}
	fmt.Fprintf(&b, "| sentences | %d | %d |\n", len(all), len(all))
	row("right", isRight)
	row("not understood: said so, nothing done", isLeft)
	row("claimed and not so", isImpostor)
	row("otherwise wrong", isWrong)
	row("let somebody in without a question", isUnasked)
	row("acted on what is not shown", isForbidden)
	times := func(name string, of func(taken) time.Duration, q float64) {
		var x, y []time.Duration
		for _, each := range all {
			if d := of(each.ours); d > 0 && each.ours.verdict == isRight {
				x = append(x, d)
			}
			if d := of(each.assist); d > 0 && each.assist.verdict == isRight {
				y = append(y, d)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, quantile(x, q), quantile(y, q))
	}
	took, after := func(t taken) time.Duration { return t.took }, func(t taken) time.Duration { return t.after }
	times("text to reply, where right: median", took, 0.5)
	times("text to reply, where right: p95", took, 0.95)
	times("the thing's state to a reply that it is done: p95", after, 0.95)
	var frames []time.Duration
	for _, each := range all {
		if each.frame != nil {
			frames = append(frames, time.Duration(*each.frame*float64(time.Millisecond)))
		}
	}
	fmt.Fprintf(&b, "| text to the frame to Home Assistant, matcher included: median, p95 | %s, %s | |\n", quantile(frames, 0.5), quantile(frames, 0.95))
	fmt.Fprintf(&b, "| a question while Home Assistant is stopped: slowest | %s | no answer |\n", quantile(idle, 1))

	b.WriteString("\n| domain | sentences | the gateway: right | Assist: right |\n|---|---|---|---|\n")
	var domains []string
	for _, each := range all {
		if !slices.Contains(domains, each.domain) {
			domains = append(domains, each.domain)
		}
	}
	for _, domain := range domains {
		n, x, y := 0, 0, 0
		for _, each := range all {
			if each.domain != domain {
				continue
			}
			n++
			if each.ours.verdict == isRight {
				x++
			}
			if each.assist.verdict == isRight {
				y++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", domain, n, x, y)
	}

	b.WriteString("\n| sentence | receipt | the gateway | Assist |\n|---|---|---|---|\n")
	tell := func(t taken) string {
		if t.verdict == isRight && t.claim != claimsNot {
			return "right"
		}
		return fmt.Sprintf("%s: “%s”", t.verdict, strings.Join(strings.Fields(strings.ReplaceAll(t.said, "|", "/")), " "))
	}
	for _, each := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", each.said[each.language], each.receipt, tell(each.ours), tell(each.assist))
	}
	return b.String()
}

// writeBetween writes a text into a document, between the marks of its name.
func writeBetween(t *testing.T, file, name, text string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	from, to := []byte("<!-- "+name+": written by a test -->\n"), []byte("<!-- end of "+name+" -->\n")
	head, rest, found := bytes.Cut(page, from)
	_, tail, ends := bytes.Cut(rest, to)
	if !found || !ends {
		t.Fatalf("%s has no place for %q", file, name)
	}
	if err := os.WriteFile(file, slices.Concat(head, from, []byte("\n"+text+"\n"), to, tail), 0o644); err != nil { //nolint:gosec // a document
		t.Fatal(err)
	}
}
