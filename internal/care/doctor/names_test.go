package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/rehearsal"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
)

// called is a visit of a gateway whose house has lamps of these names, and whose last rehearsal
// found this.
func called(t *testing.T, kept *rehearsal.Report, names ...string) *visit {
	t.Helper()
	var house home.Snapshot
	for _, name := range names {
		house.Entities = append(house.Entities, home.EntityState{Entity: home.Entity{
			ID: name, Name: name, Domain: "light", Control: &home.Control{Tool: "t", ID: name}, Abilities: []home.Ability{home.OnOff},
		}})
	}
	answers := map[string]any{"/api/home": house, "/api/rehearsal": rehearsal.State{Report: kept}}
	return &visit{runs: true, Patient: Patient{
		Loaded: &configure.Loaded{Config: gateway.Default()}, Command: "voice-gateway",
		Ask: func(_ context.Context, path string, answer any) error {
			text, err := json.Marshal(answers[path])
			if err != nil {
				return err
			}
			return json.Unmarshal(text, answer)
		},
	}}
}

// What is said of good names is what was done: they were heard, compared by their sound,
// or looked at as they are written.
func TestHowNamesWereLookedAt(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	heard, deaf := &rehearsal.Report{Time: day, Names: 1}, &rehearsal.Report{Time: day, Names: 1, Voice: "the recogniser does not understand the gateway's voice"}
	for name, c := range map[string]struct {
		language string
		engine   string
		kept     *rehearsal.Report
		want     []string // state and text of each finding
	}{
		"compared":              {"en", "auto", nil, []string{"well they are told apart by how they are pronounced; rehearse"}},
		"heard":                 {"en", "auto", heard, []string{"well they are told apart; 1 were heard on 2026-01-02"}},
		"not understood":        {"en", "auto", deaf, []string{"well they are told apart by how they are pronounced", "poor the recogniser does not understand"}},
		"German":                {"de", "auto", nil, []string{"well no two things of one room have one name; how names sound is compared in English only"}},
		"a server":              {"en", "openai", nil, []string{"well no two things of one room have one name"}},
		"a server, understood":  {"de", "openai", heard, []string{"well they are told apart; 1 were heard"}},
		"a server, not a voice": {"fr", "wyoming", deaf, []string{"well no two things of one room have one name", "poor the recogniser does not understand"}},
	} {
		v := called(t, c.kept, "Kitchen Light")
		v.Gateway.Language, v.STT.Engines = c.language, []string{c.engine}
		got := v.names(t.Context())
		if !slices.EqualFunc(got, c.want, func(f Finding, want string) bool {
			return strings.HasPrefix(fmt.Sprintf("%s %s", f.State, f.Text), want)
		}) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// The package of the dictionary is proposed only where it is what is missing.
func TestNoDictionary(t *testing.T) {
	t.Parallel()
	empty, broken := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(broken, "cmudict-en-us.dict"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{empty, broken} {
		v := called(t, nil, "Kitchen Light")
		v.STT.ModelDir = dir
		got := v.names(t.Context())
		if len(got) != 1 || got[0].State != Poor || !strings.Contains(got[0].Text, "cannot be compared") || got[0].Mend != "" {
			t.Errorf("%+v", got)
		}
	}
}

// Of the words without a pronunciation a few are listed, with the way to add one if no
// program that pronounces them can be installed.
func TestWordsNobodyPronounces(t *testing.T) {
	var words []rehearsal.Word
	for i := range mostNamed + 3 {
		words = append(words, rehearsal.Word{Word: fmt.Sprint("zelbo", i)})
	}
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	for _, installed := range []bool{false, true} {
		if installed {
			if err := os.WriteFile(filepath.Join(programs, "espeak-ng"), nil, 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
		}
		got := called(t, nil).unknown(words)
		if len(got) != 1 || !strings.HasSuffix(got[0].Text, " and 3 more") || (got[0].Mend == "") != installed || strings.Contains(got[0].Do, "voice-gateway config pronounce WORD PHONES") != installed {
			t.Errorf("installed: %v: %+v", installed, got)
		}
	}
}
