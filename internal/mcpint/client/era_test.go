package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// newest is a server of revision 2026-07-28 alone, over stdio. It ends as soon as a
// request lacks what that revision demands.
type newest struct {
	refusal string // its answer to initialize: an error, or a result; "" is none
	mute    bool   // it answers nothing any more
	listens string // the id of the open subscription
}

// childNewest is a newest that refuses the handshake in the way that the second
// argument names.
func childNewest(refusal string) {
	n := &newest{refusal: refusal}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Meta         map[string]json.RawMessage `json:"_meta"`
				Name         string                     `json:"name"`
				RequestState string                     `json:"requestState"`
				Responses    struct {
					Q struct {
						Action string `json:"action"`
					} `json:"q"`
				} `json:"inputResponses"`
				Notifications json.RawMessage `json:"notifications"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || n.mute {
			continue
		}
		if m.Method == "initialize" {
			if n.refusal != "" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, n.refusal)
			}
			continue
		}
		if string(m.Params.Meta[mcp.MetaKeyProtocolVersion]) != `"2026-07-28"` || len(m.Params.Meta[mcp.MetaKeyClientCapabilities]) == 0 {
			fmt.Fprintf(os.Stderr, "%s without its metadata: %s\n", m.Method, line)
			os.Exit(6)
		}
		result := n.answer(string(m.ID), m.Method, m.Params.Name, strings.TrimSpace(m.Params.RequestState+" "+m.Params.Responses.Q.Action), string(m.Params.Notifications))
		if result != "" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, result)
		}
	}
}

func (n *newest) answer(id, method, tool, state, filter string) string {
	const complete = `"result":{"resultType":"complete",`
	switch method {
	case "server/discover":
		return complete + `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"9"}}}`
	case "tools/list":
		return complete + `"tools":[{"name":"act","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}},{"name":"hush","inputSchema":{"type":"object"}}]}`
	case "resources/list":
		return complete + `"resources":[{"uri":"test://home","name":"house"}]}`
	case "resources/read":
		return complete + `"contents":[{"uri":"test://home","text":"{\"rooms\":1}"}]}`
	case "subscriptions/listen":
		n.listens = id
		fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}}`+"\n", id, filter)
		if strings.Contains(filter, "test://home") {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://home"}}`)
		}
		if strings.Contains(filter, "toolsListChanged") {
			fmt.Println(changedNotice)
		}
		return ""
	case "tools/call":
		switch {
		case tool == "hush":
			n.mute = true
			return complete + `"content":[{"type":"text","text":"quiet from now on"}]}`
		case tool == "ask" && state == "":
			return `"result":{"resultType":"input_required","requestState":"opaque","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}}}`
		case tool == "ask":
			return complete + `"content":[{"type":"text","text":"state ` + state + `"}]}`
		}
		return `"result":{"content":[{"type":"text","text":"done"}]}` // without a resultType it is complete
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

// newestRefusals are the ways in which a server of the newest revision alone answers
// the handshake of those before it.
var newestRefusals = map[string]string{
	"newest-unsupported": `"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`,
	"newest-unknown":     `"error":{"code":-32601,"message":"Method not found"}`,
	"newest-invalid":     `"error":{"code":-32602,"message":"_meta is missing"}`,
	"newest-claims":      `"result":{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"new","version":"9"}}`,
	"newest-silent":      ``,
}

