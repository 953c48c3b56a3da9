package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func TestGarbageIsSkipped(t *testing.T) {
	session := dialled(t, child(t, "garbage", "garbage"))
	result, err := session.CallTool(patience(t), "echo", json.RawMessage(`{"text":"hello"}`))
	if err != nil || result.Text != "hello" {
		t.Fatalf("got %+v, %v", result, err)
	}
}

func dialled(t *testing.T, s mcpint.Server) Session {
	t.Helper()
	session, err := Dial(patience(t), s, Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	pid := session.(Identified).PID()
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		gone(t, pid)
	})
	return session
}

func TestOneBadToolDoesNotHideTheGoodOnes(t *testing.T) {
	list, err := dialled(t, child(t, "schemas", "schemas")).ListTools(patience(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list.Tools {
		names = append(names, s.Name)
		if !strings.HasPrefix(string(s.Input), "{") {
			t.Errorf("%s: a model cannot take the schema %s", s.Name, s.Input)
		}
	}
	if want := []string{"bad", "odd", "good", "reader"}; !slices.Equal(names, want) {
		t.Fatalf("got %q, want %q", names, want)
	}
	want := []Skipped{
		{"", "it has no name"},
		{"", "an entry of the server's list is no tool"},
		{"", "it has no name"},
		{"bad", "the server lists it twice; the first one counts"},
	}
	if !slices.Equal(list.Skipped, want) {
		t.Errorf("left out are %+v, want %+v", list.Skipped, want)
	}
	good, reader, bad := list.Tools[2], list.Tools[3], list.Tools[0]
	if good.Risk != tools.Reversible || !good.Idempotent || good.OpenWorld || good.Title != "Good" || good.Description != "A good one." {
		t.Errorf("good is %+v", good)
	}
	if reader.Risk != tools.Read || !reader.Idempotent || !reader.OpenWorld {
		t.Errorf("reader is %+v", reader)
	}
	if bad.Risk != tools.Dangerous {
		t.Errorf("without annotations the risk is %q", bad.Risk)
	}
}

func TestEndlessPagesEnd(t *testing.T) {
	list, err := dialled(t, child(t, "pages", "pages")).ListTools(patience(t))
	if err != nil || len(list.Tools) != maxPages {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	if want := []Skipped{{"(further tools)", "the list goes on after 50 pages, and no more are read"}}; !slices.Equal(list.Skipped, want) {
		t.Errorf("left out are %+v, want %+v", list.Skipped, want)
	}
}

func TestACallEndsWhenTheServerDiesAndAGrandchildHoldsItsPipes(t *testing.T) {
	session := dialled(t, child(t, "orphan", "orphan"))
	_, err := session.CallTool(patience(t), "act", nil)
	if end, ok := errors.AsType[*EndError](err); !ok || end.Exit != "exit status 5" || !errors.Is(err, tools.ErrNoAnswer) {
		t.Fatalf("got %v", err)
	}
	<-session.(Mortal).Done()
	if _, err := session.CallTool(patience(t), "act", nil); !errors.Is(err, tools.ErrNotConnected) {
		t.Fatalf("a second call: %v", err)
	}
}

func TestACallEndsWhenTheServerStopsReading(t *testing.T) {
	session := dialled(t, child(t, "deaf", "deaf"))
	if _, err := session.ListTools(patience(t)); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = session.CallTool(patience(t), "act", args)
	if !errors.Is(err, tools.ErrNoAnswer) || !strings.Contains(err.Error(), "has not read its input") {
		t.Fatalf("got %v", err)
	}
	<-session.(Mortal).Done()
}

func TestAClosedOutputEndsTheSession(t *testing.T) {
	session := dialled(t, child(t, "hangup", "hangup"))
	if _, err := session.ListTools(patience(t)); err != nil {
		t.Fatal(err)
	}
	<-session.(Mortal).Done()
	if err := session.(Mortal).Err(); err == nil || !strings.Contains(err.Error(), "closed its output") {
		t.Fatalf("the reason is %v", err)
	}
}

func TestAKilledGatewayLeavesNothing(t *testing.T) {
	gateway := child(t, "", "gateway")
	cmd := exec.CommandContext(t.Context(), gateway.Command, gateway.Args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	gone(t, pid)
}

func TestStderrIsRepeatedInTheLog(t *testing.T) {
	var logged bytes.Buffer
	server := child(t, "zwave", "exit")
	server.Env = map[string]string{"MQTT_PASSWORD": "127.0.0.1"}
	_, err := Dial(patience(t), server, Options{Log: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if dial, ok := errors.AsType[*DialError](err); !ok || dial.Exit != "exit status 3" {
		t.Fatalf("got %v", err)
	}
	if want := `text="the MQTT broker at ***:1883 cannot be reached"`; !strings.Contains(logged.String(), want) {
		t.Fatalf("the log lacks %s:\n%s", want, logged.String())
	}
}

// TestACallIsFreedWhenItsTimeIsUp checks that a call ends with its context
// although the server does not read, long before the pipe is given up.
func TestACallIsFreedWhenItsTimeIsUp(t *testing.T) {
	session := dialled(t, child(t, "deaf", "deaf"))
	if _, err := session.ListTools(patience(t)); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // the second and third find the pipe taken
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err = session.CallTool(ctx, "act", args)
		cancel()
		if session.(Mortal).Err() != nil {
			t.Skip("the machine is too slow: the pipe was given up before")
		}
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, tools.ErrNoAnswer) {
			t.Fatalf("got %v", err)
		}
	}
}
