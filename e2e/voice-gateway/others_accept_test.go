//go:build accept

package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// other is a server that somebody else has made, and what a turn does with it. DIR, PAGE
// and the like stand in its texts for places of one gateway.
type other struct {
	command []string // NODE and PYTHON are programs; none: it is reached over HTTP
	say     string
	calls   []string // one a round
	again   string   // a call that reads, for a server that was killed or hangs
	done    [3]int   // of the calls, at each trust
}

// others are nine of them.
var others = map[string]other{
	"everything": {
		command: []string{"NODE", "MODULES/@modelcontextprotocol/server-everything/dist/index.js", "stdio"},
		say:     "how would the reference echo leeks", calls: []string{`echo {"message":"leeks"}`, `echo {"message":"Echo leeks"}`, `get-sum {"a":2,"b":3}`},
		again: `get-sum {"a":2,"b":3}`, done: [3]int{3, 3, 3},
	},
	"filesystem": {
		command: []string{"NODE", "MODULES/@modelcontextprotocol/server-filesystem/dist/index.js", "DIR"},
		say:     "create a folder for the recipes beside the shopping list", calls: []string{`list_directory {"path":"DIR"}`, `read_text_file {"path":"DIR/shopping.txt"}`, `create_directory {"path":"DIR/recipes"}`},
		again: `list_directory {"path":"DIR"}`, done: [3]int{2, 2, 3},
	},
	"memory": {
		command: []string{"NODE", "MODULES/@modelcontextprotocol/server-memory/dist/index.js"},
		say:     "create a memory of grandmother and her tulips", calls: []string{`read_graph {}`, `search_nodes {"query":"grandmother"}`, `create_entities {"entities":[{"name":"grandmother","entityType":"person","observations":["tulips"]}]}`},
		again: `read_graph {}`, done: [3]int{2, 2, 3},
	},
	"sequential-thinking": {
		command: []string{"NODE", "MODULES/@modelcontextprotocol/server-sequential-thinking/dist/index.js"},
		say:     "how would one think of water for the garden", calls: []string{
			`sequentialthinking {"thought":"water","nextThoughtNeeded":true,"thoughtNumber":1,"totalThoughts":3}`,
			`sequentialthinking {"thought":"garden","nextThoughtNeeded":true,"thoughtNumber":2,"totalThoughts":3}`,
			`sequentialthinking {"thought":"water","nextThoughtNeeded":false,"thoughtNumber":3,"totalThoughts":3}`,
		},
		again: `sequentialthinking {"thought":"water","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, done: [3]int{3, 3, 3},
	},
	"time": {
		command: []string{"PYTHON", "-m", "mcp_server_time", "--local-timezone", "Europe/Berlin"},
		say:     "how do people in Asia/Tokyo and Europe/Berlin say noon at 12:00", calls: []string{
			`get_current_time {"timezone":"Europe/Berlin"}`, `convert_time {"source_timezone":"Europe/Berlin","time":"12:00","target_timezone":"Asia/Tokyo"}`, `get_current_time {"timezone":"Asia/Tokyo"}`,
		},
		again: `get_current_time {"timezone":"Europe/Berlin"}`, done: [3]int{3, 3, 3},
	},
	"git": {
		command: []string{"PYTHON", "-m", "mcp_server_git", "--repository", "DIR/garden"},
		say:     "create a branch called spring for the garden", calls: []string{`git_status {"repo_path":"DIR/garden"}`, `git_log {"repo_path":"DIR/garden"}`, `git_create_branch {"repo_path":"DIR/garden","branch_name":"spring"}`},
		again: `git_status {"repo_path":"DIR/garden"}`, done: [3]int{2, 2, 3},
	},
	"fetch": {
		command: []string{"PYTHON", "-m", "mcp_server_fetch", "--allow-private-ips"},
		say:     "what is on the page about leeks at PAGE", calls: []string{`fetch {"url":"PAGE/leeks"}`, `fetch {"url":"PAGE/soup"}`, `fetch {"url":"PAGE/leeks"}`},
		again: `fetch {"url":"PAGE/leeks"}`, done: [3]int{3, 3, 3},
	},
	"fastmcp": {
		say: "create a note called kitchen with the word tiles", calls: []string{`list_notes {}`, `read_note {"name":"garden"}`, `add_note {"name":"kitchen","text":"tiles"}`},
		again: `list_notes {}`, done: [3]int{2, 2, 3},
	},
	"newest": {
		command: []string{"PYTHON", "SCRIPTS/recipes.py"},
		say:     "create a recipe called bread with the word flour", calls: []string{`list_recipes {}`, `read_recipe {"name":"soup"}`, `add_recipe {"name":"bread","text":"flour"}`},
		again: `list_recipes {}`, done: [3]int{2, 2, 3},
	},
}

// pythonServers installs the servers in Python, and returns the program that runs them.
func pythonServers(t *testing.T) string {
	t.Helper()
	return filepath.Join(fake.InstallOthers(t, "servers.sh"), "bin", "python")
}

// crowd is a gateway beside all nine servers at one trust.
type crowd struct {
	*street
	places *strings.Replacer
	python string
	port   string // of FastMCP
	notes  *child
}

const (
	notesToken = "Tr0ub4dor-and-3-leeks"
	slowness   = 15 * time.Second // what a slow server needs before it answers initialize
)

// startNotes starts FastMCP's server, as its owner would.
func (c *crowd) startNotes() {
	c.t.Helper()
	c.notes = start(c.t, environ(c.t), c.python, "../../scripts/machine/notes.py", c.port, notesToken)
}

// gather starts a gateway beside all nine, which are slow to start or not.
func gather(t *testing.T, trust string, slow bool) *crowd {
	t.Helper()
	dir, modules := t.TempDir(), filepath.Join(peers(t), "node_modules")
	scripts, err := filepath.Abs("../../scripts/machine")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{street: &street{t: t, model: &chained{words: "That is what they say.", scripts: map[string][]string{}}}, python: pythonServers(t)}
	c.places = strings.NewReplacer("DIR", dir, "PAGE", leekPage(t), "MODULES", modules, "SCRIPTS", scripts, "PYTHON", c.python, "NODE", filepath.Join(modules, ".bin", "peer-node"))
	if err := os.WriteFile(filepath.Join(dir, "shopping.txt"), []byte("milk and eggs"), 0o600); err != nil {
		t.Fatal(err)
	}
	plantGarden(t, filepath.Join(dir, "garden"))
	_, c.port, _ = strings.Cut(fake.FreeAddr(t), ":")
	c.startNotes()
	listening(t, "127.0.0.1:"+c.port)
	web := slowWeb(t, "127.0.0.1:"+c.port, slow)
	entries := map[string]string{}
	for id, o := range others {
		settings := map[string]any{"call_timeout": "10s", "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}}
		if trust != "" {
			settings["trust"] = trust
		}
		if command := c.putPlaces(o.command); len(command) == 0 {
			settings["transport"], settings["url"], settings["headers"] = "http", web+"/mcp", map[string]string{"Authorization": "Bearer " + notesToken}
		} else if slow {
			settings["command"], settings["args"] = "/bin/sh", slices.Concat([]string{"-c", fmt.Sprintf(`sleep %.0f; exec "$@"`, slowness.Seconds()), "launcher"}, command)
		} else {
			settings["command"], settings["args"] = command[0], command[1:]
		}
		entries[id] = entry(t, settings)
		c.model.scripts[c.places.Replace(o.say)] = c.putPlaces(o.calls)
		c.model.scripts["once more with "+id] = c.putPlaces([]string{o.again})
	}
	model := httptest.NewServer(c.model)
	t.Cleanup(model.Close)
	broker := mosquitto(t)
	simulate(t, broker)
	_, c.http, c.env = daemonWith(t, beside(t, entries), broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+model.URL+"/v1", "VOICE_GATEWAY_MCP_HEALTH_INTERVAL=5s")
	return c
}

// putPlaces returns texts with the places of this gateway.
func (c *crowd) putPlaces(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = c.places.Replace(texts[i])
	}
	return texts
}

// leekPage is the address of two pages about leeks.
func leekPage(t *testing.T) string {
	t.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = fmt.Fprintf(w, "Leeks are good in soup, which is at http://%s/soup.", r.Host)
	}))
	t.Cleanup(page.Close)
	return page.URL
}

// slowWeb is the address of a server behind a proxy, which first keeps all requests until
// a slow server would answer.
func slowWeb(t *testing.T, addr string, slow bool) string {
	t.Helper()
	began := time.Now()
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left := slowness - time.Since(began); slow && left > 0 {
			select {
			case <-time.After(left):
			case <-r.Context().Done():
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// plantGarden makes a repository with one commit.
func plantGarden(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=Anna", "-c", "user.email=anna@example.org", "commit", "-q", "--allow-empty", "-m", "Plant leeks"}} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// states are the servers of others as the gateway sees them.
func (c *crowd) states() map[string]mcpint.Status {
	c.t.Helper()
	var list servers
	all := map[string]mcpint.Status{}
	if get(c.t, c.http, "/mcp/servers", &list) == nil {
		for _, s := range list.Servers {
			all[s.ID] = s
		}
	}
	return all
}

// awaitAll waits until all are connected and well.
func (c *crowd) awaitAll(what string) {
	c.t.Helper()
	eventually(c.t, what, func() bool {
		well := 0
		for _, s := range c.states() {
			if s.Status == mcpint.Connected && s.Health != mcpint.Unresponsive && s.Breaker == mcpint.BreakerClosed {
				well++
			}
		}
		return well == len(others)+1
	})
}

// all asks for each server at once, each in a room of its own.
func (c *crowd) all(room string, sentence func(id string, o other) string) map[string]record.Record {
	c.t.Helper()
	var mu sync.Mutex
	var asking sync.WaitGroup
	answers := map[string]record.Record{}
	for id, o := range others {
		asking.Go(func() {
			r := c.ask(room+" "+id, c.places.Replace(sentence(id, o)))
			mu.Lock()
			defer mu.Unlock()
			answers[id] = r
		})
	}
	asking.Wait()
	return answers
}

// onceMore has one call made to each server.
func (c *crowd) onceMore(room string) map[string]record.Record {
	c.t.Helper()
	return c.all(room, func(id string, _ other) string { return "what comes of it once more with " + id })
}

// inARow has three calls made to each server in one turn. It returns how many each has
// carried out, and why not the others.
func (c *crowd) inARow() (done map[string]int, why map[string]string) {
	c.t.Helper()
	done, why = map[string]int{}, map[string]string{}
	for id, r := range c.all("Row", func(_ string, o other) string { return o.say }) {
		why[id] = r.Error
		for _, call := range r.Calls {
			if call.OK {
				done[id]++
			} else {
				why[id], _, _ = strings.Cut(call.Reason, " The tools are:")
			}
		}
	}
	return done, why
}

// kill kills each server, and tells of each whether it came back without help.
func (c *crowd) kill() map[string]string {
	c.t.Helper()
	before := c.states()
	for _, id := range slices.Sorted(maps.Keys(others)) {
		if pid := before[id].PID; pid != nil {
			_ = syscall.Kill(*pid, syscall.SIGKILL) // one that has ended is dead enough
		}
	}
	c.notes.Stop(c.t, syscall.SIGKILL)
	c.startNotes() // its owner's supervisor
	eventually(c.t, "all killed servers are others", func() bool {
		now := c.states()
		for id, o := range others {
			if o.command != nil && (now[id].PID == nil || *now[id].PID == *before[id].PID) {
				return false
			}
		}
		return true
	})
	c.awaitAll("all are back")
	said := map[string]string{}
	for id, r := range c.onceMore("Killed") {
		if said[id] = "back"; r.Outcome != record.Done || len(r.Calls) == 0 || !r.Calls[0].OK {
			c.t.Errorf("%s, killed: %s %q %s", id, r.Outcome, r.Reply, r.Error)
		}
	}
	return said
}

// hang stops half of the servers and then the others. It tells of each whether its turn
// ended with the truth while the others worked.
func (c *crowd) hang() map[string]string {
	c.t.Helper()
	said := map[string]string{}
	ids := slices.Sorted(maps.Keys(others))
	for half, stopped := range [][]string{ids[:len(ids)/2], ids[len(ids)/2:]} {
		now := c.states()
		var pids []int
		for _, id := range stopped {
			pid := c.notes.Process.Pid
			if others[id].command != nil {
				pid = *now[id].PID
			}
			pids = append(pids, pid)
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				c.t.Fatal(err)
			}
		}
		for id, r := range c.onceMore(fmt.Sprint("Hung ", half)) {
			worked := r.Outcome == record.Done && len(r.Calls) > 0 && r.Calls[0].OK
			switch hung := slices.Contains(stopped, id); {
			case hung && (worked || r.Outcome != record.Failed || !strings.Contains(r.Reply, "did not answer")):
				c.t.Errorf("%s, hung: %s %q %s", id, r.Outcome, r.Reply, r.Error)
			case hung:
				said[id] = "told"
			case !worked:
				c.t.Errorf("%s, beside servers that hang: %s %q %s", id, r.Outcome, r.Reply, r.Error)
			}
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // one that was restarted is not there
		}
		c.awaitAll("those that hung are well again")
	}
	return said
}

// refusals are why a call that writes is not made at each trust.
var refusals = map[string]string{"": "is not used: it writes", "act": "nothing may be changed after text from outside"}

// trusts are what an entry may say; the first is the default.
var trusts = []string{"", "act", "full"}

// fate is what became of one server at each trust.
type fate struct {
	done                    [3]int
	why, killed, hung, slow [3]string
}

// trial is a trust with what becomes of the servers at it.
type trial struct {
	trust            string
	slow, kill, hang bool
}

// TestAcceptServersOfOthers puts nine servers of others beside the gateway at each trust,
// with a model that calls what it likes: three calls in a row in one turn, and each server
// slow to start (by default), killed (with act) and hung (with full), on which trust has no
// influence; all of them at each trust are a soak test. It prints what was done, and what
// was refused and why.
func TestAcceptServersOfOthers(t *testing.T) {
	t.Parallel()
	tryOthers(t, trial{trust: "", slow: true}, trial{trust: "act", kill: true}, trial{trust: "full", hang: true})
}

// tryOthers makes the trials, all at once, and prints the table.
func tryOthers(t *testing.T, trials ...trial) {
	t.Helper()
	fates := map[string]*fate{}
	for id := range others {
		fates[id] = &fate{}
	}
	t.Cleanup(func() { tellFates(t, fates) })
	var mu sync.Mutex
	for _, trial := range trials {
		t.Run("trust "+trial.trust, func(t *testing.T) {
			t.Parallel()
			c := gather(t, trial.trust, trial.slow)
			c.awaitAll("all nine are connected")
			done, why := c.inARow()
			killed, hung := map[string]string{}, map[string]string{}
			if trial.kill {
				killed = c.kill()
			}
			if trial.hang {
				hung = c.hang()
			}
			mu.Lock()
			defer mu.Unlock()
			i := slices.Index(trusts, trial.trust)
			for id, f := range fates {
				f.done[i], f.why[i], f.killed[i], f.hung[i] = done[id], why[id], killed[id], hung[id]
				if trial.slow {
					f.slow[i] = "connected"
				}
				if want := others[id].done[i]; done[id] != want || want < 3 && !strings.Contains(why[id], refusals[trial.trust]) {
					t.Errorf("%s: %d of 3 calls were carried out, expected %d; %s", id, done[id], want, why[id])
				}
			}
		})
	}
}

// tellFates prints the table.
func tellFates(t *testing.T, fates map[string]*fate) {
	t.Helper()
	t.Logf("%-20s %-8s %-5s %-7s %-5s %-9s refused", "server", "trust", "calls", "killed", "hung", "slow")
	for _, id := range slices.Sorted(maps.Keys(fates)) {
		f := fates[id]
		for i, trust := range trusts {
			t.Logf("%-20s %-8s %d / 3 %-7s %-5s %-9s %s", id, cmp.Or(trust, "default"), f.done[i], f.killed[i], f.hung[i], f.slow[i], f.why[i])
		}
	}
}
