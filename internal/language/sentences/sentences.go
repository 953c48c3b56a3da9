// Package sentences has all text of our languages, in files that are part of the program.
// The files of a language begin with its code: what is understood (en.yaml), what is
// answered (en_replies.yaml), single words that the code has to know (en_words.yaml), small
// talk, which is not about the house (en_talk.yaml), and the words of the page
// (en_page.json). A new language is these five files and nothing else; the heads of the
// English ones say how they are made.
//
// Three more may be there: en_reader.yaml has the words with which the learned reader writes
// sentences of ours, without which it reads nothing; en_challenge.txt has the words for challenges, one a line, without
// which the language asks none; xx_numbers.txt has the numbers of a language that CLDR does
// not know, a line each: the number, a tab, and its spellings divided by bars.
package sentences

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml *.json *.txt
var shipped embed.FS

// files has the languages of the program, and those that were added.
var files = layers{shipped}

// layers are several folders of files as one.
type layers []fs.FS

// Add makes the languages in another folder known as well. It is called before anything of
// a language is read, because what was read is kept.
func Add(folder fs.FS) { files = append(files, folder) }

// ReadFile reads a file from the first folder that has it.
func (l layers) ReadFile(name string) (data []byte, err error) {
	for _, folder := range l {
		if data, err = fs.ReadFile(folder, name); err == nil {
			return data, nil
		}
	}
	return nil, err
}

// OfTools is the language in which tools and servers tell what they did, and in which the
// gateway speaks to a language model and to its operator. It is taken where there is none.
const OfTools = "en"

const answered = "_replies.yaml"

// Pack returns the sentence pack of a language; an error if there is none.
func Pack(language string) ([]byte, error) { return files.ReadFile(language + ".yaml") }

// Replies returns the table of replies of a language; an error if there is none.
func Replies(language string) ([]byte, error) { return files.ReadFile(language + answered) }

// Spelt returns the table of single words of a language; an error if there is none.
func Spelt(language string) ([]byte, error) { return files.ReadFile(language + "_words.yaml") }

// Talk returns the small talk of a language, which is not about the house; an error if
// there is none.
func Talk(language string) ([]byte, error) { return files.ReadFile(language + "_talk.yaml") }

// Rewriting returns the words with which the learned reader writes sentences of a language;
// an error if it has none.
func Rewriting(language string) ([]byte, error) { return files.ReadFile(language + "_reader.yaml") }

// NumbersFile returns the spellings of numbers in a language; an error if it has no file of its
// own for them, because CLDR knows it or because nobody does.
func NumbersFile(language string) ([]byte, error) { return files.ReadFile(language + "_numbers.txt") }

// Page returns the words of the page in a language, by their names; an error if there are
// none.
func Page(language string) (map[string]string, error) {
	data, err := files.ReadFile(language + "_page.json")
	if err != nil {
		return nil, fmt.Errorf("there are no words of the page in the language %q", language)
	}
	var words map[string]string
	if err := json.Unmarshal(data, &words); err != nil {
		return nil, fmt.Errorf("the words of the page in the language %q: %w", language, err)
	}
	return words, nil
}

// Phrases returns the phrases of a language's replies, or none for a language that we do
// not have.
func Phrases(language string) map[string]string {
	data, err := Replies(language)
	if err != nil {
		return nil
	}
	var replies struct {
		Phrases map[string]string `yaml:"phrases"`
	}
	if yaml.Unmarshal(data, &replies) != nil {
		return nil // the files are part of the program, and tests load them
	}
	return replies.Phrases
}

// Languages are the codes of our languages, in alphabetical order.
func Languages() []string {
	var out []string
	for _, folder := range files {
		names, err := fs.Glob(folder, "*"+answered)
		if err != nil {
			return nil // the pattern is right, and the files are part of the program
		}
		for _, name := range names {
			out = append(out, strings.TrimSuffix(name, answered))
		}
	}
	slices.Sort(out)
	return out
}

// AskingWords returns what the questions for the words of a challenge begin with in a
// language, in small letters: "say".
func AskingWords(language string) []string {
	found := map[string]bool{}
	for key, text := range Phrases(language) {
		before, _, asks := strings.Cut(text, "{words}")
		if before = strings.ToLower(strings.TrimSpace(before)); asks && before != "" && strings.HasPrefix(key, "challenge_") {
			found[before] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Challenge returns the words for challenges in a language (REQUIREMENTS S1), or none if
// it has no such list.
func Challenge(language string) []string {
	data, err := files.ReadFile(language + "_challenge.txt")
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}
