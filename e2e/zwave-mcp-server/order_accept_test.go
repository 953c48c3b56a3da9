//go:build accept

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// commanding is a host that writes commands together, by some way, and reads what came
// of each, by its id.
type commanding func(commands []string, first int) map[int]outcome

// outcome is what a host learns about a command.
type outcome struct {
	ID     int
	Result struct{ StructuredContent map[string]any }
}

const openSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func commandLine(id int, device, action string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"control_zwave_device","arguments":{"device_name":%q,"action":%q}}}`, id, device, action)
}

// TestAcceptOrdersActAsTheyArrive writes 200 pairs of contrary commands, and bursts of
// 30, on one stdio connection and on the connections of one HTTP session: the last wins.
func TestAcceptOrdersActAsTheyArrive(t *testing.T) {
	t.Parallel()
	url := startBroker(t)
	simulate(t, url, "")
	for way, start := range map[string]func(*testing.T, string) commanding{"stdio": commandStdio, "Streamable HTTP": commandHTTP} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			device := map[string]string{"stdio": "Kitchen Light", "Streamable HTTP": "Office Light"}[way]
			send, id := start(t, url), 100
			lost := func(actions []string) bool {
				var lines []string
				for i, action := range actions {
					lines = append(lines, commandLine(id+i, device, action))
				}
				told := send(lines, id)
				id += len(actions)
				last := told[id-1].Result.StructuredContent
				if last["outcome"] != "confirmed" {
					t.Logf("%q, and then: %v", actions, last)
				}
				return last["outcome"] != "confirmed"
			}
			waitFor(t, "the house is known", func() bool { return !lost([]string{"on"}) })
			pairs, bursts := 0, 0
			for i := range 200 {
				actions := []string{"on", "off"}
				if i%2 == 1 {
					slices.Reverse(actions)
				}
				if lost(actions) {
					pairs++
				}
				if i%40 == 0 && lost(slices.Repeat(actions, 15)) {
					bursts++
				}
			}
			t.Logf("lost: %d of 200 pairs, %d of 5 bursts of 30", pairs, bursts)
			if pairs+bursts > 0 {
				t.Error("the last command was lost")
			}
		})
	}
}

func commandStdio(t *testing.T, url string) commanding {
	t.Helper()
	p := startProcess(t, []string{"MQTT_BROKER_URL=" + url})
	read := func() (o outcome) {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v; stderr: %s", err, p.stderr)
		}
		_ = json.Unmarshal(line, &o) // what is no answer has no id
		return o
	}
	_, _ = io.WriteString(p.in, openSession+"\n")
	read()
	return func(commands []string, first int) map[int]outcome {
		if _, err := io.WriteString(p.in, strings.Join(commands, "\n")+"\n"); err != nil {
			t.Fatal(err)
		}
		told := map[int]outcome{}
		for len(told) < len(commands) {
			if o := read(); o.ID >= first {
				told[o.ID] = o
			}
		}
		return told
	}
}

func commandHTTP(t *testing.T, url string) commanding {
	t.Helper()
	address := fake.FreeAddr(t)
	startProcess(t, []string{"MQTT_BROKER_URL=" + url}, "--http", address)
	var conns []net.Conn
	connect := func(n int) bool {
		for len(conns) < n {
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				return false
			}
			t.Cleanup(func() { _ = c.Close() })
			conns = append(conns, c)
		}
		return true
	}
	waitFor(t, "the endpoint", func() bool { return connect(1) })
	session := ""
	write := func(c net.Conn, body string) {
		if _, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
			address, session, len(body), body); err != nil {
			t.Fatal(err)
		}
	}
	read := func(c net.Conn) (header http.Header, o outcome) {
		_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(body, []byte("data: ")); at >= 0 {
			body = body[at+len("data: "):]
		}
		if err := json.Unmarshal(body, &o); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return resp.Header, o
	}
	write(conns[0], openSession)
	header, _ := read(conns[0])
	session = "Mcp-Session-Id: " + header.Get("Mcp-Session-Id") + "\r\n"
	return func(commands []string, _ int) map[int]outcome {
		connect(len(commands))
		for i, command := range commands {
			write(conns[i], command)
		}
		told := map[int]outcome{}
		for i := range commands {
			_, o := read(conns[i])
			told[o.ID] = o
		}
		for _, c := range conns[min(2, len(conns)):] { // more than two are new each time, because the server lets go of those that rest
			_ = c.Close()
		}
		conns = conns[:min(2, len(conns))]
		return told
	}
}
