// Package sentences carries the text of our own languages inside the program: what is understood (en.yaml), what is answered
// (en_replies.yaml), the single words that the code has to know (en_words.yaml) and small talk, which is not about the house
// (en_talk.yaml). A new language is four files here with its code as their name, and nothing else; the heads of the English ones say
// how they are made. A fifth file, en_challenge.txt, has the words for challenges, one a line; without it the language asks none.
package sentences

import (
	"embed"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml *_challenge.txt
var files embed.FS

// OfTools is the language in which tools and servers tell what they did, and in which the
// gateway speaks to a language model and to its operator. It is taken where there is none.
const OfTools = "en"

const answered = "_replies.yaml"

// Understood returns the sentence pack of a language; an error if there is none.
func Understood(language string) ([]byte, error) { return files.ReadFile(language + ".yaml") }

// Answered returns the table of replies of a language; an error if there is none.
func Answered(language string) ([]byte, error) { return files.ReadFile(language + answered) }

// Spelt returns the table of single words of a language; an error if there is none.
func Spelt(language string) ([]byte, error) { return files.ReadFile(language + "_words.yaml") }

// Talk returns the small talk of a language, which is not about the house; an error if
// there is none.
func Talk(language string) ([]byte, error) { return files.ReadFile(language + "_talk.yaml") }

// Phrases returns the phrases of a language's replies, or none for a language that we do
// not have.
func Phrases(language string) map[string]string {
	data, err := Answered(language)
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
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // the files are part of the program
	}
	for _, e := range entries {
		if code, ok := strings.CutSuffix(e.Name(), answered); ok {
			out = append(out, code)
		}
	}
	return out
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
