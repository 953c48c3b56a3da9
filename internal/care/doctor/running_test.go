package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
)

// TestTheGatewayThatRunsIsThisOne: another configuration, version or program behind the port
// is named with its process, and what the gateway says of its parts is said here as well.
func TestTheGatewayThatRunsIsThisOne(t *testing.T) {
	t.Parallel()
	here := doors.About{ID: "home", Version: "2", PID: 7, Program: "/usr/bin/voice-gateway", Config: "/etc/voice-gateway.yaml"}
	errNone := errors.New("none")
	for name, tt := range map[string]struct {
		runs  func(a *doors.About)
		fails error
		state State
		words string
	}{
		"this one":            {state: Well, words: "home runs at 127.0.0.1:1: process 7, version 2, configuration /etc/voice-gateway.yaml"},
		"another file":        {runs: func(a *doors.About) { a.Config = "/home/me/mine.yaml" }, state: Ill, words: "(process 7, version 2) has another configuration: /home/me/mine.yaml, and not /etc/voice-gateway.yaml"},
		"no file":             {runs: func(a *doors.About) { a.Config = "" }, state: Ill, words: "another configuration: none, and not"},
		"another gateway":     {runs: func(a *doors.About) { a.ID = "attic" }, state: Ill, words: "the gateway attic at"},
		"another version":     {runs: func(a *doors.About) { a.Version = "1" }, state: Poor, words: "(process 7, version 1) is another version than this program, which is 2"},
		"another program":     {runs: func(a *doors.About) { a.Program = "/opt/voice-gateway" }, state: Poor, words: "is the program /opt/voice-gateway, and this one is /usr/bin/voice-gateway"},
		"one that is older":   {runs: func(a *doors.About) { *a = doors.About{ID: "home", Version: "1"} }, state: Poor, words: "(version 1) is another version"},
		"none":                {fails: errNone, state: Poor, words: "no gateway runs at 127.0.0.1:1"},
		"a silent program":    {fails: fmt.Errorf("asking: %w", context.DeadlineExceeded), state: Ill, words: "takes connections and says nothing within"},
		"a program of others": {fails: errors.New("a web page"), state: Ill, words: "cannot be asked: a web page"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := here
			if tt.runs != nil {
				tt.runs(&other)
			}
			l := &configure.Loaded{}
			l.Path, l.Gateway.ID, l.HTTP.Listen = here.Config, here.ID, "127.0.0.1:1"
			p := Patient{Loaded: l, Executable: here.Program, Version: here.Version, Command: "voice-gateway", NoDaemon: errNone}
			p.Ask = func(_ context.Context, _ string, answer any) error {
				switch into := answer.(type) {
				case *doors.About:
					*into = other
				case *doors.Readiness:
					into.Parts = []doors.Part{
						{Name: "mqtt", Health: doors.Ill, Why: "there is no connection"},
						{Name: "ai", Health: doors.Poor, Why: "it is slow"},
						{Name: "state", Health: doors.Well, Why: "it is kept"},
					}
				}
				if tt.fails != nil {
					return tt.fails
				}
				return nil
			}
			all := Status(t.Context(), p)
			if f := all[0]; f.Part != "gateway" || f.State != tt.state || !strings.Contains(f.Text, tt.words) || f.State != Well && f.Mend == "" && f.Do == "" {
				t.Errorf("%+v, expected %s: %s", f, tt.state, tt.words)
			}
			want := []Finding{{Part: "broker", State: Ill, Text: "there is no connection"}, {Part: "model", State: Poor, Text: "it is slow"}}
			if tt.fails != nil {
				want = nil
			}
			if len(all) != 1+len(want) {
				t.Fatalf("%+v", all)
			}
			for i, w := range want {
				if f := all[i+1]; f.Part != w.Part || f.State != w.State || f.Text != w.Text || f.Do == "" {
					t.Errorf("%+v, expected %+v", f, w)
				}
			}
		})
	}
}

// TestTheLooksAndTheGatewayAgree: what the looks have found is not said twice, and a look
// that found nothing gives way to the gateway.
func TestTheLooksAndTheGatewayAgree(t *testing.T) {
	t.Parallel()
	v := &visit{ready: doors.Readiness{Parts: []doors.Part{
		{Name: "audio", Health: doors.Ill, Why: "there is none"},
		{Name: "state", Health: doors.Ill, Why: "the disk is full"},
		{Name: "timers", Health: doors.Poor, Why: "they are not saved"},
		{Name: "mcp", Health: doors.Ill, Why: "zwave failed"},
	}}}
	found := v.agree([]Finding{
		{Part: "microphone", State: Poor, Text: "it is muted"}, {Part: "state", State: Well, Text: "it can be written"}, {Part: "server zwave", State: Ill, Text: "failed"},
	}, "Look at the log.")
	var got []string
	for _, f := range found {
		got = append(got, f.Part+" "+string(f.State)+": "+f.Text)
	}
	const want = "microphone poor: it is muted\nstate ill: the disk is full\nserver zwave ill: failed\nmicrophone ill: there is none\ntimers poor: they are not saved"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("found:\n%s\nexpected:\n%s", text, want)
	}
}
