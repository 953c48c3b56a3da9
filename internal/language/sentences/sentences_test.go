package sentences_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/language/sentences"
)

// The words of every language load, which demands every key and allows no other.
func TestWordsLoad(t *testing.T) {
	t.Parallel()
	for _, code := range sentences.Languages() {
		w := sentences.WordsOf(code)
		if w.Language != code {
			t.Errorf("%s_words.yaml: language is %q", code, w.Language)
		}
		for state := range sentences.WordsOf("en").Claims.States {
			if len(w.Claims.States[state]) == 0 {
				t.Errorf("%s_words.yaml: claims.states has no words for %s", code, state)
			}
		}
		for kind := range sentences.WordsOf("en").Claims.Kinds {
			if len(w.Claims.Kinds[kind]) == 0 {
				t.Errorf("%s_words.yaml: claims.kinds has no words for %s", code, kind)
			}
		}
		for kept := range sentences.WordsOf("en").Claims.Kept {
			if len(w.Claims.Kept[kept]) == 0 {
				t.Errorf("%s_words.yaml: claims.kept has no words for %s", code, kept)
			}
		}
		for room := range sentences.WordsOf("en").Claims.Rooms {
			if len(w.Claims.Rooms[room]) == 0 {
				t.Errorf("%s_words.yaml: claims.rooms has no words for %s", code, room)
			}
		}
		for _, pair := range w.Sounds.Letters {
			if len(pair) != 2 {
				t.Errorf("%s_words.yaml: sounds.letters: %q is no letter with its class", code, pair)
			}
		}
	}
	if w := sentences.WordsOf("de-CH"); w.Language != "de" {
		t.Errorf("German of Switzerland has the words of %q", w.Language)
	}
	if w := sentences.WordsOf("tlh"); len(w.Names.Dropped) != 0 {
		t.Error("a language we do not have has words")
	}
}

// An error in a file of words names the key.
func TestWordsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"empty":       {"", "empty"},
		"no yaml":     {"\t:", "reading words"},
		"unknown key": {"language: xx\nnmaes: {}\n", "nmaes"},
		"missing key": {"language: xx\n", "names"},
		"in a part":   {"language: xx\nnames: {dropped: a}\n", "names.not_first"},
		"no amounts":  {"numbers: {percents: [half]}\n", "{half: 50}"},
		"no pairs":    {"sounds: {together: ph}\n", "{ph: F}"},
	} {
		if _, err := sentences.LoadWords([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

// The files of all languages have the same keys, so that a missing one is
// noticed.
func TestLanguagesHaveTheSameKeys(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		file string
		read func(code string) ([]byte, error)
		// into are the mappings whose keys are compared as well.
		into []string
	}{
		{"understood", sentences.Pack, []string{"mood", "pronouns", "decoys", "spoken_polite", "texts"}},
		{"answered", sentences.Replies, []string{"amends", "cancels", "chooses", "phrases", "things", "units", "states", "sensors", "words", "colours", "conditions"}},
	} {
		keys := make(map[string][]string)
		for _, code := range sentences.Languages() {
			data, err := kind.read(code)
			if err != nil {
				t.Fatal(err)
			}
			var root map[string]any
			if err := yaml.Unmarshal(data, &root); err != nil {
				t.Fatal(err)
			}
			keys[code] = keysOf(root, "", kind.into)
		}
		all := make(map[string]bool)
		for _, list := range keys {
			for _, key := range list {
				all[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(all)) {
			for _, code := range sentences.Languages() {
				if !slices.Contains(keys[code], key) && !grammatical.MatchString(key) {
					t.Errorf("%s: the key %s is in other languages and missing in %s", kind.file, key, code)
				}
			}
		}
	}
}

// grammatical are the keys for differences that only some languages make: numbers that
// agree, hours with a form of their own, and what a sensor does not report.
var grammatical = regexp.MustCompile(`^(point|single|one_up_to|phrases\.(senses_none.*|.*_(one|zero))|words\.(between_numbers|(ends_in|and)_one.*))$`)

func keysOf(m map[string]any, path string, into []string) []string {
	var out []string
	for key, value := range m {
		out = append(out, path+key)
		if inner, ok := value.(map[string]any); ok && (path != "" || slices.Contains(into, key)) {
			out = append(out, keysOf(inner, path+key+".", into)...)
		}
	}
	return out
}

// Every list and every rule of a language stands in one of its sentences, or in a rule that
// does.
func TestEveryListAndRuleIsUsed(t *testing.T) {
	t.Parallel()
	for _, code := range sentences.Languages() {
		pack, err := sentences.Pack(code)
		if err != nil {
			t.Fatal(err)
		}
		talk, err := sentences.Talk(code)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string][]byte{code + ".yaml": pack, code + "_talk.yaml": talk} {
			var defined struct {
				Lists  map[string]any    `yaml:"lists"`
				Rules  map[string]string `yaml:"expansion_rules"`
				Spoken map[string]string `yaml:"spoken_rules"`
			}
			if err := yaml.Unmarshal(text, &defined); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			used := func(opened, name string) bool {
				return regexp.MustCompile(regexp.QuoteMeta(opened+name) + "[:}>]").Match(slices.Concat(pack, talk))
			}
			for name := range defined.Lists {
				if !used("{", name) {
					t.Errorf("%s: no sentence uses the list %s", file, name)
				}
			}
			for _, rules := range []map[string]string{defined.Rules, defined.Spoken} {
				for name := range rules {
					if !used("<", name) {
						t.Errorf("%s: no sentence uses the rule %s", file, name)
					}
				}
			}
		}
	}
}
