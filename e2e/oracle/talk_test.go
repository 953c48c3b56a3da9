//go:build oracle

package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// houses are those in which sentences are said, by name: the file and the language that
// their names are in.
var houses = []struct{ name, file, language string }{
	{"cottage", "e2e/oracle/testdata/houses/cottage.json", "en"},
	{"bungalow", "e2e/oracle/testdata/houses/bungalow.json", "en"},
	{"people", "e2e/hearing/testdata/people_home.json", "en"},
	{"house_en", "internal/intent/testdata/house.json", "en"},
	{"house_de", "internal/intent/testdata/house_de.json", "de"},
	{"house_fr", "internal/intent/testdata/house_fr.json", "fr"},
	{"house_es", "internal/intent/testdata/house_es.json", "es"},
	{"short_en", "e2e/oracle/testdata/houses/short_en.json", "en"},
	{"short_de", "e2e/oracle/testdata/houses/short_de.json", "de"},
	{"short_fr", "e2e/oracle/testdata/houses/short_fr.json", "fr"},
	{"short_es", "e2e/oracle/testdata/houses/short_es.json", "es"},
	{"villa_en", "e2e/oracle/testdata/houses/villa_en.json", "en"},
	{"villa_de", "e2e/oracle/testdata/houses/villa_de.json", "de"},
	{"villa_fr", "e2e/oracle/testdata/houses/villa_fr.json", "fr"},
	{"villa_es", "e2e/oracle/testdata/houses/villa_es.json", "es"},
}

// call names the things and rooms of a house.
type called struct{ names, areas []string }

// calledIn reads the names of a house.
func calledIn(t *testing.T, told []byte) (c called) {
	t.Helper()
	var h struct{ Areas, Entities []struct{ Name string } }
	if err := json.Unmarshal(told, &h); err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Entities {
		c.names = append(c.names, e.Name)
	}
	for _, a := range h.Areas {
		c.areas = append(c.areas, a.Name)
	}
	return c
}

// hole is where a sample of a pack says a name of the house.
var hole = regexp.MustCompile(`‹(name|area)(\d+)›`)

// fill puts names of the house into the holes of a sample.
func (c called) fill(text string) string {
	return hole.ReplaceAllStringFunc(text, func(h string) string {
		m := hole.FindStringSubmatch(h)
		n, _ := strconv.Atoi(m[2])
		names := map[string][]string{"name": c.names, "area": c.areas}[m[1]]
		return strings.ToLower(names[n%len(names)])
	})
}

// hear reads a line as what an ear made of it: "[Kitchen mic] text => expected" is said
// in a room, "turn on …" is a beginning, "off ~ on" has another reading, "open it ++
// please" goes on in the open ear, and "> yes" is said after a question.
func hear(line, area string) said {
	line, _, _ = strings.Cut(line, " => ")
	if rest, ok := strings.CutPrefix(line, "["); ok {
		area, line, _ = strings.Cut(rest, "] ")
	}
	s := said{Source: "http", Area: area}
	for _, source := range []string{"mic", "http", "mqtt"} {
		if room, ok := strings.CutSuffix(area, source); ok && (room == "" || strings.HasSuffix(room, " ")) {
			s.Area, s.Source = strings.TrimSpace(room), source
		}
	}
	line, s.FollowUp = strings.CutPrefix(strings.TrimSpace(line), "> ")
	line, s.More, _ = strings.Cut(line, " ++ ")
	if s.More != "" {
		all := strings.Split(s.More, " ~ ")
		s.More, s.MoreOthers = all[0], all[1:]
	}
	readings := strings.Split(line, " ~ ")
	s.Text, s.Unfinished = strings.CutSuffix(readings[0], " …")
	s.Text = strings.ReplaceAll(s.Text, " … ", " ")
	s.Others = readings[1:]
	return s
}

// single are the sentences of all files that need nothing said before them, by language,
// each with its file.
func single(t *testing.T) map[string][][2]string {
	t.Helper()
	all := map[string][][2]string{}
	for _, m := range materials(t) {
		for _, k := range m.talks {
			for _, line := range k.lines {
				if m.alone {
					all[k.language] = append(all[k.language], [2]string{filepath.Base(filepath.Dir(m.name)) + "/" + filepath.Base(m.name), line})
				}
			}
		}
	}
	return all
}

