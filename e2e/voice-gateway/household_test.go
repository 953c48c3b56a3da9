package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/zwave/sim"
)

// TestHousehold says what a household says in a day, in four languages, and reads the
// state of every device afterwards: what was meant has happened, and nothing else.
func TestHousehold(t *testing.T) {
	t.Parallel()
	sayAll(t, "testdata/household.txtar")
}

// sayAll says every file of sentences of an archive in the house of its language, each
// file in a house and to a gateway of its own.
func sayAll(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	for _, f := range archive.Files {
		part, ok := strings.CutSuffix(f.Name, ".said")
		if !ok {
			continue
		}
		lang, _, _ := strings.Cut(part, ".")
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			saySentences(t, lang, files[lang+".house"], files[f.Name])
		})
	}
}

// saySentences says sentences in a house and fails with what is not as it was meant.
func saySentences(t *testing.T, lang, houseFile, sentences string) {
	t.Helper()
	house, played, broker := playHouse(t, houseFile)
	_, address, _ := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_LANGUAGE="+lang, "VOICE_GATEWAY_GATEWAY_UNITS=metric")
	eventually(t, "the house is known", func() bool {
		var home json.RawMessage
		return get(t, address, "/api/home", &home) == nil && strings.Contains(string(home), house.Nodes[len(house.Nodes)-1].Name)
	})
	stranger := listen(t, broker)
	ask := func(n int, w wish) record.Record {
		if n <= overHTTP {
			return askIn(t, address, w.room, w.text)
		}
		return askOver(t, stranger, fmt.Sprint("said", n), w.room, w.text)
	}
	said, right, misunderstood, known := 0, 0, 0, 0
	before := atRest(t, played)
	for line := range strings.Lines(sentences) {
		said++
		line, missed := strings.CutPrefix(line, "~ ")
		w := readWish(t, line)
		r := ask(said, w)
		now := atRest(t, played)
		switch wrong := w.misses(r.Reply, before, now); {
		case wrong == "" && missed:
			t.Errorf("%s: %q is right now: its line needs no ~", w.room, w.text)
		case wrong == "":
			right++
		default:
			if r.Route == record.RouteNone {
				misunderstood++
			}
			if missed {
				known++
				t.Logf("known: %s: %q is answered %q (%s): %s", w.room, w.text, r.Reply, intentOf(r), wrong)
				break
			}
			t.Errorf("%s: %q\n  is answered %q (%s): %s", w.room, w.text, r.Reply, intentOf(r), wrong)
		}
		before = now
	}
	t.Logf("%d of %d sentences are right, %d wrong, %d not understood; %d of these are known", right, said, said-right-misunderstood, misunderstood, known)
}

// playHouse plays a house in this process, behind a broker of its own.
func playHouse(t *testing.T, file string) (house *sim.House, played *rig.House, broker string) {
	t.Helper()
	parsed, err := sim.ParseHouse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	broker = mosquitto(t)
	cfg := sim.DefaultConfig()
	cfg.House = parsed
	if played, err = rig.PlayHouse(cfg, broker); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(played.Stop)
	return &parsed, played, broker
}

// overHTTP is how many sentences are asked over HTTP; the others come over MQTT, because
// one source may not give more than 60 orders a minute.
const overHTTP = 69

// askOver asks over MQTT from a room.
func askOver(t *testing.T, stranger *ear, id, room, text string) (r record.Record) {
	t.Helper()
	order, err := json.Marshal(map[string]string{"id": id, "text": text, "area": room})
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Publish(t.Context(), "voice/test/cmd/ask", order); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the turn "+id+" has ended", func() bool {
		for _, turn := range stranger.on("voice/test/turn") {
			if json.Unmarshal([]byte(turn), &r) == nil && r.ID == id {
				return true
			}
		}
		return false
	})
	return r
}

// wish is a sentence in a room, what devices then are, and what the answer holds.
type wish struct{ room, text, facts, answer string }

