package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// notes is an MCP server that asks in the middle of a call whether to read everything, and
// answers with what it was told.
const notes = `while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}' ;;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"find_notes","description":"Find notes about whales","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}]}}' ;;
  *'"method":"tools/call"'*)
    echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Read all of them?","requestedSchema":{"type":"object","properties":{"all":{"type":"boolean"}}}}}'
    while IFS= read -r answer; do
      case $answer in *'"id":"q"'*) break ;; esac
    done
    case $answer in
    *'"all":true'*) said='every note' ;;
    *'"all":false'*) said='one note' ;;
    *) said='not a note' ;;
    esac
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$said'"}]}}' ;;
  *'"method":"notifications'*) ;;
  *) [ -n "$id" ] && echo '{"jsonrpc":"2.0","id":'$id',"result":{}}' ;;
  esac
done`

// noteReader is a language model that asks for the notes, and tells what it read.
func noteReader(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	finish := `"stop"`
	switch said := string(body); {
	case strings.Contains(said, "every note"):
		send(`{"content":"Whales sing all night."}`, "null")
	case strings.Contains(said, "one note"):
		send(`{"content":"Whales sing at times."}`, "null")
	case strings.Contains(said, "not a note"):
		send(`{"content":"Whales keep quiet."}`, "null")
	default:
		send(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"find_notes","arguments":"{}"}}]}`, "null")
		finish = `"tool_calls"`
	}
	send(`{}`, finish)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestAServerAsksThePerson: a question of a foreign server ends the turn that called it, and
// the next text of the same person answers the server, and the first question.
func TestAServerAsksThePerson(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(noteReader))
	defer model.Close()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "notes"), filepath.Join(dir, "voice-gateway.yaml")
	for path, text := range map[string]string{
		program: "#!/bin/sh\n" + notes + "\n",
		file:    "mcp: {servers: {zwave: {command: /nowhere/server}, notes: {command: " + program + "}}}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	addr := fake.FreeAddr(t)
	env := environ(t, "VOICE_GATEWAY_MQTT_BROKER=mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_HTTP_LISTEN="+addr,
		"VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+model.URL+"/v1")
	start(t, env, filepath.Join(bin, "voice-gateway"), "run", "--config", file)
	eventually(t, "the notes are there", func() bool {
		var list servers
		return get(t, addr, "/mcp/servers", &list) == nil && len(list.Servers) > 0 && list.Servers[0].Status == mcpint.Connected
	})
	ask := func(text string) record.Record {
		t.Helper()
		out, errs, _ := command(t, env, "ask", "--json", text)
		var r record.Record
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v: %s %s", err, out, errs)
		}
		return r
	}
	for _, c := range []struct{ answer, want string }{{"yes", "Whales sing all night."}, {"no", "Whales sing at times."}} {
		if r := ask("what do my notes say about whales"); r.Outcome != record.Asked || r.Reply != "The notes server asks: Read all of them?" {
			t.Fatalf("the question is %s: %q %s", r.Outcome, r.Reply, r.Error)
		}
		r := ask(c.answer)
		if r.Outcome != record.Done || r.Reply != c.want || len(r.Calls) != 1 || !r.Calls[0].OK {
			t.Errorf("%q is answered with %s: %q, %+v, want %q", c.answer, r.Outcome, r.Reply, r.Calls, c.want)
		}
	}
}
