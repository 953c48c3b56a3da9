package family_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
)

func wordingsIn(tb testing.TB, dir string, changed func([]string)) *family.Wordings {
	tb.Helper()
	pack, err := intent.Ours("en")
	if err != nil {
		tb.Fatal(err)
	}
	return family.NewWordings(dir, pack.Bare, changed, slog.New(slog.DiscardHandler))
}

func cosy(area string) record.Wording {
	act := record.KeptAct{Intent: record.Intent{Name: "HassTurnOn", Slots: map[string]any{"name": "Lamp"}}, Things: []record.KeptThing{{ID: "light.lamp", Name: "Lamp", Domain: "light"}}}
	return record.Wording{ID: "w1", Text: "Make it cosy!", Area: area, Acts: []record.KeptAct{act}}
}

// TestWordings: bounded, unique in a room, and the same after a restart.
func TestWordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told []string
	b := wordingsIn(t, dir, func(texts []string) { told = texts })
	w := cosy("Kitchen")
	again := w
	again.ID, again.Text = "w2", "make it COSY"
	for _, x := range []record.Wording{w, again} {
		if err := b.Keep(x); err != nil {
			t.Fatal(err)
		}
	}
	if list := b.List(); len(list) != 1 || list[0].ID != "w2" || !slices.Equal(told, []string{"make it COSY"}) {
		t.Fatalf("the same words twice: %+v, told %q", list, told)
	}
	again.ID, again.Text = "w3", "movie time"
	if err := b.Keep(again); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Edit("w3", "make it cosy", "kitchen"); !errors.Is(err, family.ErrTaken) {
		t.Errorf("the words of another one: %v", err)
	}
	if _, err := b.Edit("gone", "x", ""); !errors.Is(err, keep.ErrUnknown) {
		t.Errorf("one that is not there: %v", err)
	}
	for _, text := range []string{"", " !", strings.Repeat("la ", 100)} {
		if _, err := b.Edit("w3", text, ""); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if list := wordingsIn(t, dir, nil).List(); !reflect.DeepEqual(list, b.List()) || len(list) != 2 {
		t.Errorf("after a restart: %+v, want %+v", list, b.List())
	}
	if err := errors.Join(b.Delete("w2"), b.Delete("w3")); err != nil || len(b.List()) != 0 || len(told) != 0 {
		t.Errorf("deleted: %v, %+v, %q", err, b.List(), told)
	}
	if err := b.Delete("w2"); !errors.Is(err, keep.ErrUnknown) {
		t.Errorf("deleted twice: %v", err)
	}
	var full error
	for i := range 101 {
		again.ID, again.Text = fmt.Sprint("n", i), fmt.Sprint("movie number ", i)
		full = b.Keep(again)
	}
	if full == nil || len(b.List()) != 100 {
		t.Errorf("%d are kept, %v", len(b.List()), full)
	}
}

// TestWordingsOnADiskThatFails: what cannot be written is not kept, and the user hears so.
func TestWordingsOnADiskThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := wordingsIn(t, dir, nil)
	if len(b.List()) != 0 {
		t.Fatal("there are wordings of nobody")
	}
	if err := os.Mkdir(filepath.Join(dir, "wordings.json"), 0o700); err != nil { // a directory is in the way
		t.Fatal(err)
	}
	if err := b.Keep(cosy("")); err == nil || len(b.List()) != 0 {
		t.Errorf("kept although it could not be written: %v, %+v", err, b.List())
	}
}