// TestSentences says every sentence, in every house of its language, to a gateway that
// was just moved in, and runs a part of these turns again as replays.
func TestSentences(t *testing.T) {
	spoken := single(t)
	entries, replays, slips := open(t, "sentences"), open(t, "replays"), open(t, "slips")
	t.Run("houses", func(t *testing.T) {
		for _, h := range houses {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				told := readHouse(t, filepath.Join(root, h.file))
				f, names := settle(t, h.language, told), calledIn(t, told)
				type turn struct {
					key  string
					said said
					rec  any
				}
				var turns []turn
				done := map[string]bool{}
				synctest.Test(t, func(t *testing.T) {
					for i, one := range spoken[h.language] {
						s := hear(names.fill(one[1]), "")
						key := fmt.Sprintf("%s, %s, [%s %s] %s", one[0], h.name, s.Area, s.Source, s.Text)
						if s.Unfinished {
							key += " …"
						}
						if done[key] || s.Text == "" {
							continue
						}
						done[key] = true
						entry, rec := f.once(t, told, s)
						entry["judge"] = f.judge(s.Text)
						entries.put(t, key, entry)
						turns = append(turns, turn{key, s, rec})
						if slip := mistype(s.Text, i); slip != s.Text && strings.HasPrefix(h.name, "villa") {
							wrong := s
							wrong.Text = slip
							entry, _ := f.once(t, told, wrong)
							slips.put(t, key, object{"typed": slip, "turn": entry})
						}
					}
				})
				if !strings.HasPrefix(h.name, "villa") {
					return
				}
				synctest.Test(t, func(t *testing.T) {
					var again replayer
					for i, one := range turns {
						should := ""
						if i%2 == 1 {
							should = turns[i-1].said.Text
						}
						came, err := again.run(t.Context(), f, told, one.rec, should)
						if err != nil {
							came = "error: " + err.Error()
						}
						replays.put(t, one.key, object{"should": should, "replay": came})
					}
				})
			})
		}
	})
}

// once says one thing to a gateway that was just moved in.
func (f *family) once(t *testing.T, told []byte, s said) (entry object, rec any) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := build(t, told)
	m := f.begin(ctx, t, w)
	defer m.end()
	rec, aloud := m.say(ctx, "turn", s)
	synctest.Wait()
	return object{"decision": f.decide(s.Text, s.Area), "record": rec, "aloud": aloud, "happened": w.takeEvents(t)}, rec
}

// mistype makes a slip of the nth kind in the longest word of a text: two letters are
// swapped, one is lost, or one is doubled.
func mistype(text string, n int) string {
	words := strings.Fields(text)
	longest := 0
	for i, w := range words {
		if len([]rune(w)) > len([]rune(words[longest])) {
			longest = i
		}
	}
	if len(words) == 0 {
		return text
	}
	letters := []rune(words[longest])
	if len(letters) < 4 {
		return text
	}
	at := 1 + n%(len(letters)-2)
	switch n % 3 {
	case 0:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	case 1:
		letters = slices.Delete(letters, at, at+1)
	default:
		letters = slices.Insert(letters, at, letters[at])
	}
	words[longest] = string(letters)
	return strings.Join(words, " ")
}

// TestConversations tells every conversation of the files, in virtual time, without a
// language model.
func TestConversations(t *testing.T) {
	all := materials(t)
	entries := open(t, "conversations")
	told, lived := map[string][]byte{}, map[string]*family{}
	for _, h := range houses {
		told[h.name] = readHouse(t, filepath.Join(root, h.file))
	}
	t.Run("files", func(t *testing.T) {
		for _, m := range all {
			if m.alone {
				continue
			}
			for _, k := range m.talks {
				house := strings.ReplaceAll(k.house, "LANG", k.language)
				if told[house] == nil {
					t.Fatalf("%s: %s: nobody knows the house %q", m.name, k.name, house)
				}
				at := house + " " + k.language
				if lived[at] == nil {
					lived[at] = settle(t, k.language, told[house])
				}
				t.Run(m.name+" "+k.name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						for i, entry := range lived[at].talk(t, told[house], k) {
							entries.put(t, fmt.Sprintf("%s, %s, %03d", strings.TrimPrefix(m.name, "internal/"), k.name, i+1), entry)
						}
					})
				})
			}
		}
	})
}

// talk tells a conversation and returns an entry for each of its lines.
func (f *family) talk(t *testing.T, told []byte, k talk) (entries []object) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if at, err := time.Parse("15:04", k.start); err == nil {
		<-time.After(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute)
	}
	w := build(t, told)
	m := f.begin(ctx, t, w)
	defer func() { m.end() }()
	area := k.area
	for i, line := range k.lines {
		entry := object{"line": line}
		if k.fresh {
			m.end()
			w = build(t, told)
			m = f.begin(ctx, t, w)
		}
		switch {
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			area = strings.Trim(line, "[]")
		case m.stir(line):
			synctest.Wait()
			entry["happened"] = w.takeEvents(t)
		default:
			s := hear(line, area)
			entry["decision"] = f.decide(s.Text, s.Area)
			entry["record"], entry["aloud"] = m.say(ctx, fmt.Sprintf("turn-%d", i+1), s)
			synctest.Wait()
			entry["happened"] = w.takeEvents(t)
		}
		entries = append(entries, entry)
	}
	return entries
}

