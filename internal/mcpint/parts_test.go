package mcpint

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"
)

func TestDelay(t *testing.T) {
	s := time.Second
	tests := map[string]struct {
		retry Retry
		want  []time.Duration
	}{
		"default":  {DefaultRetry(), []time.Duration{0, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}},
		"bounded":  {Retry{Attempts: 6, BaseDelay: s, Multiplier: 3, MaxDelay: 5 * s, SlowInterval: 20 * s}, []time.Duration{0, 1 * s, 3 * s, 5 * s, 5 * s, 5 * s, 20 * s, 20 * s}},
		"constant": {Retry{Attempts: 2, BaseDelay: s, Multiplier: 1, MaxDelay: s, SlowInterval: s}, []time.Duration{0, s, s, s}},
		"huge":     {Retry{Attempts: 9999, BaseDelay: s, Multiplier: 1e9, MaxDelay: time.Minute, SlowInterval: s}, []time.Duration{0, s, time.Minute}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, want := range tt.want {
				if got := tt.retry.Delay(i + 1); got != want {
					t.Errorf("before attempt %d: %v, want %v", i+1, got, want)
				}
			}
		})
	}
	if got := DefaultRetry().Delay(1 << 20); got != time.Minute {
		t.Errorf("a late delay is %v", got)
	}
	if low, high := jittered(10*s, 0), jittered(10*s, 0.999999); low != 9*s || high > 11*s {
		t.Errorf("jitter goes from %v to %v", low, high)
	}
}

func TestEveryStateCanBeLeftAndReached(t *testing.T) {
	reached := map[State]bool{}
	for from, events := range transitions {
		for e, to := range events {
			if to != from {
				reached[to] = true
			}
			if _, known := transitions[to]; !known {
				t.Errorf("%s leads from %s to the unknown %s", e, from, to)
			}
		}
		if to, ok := next(from, stopped); !ok || to != Disconnected {
			t.Errorf("%s cannot be stopped", from)
		}
		if _, ok := next(from, forced); !ok {
			t.Errorf("%s cannot be forced", from)
		}
	}
	for state := range transitions {
		if !reached[state] {
			t.Errorf("nothing leads to %s", state)
		}
	}
	if to, ok := next(Retrying, opened); ok || to != Retrying {
		t.Error("an impossible event moved the state")
	}
}

func TestOverallState(t *testing.T) {
	up, down := Status{Status: Connected}, Status{Status: Failed}
	mainUp, mainDown := Status{Status: Connected, Essential: true}, Status{Status: Retrying, Essential: true}
	tests := map[string]struct {
		servers []Status
		want    string
	}{
		"none":                 {nil, "full"},
		"all":                  {[]Status{mainUp, up}, "full"},
		"some optional":        {[]Status{mainUp, up, down}, "partial"},
		"essential only":       {[]Status{mainUp, down}, "degraded"},
		"essential missing":    {[]Status{mainDown, up}, "disconnected"},
		"one essential of two": {[]Status{mainUp, mainDown}, "disconnected"},
		"optional ones only":   {[]Status{down}, "degraded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Overall(tt.servers); got != tt.want {
				t.Fatalf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	tests := map[string]struct {
		vitals vitals
		want   Health
		reason string
	}{
		"new":          {vitals{}, Dead, "not connected yet"},
		"away":         {vitals{why: "it ended", failures: 9, silences: 9}, Dead, "it ended"},
		"fresh":        {vitals{connected: true}, Healthy, ""},
		"slow":         {vitals{connected: true, lastCall: 2 * time.Second}, Degraded, "the last call took 2s"},
		"at the limit": {vitals{connected: true, lastCall: slowCall}, Healthy, ""},
		"one silence":  {vitals{connected: true, failures: 1, silences: 1}, Degraded, "the last call or check"},
		"failed calls": {vitals{connected: true, failures: 9}, Degraded, "9 calls or checks"},
		"two":          {vitals{connected: true, failures: 2, silences: 2}, Unresponsive, "2 checks in a row"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, reason := healthOf(tt.vitals)
			if got != tt.want || !strings.HasPrefix(reason, tt.reason) || (reason == "") != (tt.reason == "") {
				t.Fatalf("got %s because %q, want %s because %q", got, reason, tt.want, tt.reason)
			}
		})
	}
}

func TestStatusAsJSON(t *testing.T) {
	raw, err := json.Marshal(Status{ID: "zwave", Transport: "stdio", Status: Disconnected})
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"breaker", "breakerSince", "consecutiveFailures", "errorMessage", "essential", "health", "healthReason", "id", "lastRetryTime",
		"lastSuccess", "maxRetries", "nextRetryTime", "pid", "retryCount", "status", "tools", "toolsChanged", "transport", "version",
	}
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Fatalf("the keys are %q, want %q", got, want)
	}
	for _, key := range []string{"breakerSince", "errorMessage", "healthReason", "lastRetryTime", "lastSuccess", "nextRetryTime", "pid", "tools", "toolsChanged", "version"} {
		if object[key] != nil {
			t.Errorf("%s is %v though unknown", key, object[key])
		}
	}
}

