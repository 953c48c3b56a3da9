package host

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// TestServersAreChangedWhileTheOthersWork: servers come, go and change while a call of
// another one is under way; that one keeps its process, and its call ends well.
func TestServersAreChangedWhileTheOthersWork(t *testing.T) {
	reg := tools.NewRegistry()
	stays, goes, changes := child(t, "stays", "good"), child(t, "goes", "counts"), child(t, "changes", "good")
	h, step := hosted(t, reg, quick(), stays, goes, changes)
	step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	pids := func() map[string]int {
		all := map[string]int{}
		for _, s := range h.Status() {
			if s.PID != nil {
				all[s.ID] = *s.PID
			}
		}
		return all
	}
	before := pids()
	waiting, cancel := context.WithCancel(ctx)
	answered := make(chan error, 1)
	go func() {
		_, err := reg.Call(waiting, tools.Call{Server: "stays", Tool: "wait"})
		answered <- err
	}()
	until(ctx, t, "a call under way", func() bool { s, _ := h.find("stays"); return s.callsUnderWay.Load() == 1 })

	changes.Env = map[string]string{"MARK": "it was changed"}
	comes := child(t, "comes", "counts")
	did, err := h.Change(ctx, []mcpint.Server{comes, changes, stays})
	if want := (Changes{Added: []string{"comes"}, Changed: []string{"changes"}, Removed: []string{"goes"}}); err != nil || !reflect.DeepEqual(did, want) {
		t.Errorf("changed %+v, %v, want %+v", did, err, want)
	}
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	after := pids()
	if after["stays"] != before["stays"] || after["changes"] == before["changes"] || after["comes"] == 0 || after["goes"] != 0 {
		t.Errorf("the processes were %v and are %v", before, after)
	}
	gone(t, before["goes"])
	gone(t, before["changes"])
	if _, err := reg.Call(ctx, tools.Call{Server: "goes", Tool: "count"}); err == nil {
		t.Error("a tool of the server that is gone was called")
	}
	if r, err := reg.Call(ctx, tools.Call{Server: "comes", Tool: "count"}); err != nil || r.Text != "1" {
		t.Errorf("the server that came answers %+v, %v", r, err)
	}
	if r, err := reg.Call(ctx, tools.Call{Server: "changes", Tool: "environment"}); err != nil || !strings.Contains(r.Text, "MARK=") {
		t.Errorf("the changed server has the environment %q, %v", r.Text, err)
	}
	select {
	case err := <-answered:
		t.Errorf("the call of the server that stays ended: %v", err)
	default:
	}
	cancel()
	<-answered

	comes.Transport = "pigeon"
	if did, err := h.Change(ctx, []mcpint.Server{comes}); err == nil || !reflect.DeepEqual(did, Changes{}) {
		t.Errorf("a bad configuration changed %+v, %v", did, err)
	}
	if now := pids(); !reflect.DeepEqual(now, after) {
		t.Errorf("after a bad configuration the processes are %v, want %v", now, after)
	}
	step()
}
