package reply_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
)

// table is a file of replies in its YAML form.
type table struct {
	Phrases, Units, Words, Colours map[string]string
	Things                         map[string][]string
	States, Sensors                map[string]map[string]string
	Days, Months                   []string
	Agree                          struct{ Endings, Verbs map[string]any }
}

// agrees reports whether a place is for a word that agrees with a name, which every
// phrase with the name of a thing can have.
func (t *table) agrees(p string) bool {
	p = strings.Trim(p, "{}")
	return t.Agree.Endings[p] != nil || t.Agree.Verbs[p] != nil || slices.Contains([]string{"is", "has", "stands", "reports"}, p)
}

func written(t *testing.T, language string) table {
	t.Helper()
	data, err := sentences.Replies(language)
	if err != nil {
		t.Fatal(err)
	}
	var out table
	if err := yaml.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// ofCommands are the phrases that the things of a command fill in every way.
var ofCommands = regexp.MustCompile(`^(why_.*|stuck_.*|belied.*|fate_unknown_of|accepted|no_answer|refused)$`)

// says reports whether a phrase has a place, in any case of a name and with a room as a
// room or as a place.
func says(text, p string) bool { return strings.Contains(caseless(text), caseless(p)) }

func caseless(text string) string {
	text = strings.NewReplacer("{in_area}", "{area}", "_object}", "}", "_of}", "}").Replace(text)
	return strings.ToLower(text)
}

var place = regexp.MustCompile(`\{\w+\}`)

// TestEveryLanguageHasEveryReply compares the tables with the English one: no key
// may be missing, and a phrase may use only places that are filled.
func TestEveryLanguageHasEveryReply(t *testing.T) {
	t.Parallel()
	optional := []string{"{is}", "{has}", "{it}", "{they}", "{its}", "{a}", "{things}", "{reports}", "{what}", "{goes}", "{half}", "{hour}"} // what another language can do without
	agreeing := []string{"{is}", "{has}"}                                                                                                    // filled wherever the name of the thing of a command is
	en := written(t, "en")
	for _, language := range []string{"de", "es", "fr"} {
		got := written(t, language)
		for key, text := range en.Phrases {
			there, ok := got.Phrases[key]
			if !ok {
				t.Errorf("%s: the phrase %q is missing", language, key)
			}
			if text == "" {
				continue // the tool says it in English
			}
			for _, p := range place.FindAllString(text, -1) {
				if !slices.Contains(optional, p) && !says(there, p) {
					t.Errorf("%s: %s does not say %s", language, key, p)
				}
			}
			for _, p := range place.FindAllString(there, -1) {
				agrees := slices.Contains(agreeing, p) && ofCommands.MatchString(key) || got.agrees(p) && (says(text, "{name}") || says(text, "{things}"))
				if !agrees && !says(text, p) {
					t.Errorf("%s: %s uses %s, which nobody fills", language, key, p)
				}
			}
		}
		for name, pair := range map[string][2][]string{
			"things": {slices.Collect(maps.Keys(en.Things)), slices.Collect(maps.Keys(got.Things))},
			"units":  {slices.Collect(maps.Keys(en.Units)), slices.Collect(maps.Keys(got.Units))},
			"words":  {slices.Collect(maps.Keys(en.Words)), slices.Collect(maps.Keys(got.Words))},
			"states": {slices.Collect(maps.Keys(en.States)), slices.Collect(maps.Keys(got.States))},
		} {
			for _, key := range pair[0] {
				if !slices.Contains(pair[1], key) {
					t.Errorf("%s: %s: %q is missing", language, name, key)
				}
			}
		}
		if len(got.Days) != 7 || len(got.Months) != 12 {
			t.Errorf("%s: %d days and %d months", language, len(got.Days), len(got.Months))
		}
	}
}

// inLanguage returns the house of a language.
func inLanguage(t *testing.T, language string) asking {
	t.Helper()
	path := "../testdata/house.json"
	if language != "en" {
		path = "../testdata/house_" + language + ".json"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return askAbout(t, language, h)
}

// housesInLanguages returns the house of each language.
func housesInLanguages(t *testing.T) map[string]asking {
	t.Helper()
	all := map[string]asking{}
	for _, language := range sentences.Languages() {
		all[language] = inLanguage(t, language)
	}
	return all
}

// TestLanguagesHaveBothFiles: a language without sentences or without replies is
// half a language.
func TestLanguagesHaveBothFiles(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"de", "en", "es", "fr"} {
		if got := sentences.Languages(); !slices.Contains(got, language) {
			t.Errorf("languages: %q, without %q", got, language)
		}
	}
	for _, language := range sentences.Languages() {
		if _, err := intent.Ours(language); err != nil {
			t.Error(err)
		}
		if _, err := reply.Ours(language); err != nil {
			t.Error(err)
		}
	}
	if _, err := reply.Ours("xx"); err == nil || !strings.Contains(err.Error(), `"xx"`) {
		t.Errorf("an unknown language: %v", err)
	}
}
