package hearing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// recording is a line of a manifest: a person's recording and what is said in it.
type recording struct {
	File, Kind, Text, Voice string
	SNR                     any
	Slots                   map[string]string
	samples                 []int16
}

// recordings reads a manifest and the recordings of it that are wanted.
func recordings(tb testing.TB, manifest string, want func(recording) bool) (all []recording) {
	tb.Helper()
	data, err := os.ReadFile(manifest)
	if err != nil {
		tb.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatal(err)
		}
		if !want(r) {
			continue
		}
		r.samples = sampled(tb, filepath.Join(filepath.Dir(manifest), r.File))
		all = append(all, r)
	}
	if len(all) == 0 {
		tb.Fatalf("%s names no recordings of the kind", manifest)
	}
	return all
}

// sampled reads a recording.
func sampled(tb testing.TB, path string) []int16 {
	tb.Helper()
	c, err := file.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	return c.Samples
}

// people reads the recordings of people in a folder.
func people(tb testing.TB, folder string) []recording {
	tb.Helper()
	return recordings(tb, shared(tb, "human", "manifest.jsonl"), func(r recording) bool { return filepath.Dir(r.File) == folder })
}

// some takes every so-manieth, so that at most so many are left. The whole form takes
// all.
func some[T any](all []T, most int) []T {
	if *whole || len(all) <= most {
		return all
	}
	var out []T
	for i := range most {
		out = append(out, all[i*len(all)/most])
	}
	return out
}

// halved is a sentence with a place where its speaker stops for a while.
type halved struct {
	begin, end string
	n          int // its number in the set
}

func (h halved) String() string { return h.begin + " … " + h.end }

// halves reads a set of sentences in which "…" marks the pause.
func halves(tb testing.TB, name string) (all []halved) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		begin, end, ok := strings.Cut(strings.TrimSpace(line), " … ")
		if !ok {
			tb.Fatalf("%s: no pause in %q", name, line)
		}
		all = append(all, halved{begin, end, len(all)})
	}
	return all
}

// shared is the path of recordings of others; without them a test is skipped.
func shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	return fake.Shared(tb, append([]string{"speech"}, elem...)...)
}

// clipsHouse is the path of the house that the half sentences are about.
func clipsHouse(tb testing.TB) string {
	tb.Helper()
	return shared(tb, "clips", "home.json")
}

// written is what a text does.
func written(tb testing.TB, e *lab.Ear, h *home.House, text string) meant {
	tb.Helper()
	m, err := means(tb.Context(), e, h, text)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// The sets are what they say: written down, no beginning of a half sentence does
// anything, and every whole sentence is done or answered.
func TestTheHalvesAreHalves(t *testing.T) {
	t.Parallel()
	h := readHouse(t, clipsHouse(t))
	e, err := lab.NewEar(earOf(settings("pocketsphinx"), h))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct {
		name   string
		size   int
		closed bool // no beginning may be a sentence
	}{{"halves.txt", 200, true}, {"growing.txt", 40, false}} {
		all := halves(t, set.name)
		seen := map[string]bool{}
		for _, s := range all {
			if seen[s.String()] {
				t.Errorf("%s: %q stands there twice", set.name, s)
			}
			seen[s.String()] = true
			if m := written(t, e, h, s.begin); set.closed && (m.rec.Outcome == record.Done || len(m.deeds) > 0) {
				t.Errorf("%s: %q is a sentence: %v, %q", set.name, s.begin, m.deeds, m.rec.Reply)
			}
			if m := written(t, e, h, s.begin+" "+s.end); m.rec.Outcome != record.Done {
				t.Errorf("%s: %q is %s: %q", set.name, s, m.rec.Outcome, m.rec.Reply)
			}
		}
		if len(all) != set.size {
			t.Errorf("%s: %d sentences, want %d", set.name, len(all), set.size)
		}
	}
}

// The house of the people's home commands has what they speak of.
func TestTheHouseOfPeople(t *testing.T) {
	t.Parallel()
	h := readHouse(t, filepath.Join("testdata", "people_home.json"))
	e, err := lab.NewEar(earOf(settings("pocketsphinx"), h))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{ // the things; "-": it is done, and touches none
		"turn on basement light":            "light.basement",
		"turn off standing light":           "light.standing",
		"set kitchen lights to red":         "light.kitchen",
		"set office lights to blue":         "light.office",
		"turn off all lights in the office": "light.desk light.office",
		"what's the weather":                "",
		"pause timer":                       "-",
	} {
		m := written(t, e, h, text)
		if got := strings.Join(slices.Sorted(maps.Keys(m.deeds)), " "); got != strings.TrimPrefix(want, "-") {
			t.Errorf("%q touches %q, want %q: %s", text, got, want, fmt.Sprint(m.rec.Reply))
		}
		if able := m.rec.Outcome == record.Done; able != (want != "") {
			t.Errorf("%q is %s", text, m.rec.Outcome)
		}
	}
}
