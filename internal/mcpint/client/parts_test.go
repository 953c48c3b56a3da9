package client

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func TestRedactTail(t *testing.T) {
	secrets := SecretsOf(mcpint.Server{
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
			if got := secrets.RedactTail([]byte(tt.raw)); got != tt.want {
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

func FuzzRedactTail(f *testing.F) {
	for _, raw := range []string{"", "\x1b[31mred\x1b[0m", "\x1b]0;a\x07b", "a\xff\xfe\n\n", strings.Repeat("\u20ac", 3000), "pass hunter22\x1b[0mhunter22"} {
		f.Add([]byte(raw))
	}
	f.Add([]byte("hun\x00ter22"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := Secrets{"hunter22"}.RedactTail(raw)
		if !utf8.ValidString(got) || len(got) > stderrShown+8 || strings.ContainsAny(got, "\x1b\x00\r") || strings.Contains(got, "hunter22") {
			t.Fatalf("unfit for a log: %q", got)
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

func TestBigResultsAreBounded(t *testing.T) {
	const limit = 10
	data := json.RawMessage(`{"a":"0123456789"}`)
	tests := map[string]struct {
		in   tools.Result
		text string // the beginning
		data bool
		cut  bool
	}{
		"small":            {tools.Result{Text: "0123456789", Data: json.RawMessage(`{}`)}, "0123456789", true, false},
		"long text":        {tools.Result{Text: "0123456789x"}, "0123456789\n(The answer has 11 bytes", false, true},
		"in a letter":      {tools.Result{Text: "012345678€"}, "012345678\n(The answer has 12 bytes", false, true},
		"much data":        {tools.Result{Text: "short", Data: data}, "short\n(The answer has 18 bytes", false, true},
		"a failure is one": {tools.Result{Text: "0123456789x", Failed: true}, "0123456789\n(", false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := bounded(tt.in, limit)
			if !strings.HasPrefix(got.Text, tt.text) || (got.Data != nil) != tt.data || strings.Contains(got.Text, "left out") != tt.cut || got.Failed != tt.in.Failed || !utf8.ValidString(got.Text) {
				t.Fatalf("got %+v", got)
			}
		})
	}
}

func FuzzReadResult(f *testing.F) {
	for _, raw := range []string{
		`{"content":[{"type":"text","text":"x"}]}`, `{"content":[{"type":"image","data":"","mimeType":"x"}],"isError":true}`, `{}`, `[]`, `null`, `{"content":3}`,
		`{"content":[],"structuredContent":{"a":1},"_meta":{"x":1}}`, `{"content":[{"type":"resource","resource":{"uri":"a","text":"b"}}]}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // what comes here has been parsed before
		}
		if r := readResult(raw); len(r.Text) > maxResult+300 || len(r.Data) > maxResult {
			t.Fatalf("%d and %d bytes", len(r.Text), len(r.Data))
		}
	})
}

func TestLimitAnswer(t *testing.T) {
	tests := map[string]struct {
		in     string
		events bool
		ok     bool
	}{
		"short":           {"12\n45", false, true},
		"long":            {"123\n56", false, false},
		"long by lines":   {"\n\n\n\n\n\n", false, false},
		"short events":    {"1:3\n\n1:3\n\n", true, true},
		"other line ends": {"13\r\n\r\n13\r\n\r\n", true, false},
		"with other ends": {"1\r\n\r\n1\r\n\r\n1\r\n\r\n", true, true},
		"long event":      {"1\n2\n3\n", true, false},
		"heartbeats":      {"\n\n\n\n\n\n\n\n\n", true, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(limitAnswer(r, tt.events, 5))
				if (err == nil) != tt.ok || tt.ok && string(got) != tt.in {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
			}
		})
	}
}
