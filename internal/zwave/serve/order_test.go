package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/config"
)

// controlLine is a command as a host writes it.
func controlLine(id int, device, action string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"control_zwave_device","arguments":{"device_name":%q,"action":%q}}}`, id, device, action)
}

// ordered is what a host learned about one of its commands.
type ordered struct {
	ID     int
	Result answer
}

// lastWon reports whether of several commands the last was carried out, and all
// before it gave way to a newer one at most.
func lastWon(told map[int]answer, first, last int) error {
	for id := first; id <= last; id++ {
		switch got := told[id].StructuredContent; {
		case got["outcome"] == "confirmed", id < last && got["reason"] == "overtaken":
		default:
			return fmt.Errorf("command %d of %d: %v", id-first+1, last-first+1, got)
		}
	}
	return nil
}

// pair is the action and its contrary, in turns.
func pair(i int) [2]string {
	if i%2 == 0 {
		return [2]string{"on", "off"}
	}
	return [2]string{"off", "on"}
}

// TestOfTwoOrdersWrittenTogetherTheLastWins writes pairs of contrary commands in one
// piece, and then bursts of them: the device ends as the last one says.
func TestOfTwoOrdersWrittenTogetherTheLastWins(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	startSimulator(t, url)
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, url, "--require-broker", "30s")
		s.shakeHands()
		s.until("the light is on", func() bool {
			return !s.call("control_zwave_device", map[string]any{"device_name": "Kitchen Light", "action": "on"}).IsError
		})
		judgeOrders(t, "Kitchen Light", func(first int, actions []string) map[int]answer { return s.burst("Kitchen Light", first, actions) })
	})
	t.Run("Streamable HTTP", func(t *testing.T) {
		t.Parallel()
		h := overHTTP(t, url)
		judgeOrders(t, "Office Light", func(first int, actions []string) map[int]answer { return h.burst("Office Light", first, actions) })
	})
}

// judgeOrders sends 40 pairs and 2 bursts of 30.
func judgeOrders(t *testing.T, device string, burst func(first int, actions []string) map[int]answer) {
	t.Helper()
	id, lost := 1000, 0
	play := func(actions []string) {
		if err := lastWon(burst(id, actions), id, id+len(actions)-1); err != nil {
			lost++
			t.Logf("%s: %v: %v", device, actions, err)
		}
		id += len(actions)
	}
	for i := range 40 {
		p := pair(i)
		play(p[:])
	}
	if lost > 0 {
		t.Errorf("of 40 pairs the last command was lost in %d", lost)
	}
	lost = 0
	for i := range 2 {
		var actions []string
		for range 15 {
			p := pair(i)
			actions = append(actions, p[:]...)
		}
		play(actions)
	}
	if lost > 0 {
		t.Errorf("of 2 bursts of 30 the last command was lost in %d", lost)
	}
}

// burst writes commands in one piece and returns what came of each.
func (s *server) burst(device string, first int, actions []string) map[int]answer {
	s.Helper()
	var all strings.Builder
	for i, action := range actions {
		all.WriteString(controlLine(first+i, device, action) + "\n")
	}
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(s.in, all.String())
		written <- err
	}()
	told := map[int]answer{}
	for len(told) < len(actions) {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			s.Fatalf("%v; stderr: %s", err, s.err)
		}
		var m ordered
		if json.Unmarshal(line, &m) == nil && m.ID >= first {
			told[m.ID] = m.Result
		}
	}
	if err := <-written; err != nil {
		s.Fatal(err)
	}
	return told
}

// webHost is an MCP host with one session and many connections.
type webHost struct {
	*testing.T
	address, session string
	conns            []net.Conn
}

// overHTTP starts a server that is reached over HTTP, and opens a session there.
func overHTTP(t *testing.T, url string) *webHost {
	t.Helper()
	h := &webHost{T: t, address: fake.FreeAddr(t)}
	p := Program{
		Args: []string{"--http", h.address, "--require-broker", "30s"}, In: strings.NewReader(""), Out: io.Discard, Err: &words{},
		Options: config.Options{Environ: []string{"MQTT_BROKER_URL=" + url}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	h.until("the server listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", h.address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	h.connect(1)
	h.write(0, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	h.session, _ = h.read(0)
	h.until("the light is on", func() bool { return !h.burst("Office Light", 2, []string{"on"})[2].IsError })
	return h
}

func (h *webHost) until(what string, ok func() bool) {
	h.Helper()
	(&server{T: h.T, err: &words{}}).until(what, ok)
}

// connect opens connections until there are so many.
func (h *webHost) connect(n int) {
	h.Helper()
	for len(h.conns) < n {
		c, err := (&net.Dialer{}).DialContext(h.Context(), "tcp", h.address)
		if err != nil {
			h.Fatal(err)
		}
		h.Cleanup(func() { _ = c.Close() })
		h.conns = append(h.conns, c)
	}
}

// write writes a message on one of the connections.
func (h *webHost) write(conn int, message string) {
	h.Helper()
	head := "POST /mcp HTTP/1.1\r\nHost: " + h.address + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	if h.session != "" {
		head += "Mcp-Session-Id: " + h.session + "\r\n"
	}
	if _, err := fmt.Fprintf(h.conns[conn], "%sContent-Length: %d\r\n\r\n%s", head, len(message), message); err != nil {
		h.Fatal(err)
	}
}

// read reads the answer on one of the connections.
func (h *webHost) read(conn int) (session string, body []byte) {
	h.Helper()
	_ = h.conns[conn].SetReadDeadline(time.Now().Add(2 * time.Minute))
	resp, err := http.ReadResponse(bufio.NewReader(h.conns[conn]), nil)
	if err != nil {
		h.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		h.Fatal(err)
	}
	if at := bytes.Index(body, []byte("data: ")); at >= 0 { // an event stream of one event
		body = body[at+len("data: "):]
	}
	return resp.Header.Get("Mcp-Session-Id"), body
}

// burst writes commands right after each other, each on a connection of its own, and
// returns what came of each.
func (h *webHost) burst(device string, first int, actions []string) map[int]answer {
	h.Helper()
	h.connect(len(actions))
	for i, action := range actions {
		h.write(i, controlLine(first+i, device, action))
	}
	told := map[int]answer{}
	for i := range actions {
		_, body := h.read(i)
		var m ordered
		if err := json.Unmarshal(body, &m); err != nil {
			h.Fatalf("%v in %s", err, body)
		}
		told[m.ID] = m.Result
	}
	return told
}
