package configure

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"voicegateway/internal/language/text"
)

// Named is a thing or a room, as its server or its id says, and another name for it.
type Named struct{ Thing, Alias string }

// Alias gives things other names beside those that they have. It returns how many of
// them are new.
func (f File) Alias(names []Named) (added int, err error) {
	old, err := f.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	has, err := Get(string(old), "home.aliases")
	if err != nil {
		return 0, UseError{fmt.Errorf("%s was not changed: %w", f.Path, err)}
	}
	table, _ := has.(map[string]any)
	lists := map[string][]string{}
	var changes []Change
	for _, n := range names {
		key := keyOf(table, lists, n.Thing)
		if _, read := lists[key]; !read {
			lists[key] = texts(table[key])
		}
		if !slices.ContainsFunc(lists[key], func(x string) bool { return strings.EqualFold(x, n.Alias) }) {
			lists[key] = append(lists[key], n.Alias)
			added++
			changes = append(changes, Change{"home.aliases." + QuoteKey(key), list(lists[key])})
		}
	}
	_, err = f.Apply("", changes)
	return added, err
}

// keyOf returns a name as the file already spells it, or the given spelling if the file
// does not have it.
func keyOf(table map[string]any, lists map[string][]string, name string) string {
	name = strings.TrimSpace(name)
	for key := range table {
		if text.Same(key, name) {
			return key
		}
	}
	for key := range lists {
		if strings.EqualFold(key, name) {
			return key
		}
	}
	return name
}

// texts are the texts of a list.
func texts(value any) (all []string) {
	items, _ := value.([]any)
	for _, x := range items {
		if text, ok := x.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// list writes texts as a list on one line.
func list(all []string) string {
	quoted := make([]string, len(all))
	for i, text := range all {
		quoted[i] = QuoteKey(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Pronounce says how a word is pronounced, in CMU phones.
func (f File) Pronounce(word, phones string) (changed bool, err error) {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" || len(strings.Fields(word)) != 1 {
		return false, UseError{errors.New("a pronunciation is that of one word, such as nabu")}
	}
	return f.Set("stt.pronunciations."+QuoteKey(word), strings.Join(strings.Fields(strings.ToUpper(phones)), " "))
}
