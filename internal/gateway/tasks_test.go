package gateway

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"voicegateway/internal/turn"
)

func TestTasksSurviveARestart(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	before := newTasks(dir, log)
	for i := range maxTasks + 3 {
		if err := before.Keep(turn.Task{ID: fmt.Sprint(i), Server: "zwave", Open: []turn.TaskStep{{Tool: "t", Args: []byte(`{}`)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := before.Drop("22"); err != nil {
		t.Fatal(err)
	}
	after := newTasks(dir, log)
	list := after.Open()
	if len(list) != maxTasks-1 || list[0].ID != "21" {
		t.Fatalf("%d tasks, the newest %+v", len(list), list[0])
	}
	if n := after.Offered("zwave"); n != maxTasks-1 {
		t.Errorf("%d tasks are offered", n)
	}
	if n := after.Offered("zwave") + after.Offered("other"); n != 0 {
		t.Errorf("%d tasks are offered twice", n)
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
		kept := newTasks(dir, log)
		if got := kept.Open(); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if err := kept.Keep(turn.Task{ID: "1"}); err != nil || len(kept.Open()) != 1 {
			t.Errorf("%s: a task is not kept until the end: %v", name, err)
		}
	}
}
