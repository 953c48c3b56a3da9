package keep

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

type timers struct {
	Due  []time.Time `json:"due"`
	Note string      `json:"note"`
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSavedValueIsThereAfterReopening(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "state")
	saved := timers{Due: []time.Time{time.Date(2026, 11, 21, 19, 45, 0, 0, time.UTC)}, Note: "tea"}
	if err := open(t, dir).Save("timers", saved); err != nil {
		t.Fatal(err)
	}
	var got timers
	if err := open(t, dir).Load("timers", &got); err != nil {
		t.Fatal(err)
	}
	if got.Note != "tea" || len(got.Due) != 1 || !got.Due[0].Equal(saved.Due[0]) {
		t.Errorf("loaded %+v, saved %+v", got, saved)
	}
	info, err := os.Stat(filepath.Join(dir, "timers.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %o, want 600", info.Mode().Perm())
	}
}

func TestMissingValueLeavesTheDefault(t *testing.T) {
	t.Parallel()
	got := timers{Note: "default"}
	if err := open(t, t.TempDir()).Load("timers", &got); err != nil {
		t.Fatal(err)
	}
	if got.Note != "default" {
		t.Errorf("loading nothing changed the value to %+v", got)
	}
}

func TestLooserModeIsTightened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "mute.json")
	if err := os.WriteFile(path, []byte("true"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Save("mute", false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %o, want 600", info.Mode().Perm())
	}
}

func TestDamagedValueIsSetAside(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":      "",
		"cut off":    `{"note":"te`,
		"binary":     "\x00\x00\x00\x00",
		"wrong type": `{"note":12}`,
		"two values": `{"note":"a"}{"note":"b"}`,
		"huge":       `"` + strings.Repeat("x", maxSize) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "timers.json")
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			var got timers
			err := s.Load("timers", &got)
			corrupt, ok := errors.AsType[*CorruptError](err)
			if !ok {
				t.Fatalf("loading a damaged file gave %v, want a CorruptError", err)
			}
			kept, err := os.ReadFile(corrupt.Aside)
			if err != nil || !bytes.Equal(kept, []byte(data)) {
				t.Errorf("the damaged file is not kept as it was: %v", err)
			}
			if err := s.Load("timers", &got); err != nil {
				t.Errorf("the second load still fails: %v", err)
			}
			if err := s.Save("timers", timers{Note: "new"}); err != nil {
				t.Errorf("saving after the damage: %v", err)
			}
		})
	}
}

// Damaged files are kept with their days and do not pile up: of one value the newest three
// are left, and those of another value and other files stay.
func TestDamagedFilesAreKeptByTheirDays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"timers.json.broken-2016-01-03", "timers.json.broken-2016-01-02", "timers.json.broken-2016-01-04", "marks.json.broken-2015-12-31",
		"timers.json.broken-soon", "timers.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := errors.AsType[*CorruptError](open(t, dir).Load("timers", new(any))); !ok {
		t.Fatal("the damaged file was loaded")
	}
	var got []string
	for _, b := range BrokenIn(dir) {
		if filepath.Base(b.File) != b.Name+".json.broken-"+b.Day.Format(time.DateOnly) {
			t.Errorf("%+v", b)
		}
		got = append(got, b.Name+" "+b.Day.Format(time.DateOnly))
	}
	want := []string{"timers " + time.Now().Format(time.DateOnly), "timers 2016-01-04", "timers 2016-01-03", "marks 2015-12-31"}
	if !slices.Equal(got, want) {
		t.Errorf("kept are %q, expected %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "timers.json.broken-soon")); err != nil {
		t.Error("a file that is not ours was removed")
	}
}

