package rehearser_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/rehearsal"
	"voicegateway/internal/rehearser"
	"voicegateway/internal/speech/sphinx"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/worker"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := worker.Pipes()
		if err == nil {
			err = sphinx.Work(context.Background(), in, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// config is a rehearsal with a voice and PocketSphinx; the test is skipped where either
// is not installed.
func config(t *testing.T, voice string) rehearser.Config {
	t.Helper()
	for _, program := range []string{voice} {
		if _, err := exec.LookPath(strings.Replace(program, "espeak", "espeak-ng", 1)); err != nil {
			t.Skip("not installed: ", program)
		}
	}
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		t.Skip("the model of PocketSphinx is not installed")
	}
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	speaking := tts.Default()
	speaking.Engines = []string{voice}
	v, err := tts.New(speaking, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	hearing := stt.Default()
	hearing.Engines, hearing.Command, hearing.Language, hearing.Patience = []string{"pocketsphinx"}, []string{os.Args[0], "worker", "stt"}, "en", time.Minute
	hearing.Log = slog.New(slog.DiscardHandler)
	return rehearser.Config{Pack: pack, Voice: v, Recogniser: hearing, Log: slog.New(slog.DiscardHandler)}
}

// planted are names that sound alike, in pairs, and others that do not.
var (
	planted = [][2]string{
		{"Den Light", "Ten Light"},
		{"Fan", "Van"},
		{"Desk Lamp", "Disc Lamp"},
		{"Bat Light", "Pat Light"},
		{"Zelbo", "Selbo"},
	}
	plain = []string{"Kitchen Ceiling Light", "Coffee Machine"}
)

func plantedHouse() *home.House {
	h := &home.House{Areas: []home.Area{{Name: "Office"}, {Name: "Garage"}}, Floors: []home.Floor{}}
	add := func(name, area string) {
		domain := "switch"
		if strings.HasSuffix(name, "Light") || strings.HasSuffix(name, "Lamp") {
			domain = "light"
		}
		if name == "Fan" {
			domain = "fan"
		}
		id := domain + "." + strings.ToLower(strings.ReplaceAll(name, " ", "_"))
		h.Entities = append(h.Entities, home.Entity{ID: id, Name: name, Domain: domain, Area: area, Control: &home.Control{Tool: "control_device", ID: name}, Abilities: []home.Ability{home.OnOff}})
	}
	for _, pair := range planted {
		add(pair[0], "Office")
		add(pair[1], "Garage")
	}
	for _, name := range plain {
		add(name, "")
	}
	return h
}

// TestPlantedNames: of names that sound alike those are found that this recogniser cannot
// tell apart, another name is proposed for most, and with these in the house the second
// rehearsal finds the thing by it. Names that do not sound alike are not complained of.
func TestPlantedNames(t *testing.T) {
	cfg := config(t, "flite")
	h := plantedHouse()
	first, err := rehearser.Rehearse(t.Context(), cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	found, proposed := 0, 0
	for _, pair := range planted {
		if slices.ContainsFunc(first.Confused, func(c rehearsal.Confusion) bool { return c.Name == pair[0] || c.Name == pair[1] }) {
			found++
		} else {
			t.Logf("told apart: %v", pair)
		}
	}
	mended := plantedHouse()
	for _, c := range first.Confused {
		t.Logf("%q was heard as %q (%v): call it %q", c.Said, c.Heard, c.With, c.Alias)
		if c.Known {
			t.Errorf("%s has no other name in this house, and %q is said to be one", c.Name, c.Alias)
		}
		if slices.Contains(plain, c.Name) {
			t.Errorf("%s sounds like nothing else here, and is said to be confused with %v", c.Name, c.With)
		}
		if c.Alias == "" {
			continue
		}
		proposed++
		i := slices.IndexFunc(mended.Entities, func(e home.Entity) bool { return e.ID == c.ID })
		mended.Entities[i].Aliases = append(mended.Entities[i].Aliases, c.Alias)
	}
	second, err := rehearser.Rehearse(t.Context(), cfg, mended)
	if err != nil {
		t.Fatal(err)
	}
	healed := 0
	for _, c := range second.Confused {
		if c.Mended() {
			healed++
		}
	}
	t.Logf("%d of %d planted pairs found, %d names confused, %d with a proposal; of these %d are heard in the mended house, %d names stay confused", found, len(planted), len(first.Confused), proposed, healed, len(second.Confused)-healed)
	if found == 0 {
		t.Error("none of the planted pairs was found")
	}
	if proposed*10 < len(first.Confused)*8 || healed*10 < proposed*8 {
		t.Errorf("of %d confused names %d got a proposal and %d are mended by it, expected eight in ten each", len(first.Confused), proposed, healed)
	}
	words := map[string]bool{}
	for _, w := range first.Unknown {
		words[w.Word] = true
	}
	if !words["zelbo"] || !words["selbo"] || words["light"] || words["coffee"] {
		t.Errorf("words that no dictionary has: %+v", first.Unknown)
	}
}

// silent is a voice that nobody understands.
type silent struct{}

func (silent) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.SpeechRate)}, nil
}

// Names are not blamed for a voice that the recogniser does not understand.
func TestAVoiceThatIsNotUnderstood(t *testing.T) {
	cfg, h := config(t, "flite"), plantedHouse()
	cfg.Voice, h.Entities = silent{}, h.Entities[:3]
	if r, err := rehearser.Rehearse(t.Context(), cfg, h); !errors.Is(err, rehearser.ErrVoice) {
		t.Errorf("%v, %+v", err, r)
	}
}
