package family_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"voicegateway/internal/keep"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
)

// before is a state directory as gateways wrote it when each thing had a file format of
// its own.
const before = "testdata/before"

// Files of an earlier version are read as they are, and written back without a
// difference when something is added to them.
func TestFilesOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
		t.Fatal(err)
	}
	marks, wordings, tasks := family.NewMarks(dir, log), wordingsIn(t, dir, nil), family.NewTasks(dir, family.NewReturns(), func(string) bool { return false }, log)
	list := marks.List()
	if len(list) != 3 || list[2].ID != "turn-a" || list[2].Should != "turn off the kitchen light" || list[2].Then.Reply != "The kitchen light is on." || list[0].Sound || !list[2].Sound {
		t.Errorf("marks: %+v", list)
	}
	if house, err := marks.House(list[0]); err != nil || len(house.Entities) != 2 || house.Entities[0].Control == nil {
		t.Errorf("the house of a mark: %+v, %v", house, err)
	}
	if wav, err := marks.Sound(list[2]); err != nil || string(wav) != "RIFF....WAVE" {
		t.Errorf("the sound of a mark: %q, %v", wav, err)
	}
	if w, ok := wordings.Find("make it cosy", "Kitchen"); !ok || w.ID != "turn-d" || len(w.Acts) != 1 || w.Acts[0].Things[0].Name != "Kitchen Light" {
		t.Errorf("a wording: %+v", w)
	}
	if open := tasks.Open(); len(open) != 2 || open[0].ID != "turn-g" || !open[0].Done[0].Sent || open[0].Open[0].Device != "light.kitchen" {
		t.Errorf("tasks: %+v", open)
	}

	if _, err := marks.Keep(record.Record{ID: "new"}, "", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := wordings.Keep(record.Wording{ID: "new", Text: "new words", Acts: cosy("").Acts}); err != nil {
		t.Fatal(err)
	}
	if err := tasks.Keep(record.Task{ID: "new"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"marks", "wordings", "tasks"} {
		var now []json.RawMessage
		disk, err := keep.Open(dir)
		if err == nil {
			err = disk.Load(name, &now)
		}
		if err != nil || len(now) < 2 {
			t.Fatalf("%s: %d entries, %v", name, len(now), err)
		}
		old, err := os.ReadFile(filepath.Join(before, name+".json"))
		rest, again := json.Marshal(now[1:])
		if err != nil || again != nil || !bytes.Equal(bytes.TrimSpace(old), rest) {
			t.Errorf("%s: was %s\nis %s", name, old, rest)
		}
	}
}
