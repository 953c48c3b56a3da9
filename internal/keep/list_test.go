package keep

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// note is an entry of a list.
type note struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func notesIn(dir string, log *bytes.Buffer, change func(*ListConfig[note])) *List[note] {
	cfg := ListConfig[note]{
		Dir: dir, Name: "notes", What: "notes", Most: 3, Rolling: true, ID: func(n note) string { return n.ID }, Log: slog.New(slog.NewTextHandler(log, nil)),
	}
	if change != nil {
		change(&cfg)
	}
	return NewList(cfg)
}

func ids(l *List[note]) string {
	var all []string
	for _, n := range l.All() {
		all = append(all, n.ID)
	}
	return strings.Join(all, " ")
}

// What a list has after entries a to e were put into it, and after a restart.
func TestAListIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxSize*2/5)
	for name, tt := range map[string]struct {
		change func(*ListConfig[note])
		text   string
		list   string
		err    string // of the last
	}{
		"rolling":         {nil, "", "e d c", ""},
		"refusing":        {func(c *ListConfig[note]) { c.Rolling = false }, "", "c b a", "there are 3 notes already, and no more are kept; delete one"},
		"by size":         {nil, long, "e d", ""},
		"refused by size": {func(c *ListConfig[note]) { c.Rolling = false }, long, "b a", "at most 1048576 are kept"},
		"one too large":   {nil, long + long + long, "", "at most 1048576 are kept"},
		"lenient":         {func(c *ListConfig[note]) { c.Lenient = true }, long + long + long, "e", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, log := t.TempDir(), &bytes.Buffer{}
			l := notesIn(dir, log, tt.change)
			var err error
			for id := range strings.SplitSeq("a b c d e", " ") {
				err = l.Put(note{id, tt.text})
			}
			if ids(l) != tt.list || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("the list has %q, %v", ids(l), err)
			}
			after := tt.list
			if strings.Contains(log.String(), "until the program ends") {
				after = ""
			}
			if again := notesIn(dir, log, tt.change); ids(again) != after || (name == "lenient") != (after != tt.list) {
				t.Errorf("after a restart it has %q, expected %q; %s", ids(again), after, log)
			}
		})
	}
}

// Entries are found, replaced and removed by their ids, and each change is told in order.
func TestEntriesHaveIDs(t *testing.T) {
	t.Parallel()
	var seen []string
	l := notesIn(t.TempDir(), &bytes.Buffer{}, func(c *ListConfig[note]) {
		c.Changed = func(list []note) { seen = append(seen, fmt.Sprint(len(list))) }
	})
	l.Open()
	if err := errors.Join(l.Put(note{"a", "1"}), l.Put(note{"b", "2"}), l.Put(note{"a", "3"})); err != nil || ids(l) != "a b" {
		t.Errorf("%q, %v", ids(l), err)
	}
	if n, ok := l.Get("a"); !ok || n.Text != "3" {
		t.Errorf("%+v", n)
	}
	if _, ok := l.Get("c"); ok {
		t.Error("an entry that was never put in")
	}
	if err := l.Remove("c"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	l.All()[0].Text = "changed outside"
	if err := l.Remove("b"); err != nil || ids(l) != "a" || l.All()[0].Text != "3" {
		t.Errorf("%+v, %v", l.All(), err)
	}
	if want := strings.Split("0 1 2 2 1", " "); !slices.Equal(seen, want) {
		t.Errorf("told %q, expected %q", seen, want)
	}
}

// A list whose file is spoilt is empty and goes on, the file is set aside, and the log
// says so. Of a file that can be read, entries that cannot be used are left out.
func TestAListOfASpoiltFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, list, log string }{
		"cut off":    {`[{"id":"a"`, "", `the saved state \"notes\" is damaged (the file is not valid JSON) and was set aside as `},
		"no list":    {`{"id":"a"}`, "", "is damaged"},
		"null":       {`null`, "", ""},
		"some fail":  {`[{"id":"","text":"y"},{"id":"a","text":"bad"},{"id":"b","text":"y"}]`, "b", ""},
		"too many":   {`[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]`, "a b c", ""},
		"more in it": {`[{"id":"a","new":{"x":1}}]`, "a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, log := t.TempDir(), &bytes.Buffer{}
			if err := os.WriteFile(filepath.Join(dir, "notes.json"), []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			l := notesIn(dir, log, func(c *ListConfig[note]) {
				c.Check = func(n note) error {
					if n.Text == "bad" {
						return errors.New("bad")
					}
					return nil
				}
			})
			if got := ids(l); got != tt.list || !strings.Contains(log.String(), tt.log) || (tt.log == "") != (log.Len() == 0) {
				t.Errorf("the list has %q; %s", got, log)
			}
			var aside []byte
			broken := BrokenIn(dir)
			if len(broken) == 1 {
				var err error
				if aside, err = os.ReadFile(broken[0].File); err != nil {
					t.Error(err)
				}
			}
			if damaged := tt.log != ""; damaged != (len(broken) == 1 && broken[0].Name == "notes") || damaged && string(aside) != tt.file {
				t.Errorf("set aside: %+v, %q", broken, aside)
			}
			if err := l.Put(note{ID: "z"}); err != nil {
				t.Error(err)
			}
		})
	}
}

// What cannot be written is not kept, and without a directory the list lasts until the
// end.
func TestAListWithoutADisk(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), &bytes.Buffer{}
	l := notesIn(dir, log, nil)
	if len(l.All()) != 0 || l.Disk() == nil {
		t.Fatal("an empty list is not empty")
	}
	if err := os.Mkdir(filepath.Join(dir, "notes.json"), 0o700); err != nil { // a directory is in the way
		t.Fatal(err)
	}
	if err := l.Put(note{ID: "a"}); err == nil || ids(l) != "" {
		t.Errorf("kept although it could not be written: %v, %q", err, ids(l))
	}
	l = notesIn("", log, nil)
	if err := l.Put(note{ID: "a"}); err != nil || ids(l) != "a" || l.Disk() != nil {
		t.Errorf("%v, %q", err, ids(l))
	}
}