// readWish reads a line of the household.
func readWish(t *testing.T, line string) wish {
	t.Helper()
	parts := strings.SplitN(line, " |", 4)
	if len(parts) != 4 {
		t.Fatalf("%q is no room, sentence, facts and answer", line)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return wish{parts[0], parts[1], parts[2], parts[3]}
}

// atRest returns the states of the devices when none of them moves any more.
func atRest(t *testing.T, house *rig.House) (all map[string]sim.Truth) {
	t.Helper()
	eventually(t, "every device has come to rest", func() bool {
		var err error
		if all, err = house.Truth(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if d.Moving {
				return false
			}
		}
		return true
	})
	return all
}

// misses returns the differences from what was meant, "" for none.
func (w wish) misses(reply string, before, now map[string]sim.Truth) string {
	var wrong []string
	meant := map[string]bool{}
	for fact := range strings.SplitSeq(strings.Trim(w.facts, "- "), ";") {
		if fact = strings.TrimSpace(fact); fact == "" {
			continue
		}
		device, what := cutFact(now, fact)
		meant[device] = true
		if !holdsFact(now[device], what) {
			wrong = append(wrong, fact+" is not so")
		}
	}
	for _, device := range slices.Sorted(maps.Keys(now)) {
		if was, is := appearance(before[device]), appearance(now[device]); was != is && !meant[device] {
			wrong = append(wrong, fmt.Sprintf("%s has become %s", device, is))
		}
	}
	for part := range strings.SplitSeq(w.answer, " & ") {
		pattern, not := strings.CutPrefix(part, "!")
		if pattern != "" && regexp.MustCompile(pattern).MatchString(reply) == not {
			wrong = append(wrong, "expected "+part)
		}
	}
	return strings.Join(wrong, ", ")
}

// appearance is what people see of a device, in one line.
func appearance(d sim.Truth) string {
	return fmt.Sprintf("%v %v%% %v open %v tilt %v locked %v %s %v %v",
		value(d.On), value(d.Level), d.Outlets, value(d.Position), value(d.Tilt), value(d.Locked), d.Mode, d.Values["67-0-setpoint-1"], d.Values["67-0-setpoint-2"])
}

func value[V any](p *V) (v V) {
	if p != nil {
		v = *p
	}
	return v
}

// cutFact cuts the name of a device off a fact.
func cutFact(all map[string]sim.Truth, fact string) (device, what string) {
	for name := range all {
		if rest, ok := strings.CutPrefix(fact, name+" "); ok && len(name) > len(device) {
			device, what = name, rest
		}
	}
	return device, what
}

// holdsFact reports whether a device is what a fact says of it.
func holdsFact(d sim.Truth, what string) bool {
	kind, rest, _ := strings.Cut(what, " ")
	switch kind {
	case "*":
		return true
	case "on", "off":
		return d.On != nil && *d.On == (kind == "on")
	case "locked", "unlocked":
		return d.Locked != nil && *d.Locked == (kind == "locked")
	case "open":
		return d.Position != nil && isNumber(*d.Position, rest)
	case "tilt":
		return d.Tilt != nil && isNumber(*d.Tilt, rest)
	case "heats", "setpoint":
		return isNumber(number(d.Values["67-0-setpoint-1"]), rest)
	case "cools":
		return isNumber(number(d.Values["67-0-setpoint-2"]), rest)
	case "mode":
		return d.Mode == rest
	case "red":
		return number(d.Colour["red"]) > 200 && number(d.Colour["green"]) < 60 && number(d.Colour["blue"]) < 60
	case "green":
		return number(d.Colour["green"]) > 100 && number(d.Colour["red"]) < 60 && number(d.Colour["blue"]) < 60
	case "blue":
		return number(d.Colour["blue"]) > 200 && number(d.Colour["red"]) < 60 && number(d.Colour["green"]) < 60
	case "warm":
		return number(d.Colour["red"]) > number(d.Colour["blue"])+50 || number(d.Colour["warmWhite"]) > 200
	}
	return d.Level != nil && isNumber(*d.Level, strings.TrimSuffix(what, "%"))
}

// isNumber reports whether a value is a number, to the unit, or above one that is written
// ">50", or below one that is written "<50".
func isNumber(is float64, text string) bool {
	n, err := strconv.ParseFloat(strings.TrimLeft(text, "<>"), 64)
	switch {
	case err != nil:
		return false
	case strings.HasPrefix(text, ">"):
		return is > n
	case strings.HasPrefix(text, "<"):
		return is < n
	}
	return math.Abs(is-n) <= 1
}

func number(v any) float64 {
	n, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
	return n
}

// intentOf is the intent of a turn, or what became of it.
func intentOf(r record.Record) string {
	if r.Intent != nil {
		return r.Intent.Name
	}
	return string(r.Route)
}