func TestFailureText(t *testing.T) {
	tests := map[string]struct {
		failure Failure
		want    string
	}{
		"a child that exits": {
			Failure{
				Server:   Server{ID: "zwave", Command: "/tmp/broken", Rules: Rules{Program: "zwave-mcp-server"}, Env: map[string]string{"MQTT_BROKER_URL": "tcp://127.0.0.1:1883"}},
				Attempts: 3, Local: defaultLocalTools,
				Err: &DialError{Server: "zwave", Transport: "stdio", Exit: "exit status 3", Stderr: "connecting\nno broker", Err: errors.New("the process ended before it answered")},
			},
			`Failed to initialize MCP tools after 3 attempts
Reason: connection to stdio server 'zwave' failed: the process ended before it answered (exit status 3)
MCP server stderr: connecting
  no broker
Check: MQTT broker running, zwave-mcp-server installed
Continuing with local tools only (datetime, search, volume)`,
		},
		"a silent server elsewhere": {
			Failure{
				Server:   Server{ID: "music", Transport: "http", URL: "http://us:er@music.example/mcp?token=secret"},
				Attempts: 1, Local: []string{"datetime"},
				Err: &DialError{Server: "music", Transport: "http", Err: errors.New("connection refused")},
			},
			`Failed to initialize MCP tools after 1 attempt
Reason: connection to http server 'music' failed: connection refused
Check: http://music.example/mcp reachable
Continuing with local tools only (datetime)`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.failure.Text(); got != tt.want {
				t.Fatalf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestLastWords(t *testing.T) {
	secrets := secretsOf(Server{
		Env:     map[string]string{"MQTT_PASSWORD": "hunter22", "MQTT_USERNAME": "house", "API_KEY": "x"},
		Headers: map[string]string{"Authorization": "Bearer abcdef"},
	})
	tests := map[string]struct{ raw, want string }{
		"plain":     {"one\ntwo\n", "one\ntwo"},
		"colours":   {"\x1b[1;31mERROR\x1b[0m bad\x1b]0;title\x07", "ERROR bad"},
		"controls":  {"a\x00b\rc\td\u202e", "abc d"},
		"no UTF-8":  {"a\xffb", "a\uFFFDb"},
		"blanks":    {"\n\n a \n\n", " a"},
		"secrets":   {"login house:hunter22 token abcdef x", "login house:*** token *** x"},
		"too many":  {strings.Repeat("line\n", 50) + "end", strings.Repeat("line\n", stderrLines-1) + "end"},
		"nothing":   {"", ""},
		"long line": {strings.Repeat("a", 5000) + "end", "…" + strings.Repeat("a", stderrShown-3) + "end"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := lastWords([]byte(tt.raw), secrets); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRingKeepsTheEnd(t *testing.T) {
	var r ring
	for range 100 {
		if n, err := r.Write(make([]byte, 10_000)); n != 10_000 || err != nil {
			t.Fatal(n, err)
		}
	}
	_, _ = r.Write([]byte("end"))
	if got := r.tail(); len(got) != stderrKept || !strings.HasSuffix(string(got), "end") || cap(r.kept) > 4*stderrKept {
		t.Fatalf("kept %d of %d bytes", len(got), cap(r.kept))
	}
}

func TestFindCommand(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "our-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it has to be executable
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := FindCommand("our-server", dir); err != nil || got != program {
		t.Errorf("beside us: %q, %v", got, err)
	}
	if got, err := FindCommand("sh", dir); err != nil || filepath.Base(got) != "sh" {
		t.Errorf("in PATH: %q, %v", got, err)
	}
	if got, err := FindCommand(program, ""); err != nil || got != program {
		t.Errorf("by path: %q, %v", got, err)
	}
	for name, command := range map[string]string{"missing": "no-such-server", "no program": "text", "missing path": dir + "/none", "directory": dir + "/"} {
		if _, err := FindCommand(command, dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error does not name the place: %v", name, err)
		}
	}
}

func TestChildEnvironment(t *testing.T) {
	got := childEnv([]string{"PATH=/bin", "HOME=/root", "LC_ALL=C", "AWS_SECRET=x", "TZ=UTC", "broken"}, map[string]string{"TZ": "Europe/Vienna", "MQTT_PASSWORD": "p"})
	want := []string{"HOME=/root", "LC_ALL=C", "MQTT_PASSWORD=p", "PATH=/bin", "TZ=Europe/Vienna"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestLimitLines(t *testing.T) {
	tests := map[string]struct {
		in string
		ok bool
	}{
		"short lines":      {"12345\n12345\n1234", true},
		"just too long":    {"12345\n123456\n", false},
		"too long, no end": {"1234567", false},
		"empty lines":      {"\n\n\n\n\n\n\n\n", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(limitLines(r, 5))
				if (err == nil) != tt.ok || tt.ok && string(got) != tt.in {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
			}
		})
	}
}

func FuzzLastWords(f *testing.F) {
	for _, raw := range []string{"", "\x1b[31mred\x1b[0m", "\x1b]0;a\x07b", "a\xff\xfe\n\n", strings.Repeat("\u20ac", 3000), "pass hunter22\x1b[0mhunter22"} {
		f.Add([]byte(raw))
	}
	f.Add([]byte("hun\x00ter22"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := lastWords(raw, []string{"hunter22"})
		if !utf8.ValidString(got) || len(got) > stderrShown+8 || strings.ContainsAny(got, "\x1b\x00\r") || strings.Contains(got, "hunter22") {
			t.Fatalf("unfit for a log: %q", got)
		}
	})
}

func FuzzServe(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	for _, in := range []string{
		"", "\n\n", "nonsense\n", hello, hello + "\n" + `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"dim","arguments":{"level":"1e9"}}}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `[]`, `{"id":1}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://home"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var out strings.Builder
		cfg := served(nil)
		cfg.In, cfg.Out = strings.NewReader(in), &out
		if err := Serve(t.Context(), cfg, quiet()); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("stdout carries something else than JSON: %q", line)
			}
		}
	})
}

func FuzzSpecOf(f *testing.F) {
	for _, raw := range []string{`{"name":"a","inputSchema":[]}`, `null`, `{"name":"x","annotations":{"readOnlyHint":"yes"}}`, `{"name":"\u0000","outputSchema":3}`, `[]`, `{`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		spec, ok := specOf(raw)
		if !ok {
			return
		}
		var object map[string]any
		if spec.Name == "" || spec.Risk == "" || json.Unmarshal(spec.Input, &object) != nil {
			t.Fatalf("unfit for a model: %+v", spec)
		}
	})
}

func FuzzLimitLines(f *testing.F) {
	f.Add("12345\n1234567\n")
	f.Fuzz(func(t *testing.T, in string) {
		_, err := io.ReadAll(limitLines(iotest.HalfReader(strings.NewReader(in)), 5))
		long := slices.ContainsFunc(strings.Split(in, "\n"), func(line string) bool { return len(line) > 5 })
		if long != (err != nil) {
			t.Fatalf("a long line: %v, error: %v", long, err)
		}
	})
}