// TestServersOfTheNewestRevision connects to servers that speak 2026-07-28 alone over
// stdio, uses everything that differs there, and notices when one falls silent.
func TestServersOfTheNewestRevision(t *testing.T) {
	t.Parallel()
	for mode := range newestRefusals {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			notices := make(chan Notice, 16)
			ctx := patience(t)
			if mode == "newest-silent" { // it is asked again when most of the time has passed
				limited, cancel := context.WithTimeout(ctx, 10*time.Second)
				defer cancel()
				ctx = limited
			}
			session, err := Dial(ctx, child(t, "new", mode), Options{Name: "test", Version: "0", Notify: func(n Notice) { notices <- n }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			useNewest(t, session, notices)
			if r, err := session.CallTool(patience(t), "ask", nil); err != nil || r.Text != "state opaque decline" {
				t.Errorf("a tool that asks, without a person: %+v, %v", r, err)
			}
			p := &person{answer: tools.Answer{Given: true, Yes: true}}
			if r, err := session.CallTool(tools.WithTalk(patience(t), p), "ask", nil); err != nil || r.Text != "state opaque accept" || len(p.asked) != 1 || p.asked[0].Text != "Sure?" {
				t.Errorf("a tool that asks a person: %+v, %v, asked %+v", r, err, p.asked)
			}
			if r, err := session.CallTool(patience(t), "hush", nil); err != nil || r.Failed {
				t.Errorf("hush: %+v, %v", r, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if err := session.(Pingable).Ping(ctx); err == nil || ctx.Err() == nil {
				t.Errorf("a sign of life of a server that answers nothing: %v", err)
			}
		})
	}
}

// childSlow shakes hands only after it was asked in the newest revision too, which it does
// not know and leaves without an answer.
func childSlow() {
	in := bufio.NewScanner(os.Stdin)
	var hello string
	for in.Scan() {
		var m struct{ ID, Method any }
		switch _ = json.Unmarshal(in.Bytes(), &m); m.Method {
		case "initialize":
			hello = fmt.Sprint(m.ID)
		case "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}`+"\n", hello)
		}
	}
}

// TestASlowServerOfAnOldRevision connects to a server that answers the handshake too late, and
// checks that Late is called at most once, with the reason.
func TestASlowServerOfAnOldRevision(t *testing.T) {
	t.Parallel()
	slow := child(t, "old", "slow")
	slow.ConnectTimeout = 100 * time.Millisecond
	late := make(chan error, 2)
	session, err := Dial(patience(t), slow, Options{Name: "test", Version: "0", Late: func(err error) { late <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if v := session.(Identified).ServerVersion(); v != "1" {
		t.Errorf("its version is %q", v)
	}
	select { // it may also have been quick
	case err := <-late:
		if !strings.Contains(err.Error(), "no answer to initialize within 100ms; if it needs longer to start, set mcp.servers.old.connect_timeout to more") {
			t.Errorf("told %v", err)
		}
	default:
	}
}

// useNewest uses what every server of the newest revision here offers.
func useNewest(t *testing.T, session Session, notices <-chan Notice) {
	t.Helper()
	ctx := patience(t)
	if v := session.(Identified).ServerVersion(); v != "9" {
		t.Errorf("the version of the server is %q", v)
	}
	list, err := session.ListTools(ctx)
	if err != nil || len(list.Tools) == 0 || list.Tools[0].Name != "act" {
		t.Fatalf("the tools are %+v, %v", list.Tools, err)
	}
	if r, err := session.CallTool(ctx, "act", json.RawMessage(`{}`)); err != nil || r.Failed || r.Text != "done" {
		t.Errorf("a call: %+v, %v", r, err)
	}
	if err := session.(Pingable).Ping(ctx); err != nil {
		t.Errorf("a sign of life: %v", err)
	}
	home := session.(Resourceful)
	if uris, err := home.ListResources(ctx); err != nil || !slices.Equal(uris, []string{"test://home"}) {
		t.Errorf("the resources are %q, %v", uris, err)
	}
	if body, err := home.ReadResource(ctx, "test://home"); err != nil || string(body) != `{"rooms":1}` {
		t.Errorf("the house is %s, %v", body, err)
	}
	if err := home.Subscribe(ctx, "test://home"); err != nil {
		t.Errorf("subscribing: %v", err)
	}
	wanted := map[NoticeKind]bool{ToolsChanged: true, ResourceUpdated: true}
	for len(wanted) > 0 {
		select {
		case n := <-notices:
			delete(wanted, n.Kind)
		case <-ctx.Done():
			t.Fatalf("not announced: %v", wanted)
		}
	}
}

// webOfTheNewest is a server over HTTP that speaks the given revisions, and notes the
// requests it gets.
func webOfTheNewest(t *testing.T, versions ...string) (address string, seen func() []string) {
	t.Helper()
	s := server.NewMCPServer("new", "9", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true))
	s.AddTool(mcp.NewTool("act", mcp.WithString("region", mcp.Required(), func(p map[string]any) { p["x-mcp-header"] = "Region" })), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	})
	house := mcp.NewResource("test://home", "house")
	s.AddResource(house, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://home", Text: `{"rooms":1}`}}, nil
	})
	next := server.NewStreamableHTTPServer(s, server.WithStreamableHTTPProtocolVersions(versions...))
	var mu sync.Mutex
	var list []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tee := &teeBody{ReadCloser: r.Body}
		r.Body = tee
		defer func() {
			var m struct{ Method string }
			_ = json.Unmarshal([]byte(tee.seen.String()), &m)
			mu.Lock()
			defer mu.Unlock()
			list = append(list, m.Method+" "+r.Header.Get("Mcp-Method")+" "+r.Header.Get("Mcp-Param-Region"))
		}()
		if strings.Contains(r.Header.Get("Mcp-Method"), "subscriptions/listen") {
			time.AfterFunc(50*time.Millisecond, func() { // the exact moment does not matter
				s.SendNotificationToAllClients("notifications/tools/list_changed", nil)
				s.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "test://home"})
			})
		}
		text, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
		if strings.Contains(string(text), `"initialize"`) && !slices.ContainsFunc(versions, func(v string) bool { return v < "2026" }) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}}`)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL + "/mcp", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// TestRevisionsOverHTTP lets the server decide which revision is spoken over HTTP, and
// the configuration where it names one.
func TestRevisionsOverHTTP(t *testing.T) {
	newestToo := []string{"2026-07-28", "2025-11-25"}
	for name, tt := range map[string]struct {
		speaks   []string
		protocol string
		want     string // what a call says of itself in its header
		fails    string
	}{
		"the newest alone":             {newestToo[:1], "", "tools/call", ""},
		"both":                         {newestToo, "", "", ""},
		"the one before alone":         {newestToo[1:], "", "", ""},
		"both, held to the newest":     {newestToo, "2026-07-28", "tools/call", ""},
		"an old one, held to newest":   {newestToo[1:], "2026-07-28", "", "2026-07-28"},
		"the newest, held to the old":  {newestToo[:1], "2025-06-18", "", "protocol version"},
		"the newest alone, called new": {newestToo[:1], "2026-07-28", "tools/call", ""},
	} {
		t.Run(name, func(t *testing.T) {
			address, seen := webOfTheNewest(t, tt.speaks...)
			notices := make(chan Notice, 16)
			session, err := Dial(patience(t), mcpint.Server{ID: "web", Transport: "http", URL: address, Protocol: tt.protocol}, Options{Name: "test", Version: "0", Notify: func(n Notice) { notices <- n }})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if tt.want != "" {
				useNewestOverHTTP(t, session, notices)
			}
			if _, err := session.ListTools(patience(t)); err != nil {
				t.Fatal(err)
			}
			r, err := session.CallTool(patience(t), "act", json.RawMessage(`{"region":"north"}`))
			if err != nil || r.Text != "done" {
				t.Fatalf("a call: %+v, %v", r, err)
			}
			want := "tools/call " + tt.want + " "
			if tt.want != "" {
				want += "north"
			}
			if got := seen(); !slices.Contains(got, want) {
				t.Errorf("the requests are %q, expected %q among them", got, want)
			}
		})
	}
}

func useNewestOverHTTP(t *testing.T, session Session, notices <-chan Notice) {
	t.Helper()
	list, err := session.ListTools(patience(t))
	if err != nil || len(list.Tools) != 1 {
		t.Fatalf("the tools are %+v, %v", list.Tools, err)
	}
	home := session.(Resourceful)
	if err := home.Subscribe(patience(t), "test://home"); err != nil {
		t.Error(err)
	}
	if err := session.(Pingable).Ping(patience(t)); err != nil {
		t.Errorf("a sign of life: %v", err)
	}
	select {
	case <-notices:
	case <-patience(t).Done():
		t.Error("nothing is announced")
	}
}

// TestALostServerOfTheNewestRevision: the end of the server is noticed at the first
// request after it.
func TestALostServerOfTheNewestRevision(t *testing.T) {
	s := server.NewMCPServer("new", "9", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("act"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s, server.WithStreamableHTTPProtocolVersions("2026-07-28")))
	session, err := Dial(patience(t), mcpint.Server{ID: "web", Transport: "http", URL: web.URL + "/mcp"}, Options{Name: "test", Version: "0"})
	if err != nil {
		web.Close()
		t.Fatal(err)
	}
	defer session.Close()
	web.CloseClientConnections()
	web.Close()
	if err := session.(Pingable).Ping(patience(t)); err == nil {
		t.Error("a server that is gone gives a sign of life")
	}
	if _, err := session.CallTool(patience(t), "act", nil); !errors.Is(err, tools.ErrNotConnected) {
		t.Errorf("a call: %v", err)
	}
}