// A link or a pipe in the place of a value is set aside: the file that a link leads to
// may belong to another user, and is not touched when the value is saved again.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(place, others string) error{
		"link": func(place, others string) error { return os.Symlink(others, place) },
		"pipe": func(place, _ string) error { return syscall.Mkfifo(place, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, others := t.TempDir(), filepath.Join(t.TempDir(), "others.json")
			if err := os.WriteFile(others, []byte(`"theirs"`), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := lay(filepath.Join(dir, "mute.json"), others); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			value := "ours"
			var damaged *CorruptError
			if err := s.Load("mute", &value); !errors.As(err, &damaged) || value != "ours" {
				t.Errorf("%q, %v; expected a damaged value and ours untouched", value, err)
			}
			if err := s.Save("mute", "new"); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(others); err != nil || string(data) != `"theirs"` {
				t.Errorf("the other file has %s, %v", data, err)
			}
		})
	}
}

// A link in the place of a whole file is replaced and not written through.
func TestAReplacedLinkLeavesItsTarget(t *testing.T) {
	t.Parallel()
	dir, others := t.TempDir(), filepath.Join(t.TempDir(), "others")
	place := filepath.Join(dir, "last-reply.wav")
	if err := errors.Join(os.WriteFile(others, []byte("theirs"), 0o600), os.Symlink(others, place)); err != nil {
		t.Fatal(err)
	}
	if err := ReplacePrivate(place, []byte("ours")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{others: "theirs", place: "ours"} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s has %q, %v", path, data, err)
		}
	}
	if info, err := os.Stat(place); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestNamesCannotLeaveTheDirectory(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for _, name := range []string{"", ".", "..", "../evil", "a/b", "/etc/passwd", "Timers", "a.b", "-x", "a\x00b", strings.Repeat("a", 65)} {
		if err := s.Save(name, 1); err == nil {
			t.Errorf("Save accepted the name %q", name)
		}
		var v int
		if err := s.Load(name, &v); err == nil {
			t.Errorf("Load accepted the name %q", name)
		}
	}
}

func TestValueThatCannotBeWrittenKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if err := s.Save("v", "old"); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"not json": math.NaN(), "too large": strings.Repeat("x", maxSize)} {
		if err := s.Save("v", v); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
	var got string
	if err := s.Load("v", &got); err != nil || got != "old" {
		t.Errorf("after refused saves: %q, %v; want the old value", got, err)
	}
}

func TestOpenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below")} {
		_, err := Open(dir)
		if err == nil {
			t.Errorf("Open(%q) gave no error", dir)
			continue
		}
		if dir != "" && !strings.Contains(err.Error(), "is not a directory") {
			t.Errorf("Open(%q): %v", dir, err)
		}
	}
}

func TestOldDebrisIsRemovedAndNewIsNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, young := filepath.Join(dir, ".timers.json123"), filepath.Join(dir, ".timers.json456")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Stat(old); err == nil {
		t.Error("the old temporary file is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a temporary file that may be in use was removed")
	}
}

func TestTwoSaversNeverMixTheirValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir) // as two processes would
	var wg sync.WaitGroup
	for i, s := range []*Store{a, b, a, b} {
		wg.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 10000*(i+1))
			for range 10 {
				if err := s.Save("v", text); err != nil {
					t.Error(err)
				}
				var got string
				if err := s.Load("v", &got); err != nil {
					t.Error(err)
				}
				if got == "" || strings.Trim(got, got[:1]) != "" {
					t.Error("loaded a mixture of two values")
				}
			}
		})
	}
	wg.Wait()
}

// smallDisk mounts a disk of 64 KiB, or skips where that is not allowed.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no right to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		// A child that another test is starting may hold its files for a moment.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting the small disk: %v", err)
		}
	})
	return dir
}

func TestFullDiskKeepsTheOldValueAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := open(t, dir)
	if err := s.Save("v", "old"); err != nil {
		t.Fatal(err)
	}
	err := s.Save("v", strings.Repeat("x", 200_000))
	if err == nil || !strings.Contains(err.Error(), "full; make room") {
		t.Fatalf("saving to a full disk: %v", err)
	}
	var got string
	if err := s.Load("v", &got); err != nil || got != "old" {
		t.Errorf("after the full disk: %q, %v; want the old value", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the failed save left %d files, %v", len(entries), err)
	}
	if err := s.Save("v", "new"); err != nil {
		t.Errorf("saving once there is room: %v", err)
	}
}

func TestReadOnlyDiskIsReadableAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	// No other test starts a child until the disk is read-only: the child would hold what
	// is written.
	err := func() error {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if err := open(t, dir).Save("v", "old"); err != nil {
			t.Fatal(err)
		}
		return syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k")
	}()
	if err != nil {
		t.Skipf("no right to make a disk read-only: %v", err)
	}
	s := open(t, dir)
	var got string
	if err := s.Load("v", &got); err != nil || got != "old" {
		t.Errorf("loading from a read-only disk: %q, %v", got, err)
	}
	if err := s.Save("v", "new"); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("saving to a read-only disk: %v", err)
	}
}

// TestMain is also the child process of the next test, which saves for ever.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.NArg() != 2 || flag.Arg(0) != "save-for-ever" {
		os.Exit(m.Run())
	}
	s, err := Open(flag.Arg(1))
	for n := 0; err == nil; n++ {
		if err = s.Save("v", strings.Repeat(fmt.Sprint(n%10), 100_000)); n == 0 {
			_, _ = os.Stdout.WriteString("saving\n")
		}
	}
	_, _ = os.Stderr.WriteString(err.Error())
	os.Exit(1)
}

func TestKilledInTheMiddleOfASaveLeavesAWholeValue(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		dir := t.TempDir()
		child := exec.CommandContext(t.Context(), self, "save-for-ever", dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "saving\n" {
			t.Fatalf("the child said %q, %v", line, err)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// The error says only that the child was killed.
		_ = child.Wait()
		var got string
		if err := open(t, dir).Load("v", &got); err != nil {
			t.Fatal(err)
		}
		if len(got) != 100_000 || strings.Trim(got, got[:1]) != "" {
			t.Errorf("after the kill the value has %d characters and is a mixture or cut", len(got))
		}
	}
}

// FuzzLoad checks that Load either loads a state file or sets it aside, whatever
// the file holds.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"", "null", `{"due":null}`, `{"due":["x"]}`, "[", "\xff", `{"note":"a"} x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "v.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir)
		var got timers
		if err := s.Load("v", &got); err != nil {
			if _, ok := errors.AsType[*CorruptError](err); !ok {
				t.Fatalf("loading gave %v", err)
			}
		}
		if err := s.Load("v", &got); err != nil {
			t.Fatalf("the second load gave %v", err)
		}
	})
}

// A saved value is recalled. A value that cannot be read or saved is logged once, and has
// no other effect.
func TestRecall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told bytes.Buffer
	log := slog.New(slog.NewTextHandler(&told, nil))
	disk, kept := Recall[[]string](dir, "things", "things", log)
	if disk == nil || kept != nil || told.Len() > 0 {
		t.Fatalf("an empty directory: %v, %q, %s", disk, kept, &told)
	}
	if err := disk.Save("things", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if disk, kept := Recall[[]string](dir, "things", "things", log); disk == nil || !slices.Equal(kept, []string{"a"}) || told.Len() > 0 {
		t.Errorf("%v, %q, %s", disk, kept, &told)
	}
	if disk, kept := Recall[[]int](dir, "things", "things", log); disk == nil || len(kept) > 0 || !strings.Contains(told.String(), `"what an earlier run kept of this is lost" what=things`) {
		t.Errorf("another kind of value: %v, %v, %s", disk, kept, &told)
	}
	told.Reset()
	if disk, _ := Recall[[]string]("", "things", "things", log); disk != nil || told.Len() > 0 {
		t.Errorf("no directory: %v, %s", disk, &told)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if disk, _ := Recall[[]string](file, "things", "things", log); disk != nil || !strings.Contains(told.String(), `"this is kept until the program ends only" what=things`) {
		t.Errorf("no place: %v, %s", disk, &told)
	}
}
