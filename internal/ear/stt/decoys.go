package stt

import (
	"context"
	"slices"
	"strings"

	"voicegateway/internal/language/text"
)

// A grammar finds its nearest sentence in any sound, and a wake phrase is near to
// sentences about rooms that the house does not have. So the wake phrases are
// part of the grammar, and a result that is one of them is not a command.

// decoys are phrases as the recogniser writes them: lower case words.
func decoys(phrases []string) []string {
	var all []string
	for _, p := range phrases {
		if p = text.Fold(p); p != "" && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// beside adds decoys to a grammar, beside its public rule.
func beside(jsgf string, phrases []string) string {
	before, rest, found := strings.Cut(jsgf, "public <")
	name, body, whole := strings.Cut(rest, ">")
	if !found || !whole || len(phrases) == 0 {
		return jsgf
	}
	return before + "<" + name + ">" + body + "\npublic <anything> = <" + name + "> | " + strings.Join(phrases, " | ") + " ;\n"
}

// addDecoys returns the grammar with those wake phrases that can be pronounced, and
// adds the pronunciations of their words to words. A phrase with an unknown word
// is left out.
func (e *pocketSphinx) addDecoys(ctx context.Context, jsgf string, words map[string][]string) (string, error) {
	found, missing, err := e.pronounce.All(ctx, strings.Fields(strings.Join(e.decoys, " ")))
	if err != nil {
		return "", err
	}
	var spoken []string
	for _, p := range e.decoys {
		of := strings.Fields(p)
		if strings.ContainsAny(p, notPlain) || slices.ContainsFunc(of, func(w string) bool { return slices.Contains(missing, w) }) {
			continue
		}
		spoken = append(spoken, p)
		for _, w := range of {
			words[w] = found[w]
		}
	}
	return beside(jsgf, spoken), nil
}

// notPlain are the signs that mean something in a grammar.
const notPlain = `;|()[]<>{}*+/"=#$\`