// stir does what a line tells beside what is said: "+3m" waits, "fan: on" is done by
// somebody, "fan by hand: on" is done and reported, "lamp: no_answer/dead" is how it answers
// from now on, "lamp: belied on off" turns out to be off though it was told as on. It
// reports whether the line was such a one.
func (m *answering) stir(line string) bool {
	if wait, err := time.ParseDuration(strings.TrimPrefix(line, "+")); err == nil {
		<-time.After(wait)
		return true
	}
	device, what, ok := strings.Cut(line, ": ")
	device, byHand := strings.CutSuffix(device, " by hand")
	w := m.world
	if !ok || w.state[device] == nil || what == "" {
		return false
	}
	lie := strings.Fields(what)
	outcome, _, _ := strings.Cut(what, "/")
	property := "on_off"
	w.mu.Lock()
	switch {
	case slices.Contains([]string{"accepted", "queued", "no_answer", "refused", "confirmed"}, outcome):
		w.outcome[device] = what
	case lie[0] == "belied" && len(lie) == 3:
		if _, err := strconv.ParseFloat(lie[2], 64); err != nil {
			w.set(device, lie[2], nil)
		}
	default:
		property = w.set(device, what, nil)
	}
	w.mu.Unlock()
	switch {
	case lie[0] == "belied" && len(lie) == 3:
		m.report(object{"kind": "belied", "entity": device, "thing": device, "property": property, "before": lie[1], "state": lie[2]})
	case byHand:
		m.report(object{"kind": "state", "entity": device, "property": property, "state": what})
	}
	return true
}

// TestMatch gives every sentence to the program's own matcher, as lines of JSON, in the
// houses of its language and, as foreign words, in those of the next.
func TestMatch(t *testing.T) {
	spoken := single(t)
	entries := open(t, "match")
	t.Run("houses", func(t *testing.T) {
		for _, h := range houses {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(filepath.Join(root, h.file))
				if err != nil {
					t.Fatal(err)
				}
				names := calledIn(t, data)
				about := slices.Clone(spoken[h.language])
				if strings.HasPrefix(h.name, "villa") {
					next := languages[(slices.Index(languages, h.language)+1)%len(languages)]
					about = append(about, spoken[next]...)
				}
				var lines strings.Builder
				var keys []string
				for _, one := range about {
					s := hear(names.fill(one[1]), "")
					key := fmt.Sprintf("%s, %s, [%s] %s", one[0], h.name, s.Area, s.Text)
					if slices.Contains(keys, key) {
						continue
					}
					keys = append(keys, key)
					line, err := plain(object{"text": s.Text, "context": object{"area": s.Area}})
					if err != nil {
						t.Fatal(err)
					}
					lines.WriteString(line + "\n")
				}
				for i, answer := range match(t, lines.String(), "--home", filepath.Join(root, h.file), "--lang", h.language) {
					entries.put(t, keys[i], answer)
				}
			})
		}
	})
}

// TestNames resolves names as recognisers and strangers say them, by the program's own
// command.
func TestNames(t *testing.T) {
	entries := open(t, "names")
	for _, h := range houses {
		data, err := os.ReadFile(filepath.Join(root, h.file))
		if err != nil {
			t.Fatal(err)
		}
		var devices []object
		for _, name := range calledIn(t, data).names {
			devices = append(devices, object{"name": name})
		}
		var lines strings.Builder
		var keys []string
		files, err := filepath.Glob(filepath.Join(root, "internal/intent/names/testdata/*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range split(string(text)) {
				heard, _, _ := strings.Cut(line, " = ")
				key := fmt.Sprintf("%s, %s, %s", filepath.Base(file), h.name, heard)
				if line[0] == '#' || line[0] == '[' || slices.Contains(keys, key) {
					continue
				}
				keys = append(keys, key)
				one, err := plain(object{"heard": heard, "devices": devices})
				if err != nil {
					t.Fatal(err)
				}
				lines.WriteString(one + "\n")
			}
		}
		for i, answer := range match(t, lines.String(), "--names", "--lang", h.language) {
			entries.put(t, keys[i], answer)
		}
	}
}
