//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
)

// errandOfModel is what the scripted model does with a sentence: it calls a tool of
// a real server, whether the tool was offered or not.
type errandOfModel struct {
	sentence, tool, args string
	writes               bool // the tool changes something
}

// errands use every server: each reads, and three write. DIR is the directory that the file server
// may use.
var errands = []errandOfModel{
	{sentence: "how much is two and three according to the reference", tool: "get-sum", args: `{"a":2,"b":3}`},
	{sentence: "what does the shopping note say", tool: "read_text_file", args: `{"path":"DIR/shopping.txt"}`},
	{sentence: "which things do the notes remember", tool: "read_graph", args: `{}`},
	{sentence: "how would one think about the garden in steps", tool: "sequentialthinking", args: `{"thought":"water","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`},
	{sentence: "create a folder for the recipes please", tool: "create_directory", args: `{"path":"DIR/recipes"}`, writes: true},
	{sentence: "can you write bread on the shopping note", tool: "write_file", args: `{"path":"DIR/shopping.txt","content":"bread"}`, writes: true},
	{sentence: "remember that grandmother likes tulips", tool: "create_entities", args: `{"entities":[{"name":"Grandmother","entityType":"person","observations":["likes tulips"]}]}`, writes: true},
}

// errandModel is an OpenAI-compatible server that runs the errands.
type errandModel struct {
	dir     string
	offered chan string // the tool of the errand, where it was offered
}

// ServeHTTP answers /models and /chat/completions.
func (m *errandModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	var asked struct {
		Messages []struct{ Role, Content string } `json:"messages"`
		Tools    []struct {
			Function struct{ Name string } `json:"function"`
		} `json:"tools"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked) // a request without messages gets an answer too
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	defer func() { _, _ = io.WriteString(w, "data: [DONE]\n\n") }()
	last := len(asked.Messages) - 1
	for _, e := range errands {
		if last < 0 || asked.Messages[last].Role != "user" || !strings.Contains(asked.Messages[last].Content, e.sentence) {
			continue
		}
		for _, tool := range asked.Tools {
			if tool.Function.Name == e.tool {
				m.offered <- e.tool
			}
		}
		args, _ := json.Marshal(strings.ReplaceAll(e.args, "DIR", m.dir))
		send(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"`+e.tool+`","arguments":`+string(args)+`}}]}`, "null")
		send(`{}`, `"tool_calls"`)
		return
	}
	send(`{"content":"That is what it says."}`, "null")
	send(`{}`, `"stop"`)
}

// npmServers is the part of the configuration with the servers from npm; settings
// are further lines of each.
func npmServers(t *testing.T, dir, settings string) string {
	t.Helper()
	modules := filepath.Join(peers(t), "node_modules")
	var b strings.Builder
	b.WriteString("mcp:\n  servers:\n")
	for id, more := range map[string]string{
		"everything": ", stdio]", "memory": "], env: {MEMORY_FILE_PATH: " + dir + "/memory.jsonl}",
		"filesystem": ", " + dir + "]", "sequential-thinking": "]",
	} {
		if !strings.Contains(more, "]") {
			more += "]"
		}
		script := filepath.Join(modules, "@modelcontextprotocol", "server-"+id, "dist", "index.js")
		_, _ = fmt.Fprintf(&b, "    %s: {command: %s, connect_timeout: 60s, args: [%s%s%s}\n", id, filepath.Join(modules, ".bin", "peer-node"), script, more, settings)
	}
	return b.String()
}

// trustLevel is what one setting lets the servers from npm do.
type trustLevel struct {
	settings string   // further lines of each server's configuration
	reads    bool     // the reading tools are used
	writes   []string // the writing tools that have done their work in the end
	asked    bool     // after a question, and not before
}

var trustLevels = map[string]trustLevel{
	"none": {settings: ", trust: none"},
	"read": {settings: ", trust: read", reads: true},
	"act":  {settings: ", trust: act", reads: true, writes: []string{"create_directory", "write_file", "create_entities"}, asked: true},
	"full": {settings: ", trust: full", reads: true, writes: []string{"create_directory", "create_entities"}}, // write_file calls itself destructive
}

// TestAcceptRealServers puts four servers from npm beside the gateway, with a model
// that calls what it likes, and prints who was offered, called and told what.
func TestAcceptRealServers(t *testing.T) {
	t.Parallel()
	for name, level := range trustLevels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			level.tell(t)
		})
	}
}

// tell runs the errands at one level of trust.
func (level trustLevel) tell(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	note := filepath.Join(dir, "shopping.txt")
	if err := os.WriteFile(note, []byte("milk and eggs"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	if err := os.WriteFile(config, []byte(npmServers(t, dir, level.settings)), 0o600); err != nil {
		t.Fatal(err)
	}
	model := &errandModel{dir: dir, offered: make(chan string, 100)}
	server := httptest.NewServer(model)
	defer server.Close()
	broker := mosquitto(t)
	simulate(t, broker)
	_, addr, env := daemonWith(t, []string{"--config", config}, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
	eventually(t, "all servers are connected", func() bool {
		var list servers
		return get(t, addr, "/mcp/servers", &list) == nil && len(list.Servers) == 5 && list.Overall == "full"
	})
	for i, e := range errands {
		// In different rooms, because the text of a server is kept from the next turn in the same
		// room.
		r := askedIn(t, env, i, e.sentence)
		offered := drained(model.offered)
		t.Logf("%q: %s offered %v; %s; said %q", e.sentence, e.tool, offered, r.Outcome, r.Reply)
		if r.Outcome == record.Asked && e.writes {
			if !level.asked {
				t.Errorf("%q was asked about", e.sentence)
			}
			r = askedIn(t, env, i, "yes")
			t.Logf("    \"yes\": %s; said %q", r.Outcome, r.Reply)
		}
		used := len(r.Calls) == 1 && r.Calls[0].OK
		for _, c := range r.Calls {
			t.Logf("    %s %s %s: ok %v", c.Server, c.Tool, c.Args, c.OK)
		}
		if want := !e.writes && level.reads || e.writes && slices.Contains(level.writes, e.tool); used != want {
			t.Errorf("%q: %s used %v, expected %v", e.sentence, e.tool, used, want)
		}
	}
	level.check(t, dir)
}

// askedIn asks the gateway from a room.
func askedIn(t *testing.T, env []string, room int, sentence string) record.Record {
	t.Helper()
	out, errs, _ := command(t, env, "ask", "--json", "--area", fmt.Sprintf("Room %d", room), sentence)
	var r record.Record
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s %s", err, out, errs)
	}
	return r
}

// drained empties a channel and reports whether anything was in it.
func drained(ch chan string) (filled bool) {
	for len(ch) > 0 {
		<-ch
		filled = true
	}
	return filled
}

// check holds what is on the disk against what the level lets the tools do.
func (level trustLevel) check(t *testing.T, dir string) {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, "recipes"))
	note, _ := os.ReadFile(filepath.Join(dir, "shopping.txt"))
	memory, _ := os.ReadFile(filepath.Join(dir, "memory.jsonl"))
	for tool, did := range map[string]bool{
		"create_directory": err == nil, "write_file": string(note) == "bread", "create_entities": strings.Contains(string(memory), "Grandmother"),
	} {
		if want := slices.Contains(level.writes, tool); did != want {
			t.Errorf("%s did its work: %v, expected %v", tool, did, want)
		}
	}
}
