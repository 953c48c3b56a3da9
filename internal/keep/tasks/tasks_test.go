package tasks

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"voicegateway/internal/keep/record"
)

// away says of every server that it is not connected.
func away(string) bool { return false }

func TestTasksSurviveARestart(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	before := New(dir, NewReturns(), away, log)
	for i := range maxTasks + 3 {
		if err := before.Keep(record.Task{ID: fmt.Sprint(i), Server: "zwave", Open: []record.TaskStep{{Tool: "t", Args: []byte(`{}`)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if task, ok := before.Take("22"); !ok || task.ID != "22" {
		t.Fatalf("took %+v", task)
	}
	if _, ok := before.Take("22"); ok {
		t.Fatal("took a task twice")
	}
	after := New(dir, NewReturns(), away, log)
	list := after.Open()
	if len(list) != maxTasks-1 || list[0].ID != "21" {
		t.Fatalf("%d tasks, the newest %+v", len(list), list[0])
	}
	if task, ok := after.Offer("zwave"); !ok || task.ID != "21" {
		t.Errorf("offered %+v", task)
	}
	for _, server := range []string{"zwave", "other"} {
		if task, ok := after.Offer(server); ok {
			t.Errorf("offered twice, or to the wrong server: %+v", task)
		}
	}
	if task, ok := after.Take(""); !ok || task.ID != "21" {
		t.Errorf("the newest is %+v", task)
	}
}

// TestATaskIsOfferedWhenItsServerIsBackAlready: the server reconnected while the
// choice was made, so the host will not report it again.
func TestATaskIsOfferedWhenItsServerIsBackAlready(t *testing.T) {
	t.Parallel()
	returns := NewReturns()
	kept := New(t.TempDir(), returns, func(server string) bool { return server == "zwave" }, slog.New(slog.DiscardHandler))
	for _, server := range []string{"away", "zwave"} {
		if err := kept.Keep(record.Task{ID: server, Server: server}); err != nil {
			t.Fatal(err)
		}
	}
	if len(returns) != 1 || <-returns != "zwave" {
		t.Error("the server that is connected is no news")
	}
}

func TestTasksWithoutAUsableState(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, taskFile+".json"), []byte(`[{"id":"a`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"no directory": "", "a file in its place": file, "a damaged file": damaged} {
		kept := New(dir, NewReturns(), away, log)
		if got := kept.Open(); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if err := kept.Keep(record.Task{ID: "1"}); err != nil || len(kept.Open()) != 1 {
			t.Errorf("%s: a task is not kept until the end: %v", name, err)
		}
	}
}
