package family_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func marksIn(dir string) *family.Marks {
	return family.NewMarks(dir, slog.New(slog.DiscardHandler))
}

func turn(id string) record.Record {
	return record.Record{ID: id, Transcript: &record.Transcript{Text: "turn on the light"}, Verdict: record.Verdict{Reply: "It is on."}}
}

// TestAMarkIsWhole after a restart: the turn, what should have happened, house, sound.
func TestAMarkIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := marksIn(dir).Keep(turn("1"), "", fake.House(), []byte("RIFF"))
	if err != nil || first.Should != "" || !first.Sound || first.House == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	b := marksIn(dir)
	if _, err := b.Keep(turn("1"), " turn it off ", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep(turn("1"), "", nil, nil); err != nil { // says nothing new
		t.Fatal(err)
	}
	list := marksIn(dir).List()
	if len(list) != 1 || list[0].Should != "turn it off" || !list[0].Sound || list[0].Then.Transcript.Text != "turn on the light" {
		t.Fatalf("%+v", list)
	}
	house, err := b.House(list[0])
	if err != nil || len(house.Entities) != len(fake.House().Entities) || house.Entities[0].Server != "zwave" || house.Entities[0].Control == nil {
		t.Errorf("the house: %+v, %v", house, err)
	}
	if wav, err := b.Sound(list[0]); err != nil || !bytes.Equal(wav, []byte("RIFF")) {
		t.Errorf("the sound: %q, %v", wav, err)
	}
	if err := b.Delete("2"); !errors.Is(err, keep.ErrUnknown) {
		t.Errorf("an unknown mark: %v", err)
	}
}

// TestBounds: marks, houses and sounds are bounded, and the files of dropped ones are
// removed.
func TestBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := marksIn(dir)
	for i := range 110 {
		h := fake.House()
		h.Entities[0].Name = fmt.Sprint("Lamp ", i/10) // eleven houses
		if _, err := b.Keep(turn(fmt.Sprint(i)), "", h, []byte("RIFF")); err != nil {
			t.Fatal(err)
		}
	}
	list := b.List()
	sounds, houses := 0, 0
	for _, m := range list {
		if m.Sound {
			sounds++
		}
		if m.House != "" {
			houses++
		}
	}
	if len(list) != 100 || list[0].ID != "109" || sounds != 30 || houses != 80 {
		t.Errorf("%d marks, the newest %s, %d sounds, %d with a house", len(list), list[0].ID, sounds, houses)
	}
	for pattern, want := range map[string]int{"mark-sound-*": 30, "mark-house-*": 8} {
		if files, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(files) != want {
			t.Errorf("%d files %s, want %d", len(files), pattern, want)
		}
	}
	if _, err := b.House(list[99]); err == nil {
		t.Error("a house that was let go of is there")
	}
	long := turn("long")
	for range 50 {
		long.Calls = append(long.Calls, record.CallMade{Tool: "set", Args: json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)})
	}
	if m, err := b.Keep(long, "", nil, nil); err != nil || string(m.Then.Calls[0].Args) != "{}" || len(long.Calls[0].Args) < 1000 {
		t.Errorf("a long record: %v", err)
	}
	long.Reply = strings.Repeat("x", 10000)
	if _, err := b.Keep(long, "", nil, nil); err == nil && len(b.List()[0].Then.Reply) > 9000 {
		t.Error("a record without bounds is kept")
	}
	for name, err := range map[string]error{
		"a turn without an id": second(b.Keep(record.Record{}, "", nil, nil)), "a story": second(b.Keep(turn("s"), strings.Repeat("la ", 200), nil, nil)),
	} {
		if err == nil {
			t.Errorf("%s is kept", name)
		}
	}
}

func second(_ record.Mark, err error) error { return err }

// TestNoDisk: without a state directory marks last until the end, and one that cannot
// be written is an error that changes nothing.
func TestNoDisk(t *testing.T) {
	t.Parallel()
	b := marksIn("")
	if m, err := b.Keep(turn("1"), "", fake.House(), []byte("RIFF")); err != nil || m.House != "" || m.Sound || len(b.List()) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	dir := t.TempDir()
	b = marksIn(dir)
	b.List()
	if err := os.Mkdir(filepath.Join(dir, "marks.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep(turn("1"), "", &home.House{}, nil); err == nil || len(b.List()) != 0 {
		t.Errorf("kept although it could not be written: %v, %+v", err, b.List())
	}
}

// FuzzKeptMarks: whatever stands in the state directory, the marks can be used.
func FuzzKeptMarks(f *testing.F) {
	f.Add([]byte(`[{"id":"1","then":{"id":"1","calls":null},"house":"../x","sound":true}]`))
	f.Add([]byte(`[{"id":""},{"id":"1"},{"id":"1"}]`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "marks.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		b := marksIn(dir)
		for _, m := range b.List() {
			if _, err := b.House(m); err == nil {
				t.Errorf("a house from nowhere: %+v", m)
			}
			if _, err := b.Sound(m); err == nil {
				t.Errorf("a sound from nowhere: %+v", m)
			}
		}
		if _, err := b.Keep(turn("new"), "", fake.House(), nil); err != nil {
			t.Fatal(err)
		}
		if err := b.Delete("new"); err != nil {
			t.Error(err)
		}
	})
}
