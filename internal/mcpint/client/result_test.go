package client

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"voicegateway/internal/ground/secret"
	"voicegateway/internal/tools"
)

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
			got := truncateResult(tt.in, limit)
			if !strings.HasPrefix(got.Text, tt.text) || (got.Data != nil) != tt.data || strings.Contains(got.Text, "left out") != tt.cut || got.Failed != tt.in.Failed || !utf8.ValidString(got.Text) {
				t.Fatalf("got %+v", got)
			}
		})
	}
}

// TestLinkedThingsAreNamed: what a result only links to is named, so that a model and a
// person know of it.
func TestLinkedThingsAreNamed(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"a link":        {`{"type":"resource_link","uri":"file:///r.pdf","name":"r.pdf","title":"Report","description":"of May"}`, "(a link to Report, of May: file:///r.pdf)"},
		"a bare link":   {`{"type":"resource_link","uri":"file:///r.pdf","name":"\u001b[1mr\u0007.pdf"}`, "(a link to r.pdf: file:///r.pdf)"},
		"a file":        {`{"type":"resource","resource":{"uri":"file:///r.pdf","blob":"AAAA","mimeType":"application/pdf"}}`, "(a file: file:///r.pdf)"},
		"a long name":   {`{"type":"resource_link","uri":"file:///r.pdf","name":"` + strings.Repeat("x", 10_000) + `"}`, "(a link to xxx"},
		"with a secret": {`{"type":"resource_link","uri":"https://x/?key=Tr0ub4dor-and-3","name":"r"}`, "(a link to r: https://x/?key="},
	} {
		t.Run(name, func(t *testing.T) {
			secrets := &secret.Set{}
			secrets.Add("Tr0ub4dor-and-3")
			got := readResult(json.RawMessage(`{"content":[`+tt.content+`]}`), secrets).Text
			if !strings.HasPrefix(got, tt.want) || len(got) > 3*maxLink || strings.Contains(got, "Tr0ub4dor") {
				t.Errorf("got %q, want %q", got, tt.want)
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
		if r := readResult(raw, nil); len(r.Text) > maxResult+300 || len(r.Data) > maxResult {
			t.Fatalf("%d and %d bytes", len(r.Text), len(r.Data))
		}
	})
}
