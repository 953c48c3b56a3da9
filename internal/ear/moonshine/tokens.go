package moonshine

import (
	"errors"
	"fmt"
	"strings"
)

// Tokens with a meaning of their own, and the last one that stands for no text: the
// tokens before it are marks and single bytes.
const (
	tokenBegin = 1
	tokenEnd   = 2
	lastBare   = 258
)

// mostTokens bounds a vocabulary; that of tiny-en has 32,768 tokens.
const mostTokens = 1 << 17

// readVocabulary reads tokenizer.bin: the text of each token behind its length, which
// is one byte, or two for texts of 128 bytes and more, the lower seven bits first.
func readVocabulary(data []byte) ([]string, error) {
	var texts []string
	for at := 0; at < len(data); {
		length := int(data[at])
		at++
		if length >= 128 {
			if at == len(data) {
				return nil, errors.New("the vocabulary ends inside a length")
			}
			length = length - 128 + 128*int(data[at])
			at++
		}
		if length > len(data)-at {
			return nil, fmt.Errorf("the vocabulary ends inside token %d", len(texts))
		}
		texts = append(texts, string(data[at:at+length]))
		at += length
		if len(texts) > mostTokens {
			return nil, fmt.Errorf("the vocabulary has more than %d tokens", mostTokens)
		}
	}
	if len(texts) <= lastBare {
		return nil, fmt.Errorf("the vocabulary has %d tokens; expected more than %d", len(texts), lastBare)
	}
	return texts, nil
}

// spelled is a token's text as sentences are compared: lower case, one kind of
// apostrophe, and a space where a word begins.
var spelled = strings.NewReplacer("▁", " ", "’", "'")

// branch is a place in the tree of all tokens' texts.
type branch struct {
	letter      byte
	first, next int32   // its first branch and the next one beside it; 0 for none
	tokens      []int32 // that end here
}

// newTree makes the tree of the texts that can be part of a sentence. Its root is
// branch 0.
func newTree(texts []string) []branch {
	tree := make([]branch, 1, 4*len(texts)/3)
	for token := lastBare + 1; token < len(texts); token++ {
		text := spelled.Replace(strings.ToLower(texts[token]))
		if text == "" {
			continue
		}
		at := int32(0)
		for i := range len(text) {
			at, tree = grow(tree, at, text[i])
		}
		tree[at].tokens = append(tree[at].tokens, int32(token))
	}
	return tree
}

// grow returns the branch for a letter, and makes it if there is none.
func grow(tree []branch, at int32, letter byte) (int32, []branch) {
	for b := tree[at].first; b != 0; b = tree[b].next {
		if tree[b].letter == letter {
			return b, tree
		}
	}
	tree = append(tree, branch{letter: letter, next: tree[at].first})
	grown := int32(len(tree) - 1)
	tree[at].first = grown
	return grown, tree
}
