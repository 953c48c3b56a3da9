package stt

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// A grammar finds its nearest sentence in any sound, and a wake phrase is near to
// some sentence about a room nobody has. So wake phrases are in the grammar as
// what they are, and what comes out as one of them is no command.

// decoys are phrases as the recogniser writes them: lower case words.
func decoys(phrases []string) []string {
	var all []string
	for _, p := range phrases {
		if p = strings.Join(strings.Fields(strings.ToLower(p)), " "); p != "" && !slices.Contains(all, p) {
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

// decoyed is the grammar with the wake phrases that can be pronounced, and how
// their words are. A phrase with a word nobody knows is left out.
func (e *pocketSphinx) decoyed(ctx context.Context, jsgf string, words map[string][]string) (string, error) {
	var spoken []string
	for _, p := range e.decoys {
		found, missing, err := e.pronounce.All(ctx, strings.Fields(p))
		if err != nil {
			return "", err
		}
		if len(missing) > 0 || strings.ContainsAny(p, notPlain) {
			continue
		}
		spoken = append(spoken, p)
		maps.Copy(words, found)
	}
	return beside(jsgf, spoken), nil
}

// notPlain are the signs that mean something in a grammar.
const notPlain = `;|()[]<>{}*+/"=#$\`
