package family

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestArrangement(t *testing.T) {
	t.Parallel()
	dir, quiet := t.TempDir(), slog.New(slog.DiscardHandler)
	a := NewArranger(dir, quiet)
	if got := a.Arrangement(); got.Rooms == nil || got.Hidden == nil || len(got.Rooms)+len(got.Hidden) > 0 {
		t.Errorf("at first: %+v", got)
	}
	want := Arrangement{Rooms: []string{"Kitchen", "Attic"}, Hidden: []string{"zw-1"}}
	if err := a.Arrange(want); err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]Arrangement{
		"an empty name": {Rooms: []string{""}}, "a long name": {Hidden: []string{strings.Repeat("x", 201)}},
		"too many": {Rooms: strings.Split(strings.Repeat("x ", 200)+"x", " ")},
	} {
		if a.Arrange(wrong) == nil {
			t.Errorf("%s is kept", name)
		}
	}
	for name, other := range map[string]*Arranger{"the same": a, "the next run": NewArranger(dir, quiet)} {
		if got := other.Arrangement(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %+v", name, got)
		}
	}
	none := NewArranger("", quiet)
	if err := none.Arrange(want); err != nil || !reflect.DeepEqual(none.Arrangement(), want) {
		t.Errorf("without a disk: %v, %+v", err, none.Arrangement())
	}
}
