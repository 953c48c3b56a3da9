package sphinx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Phones are the 39 sounds of the English model, as its dictionary writes them.
var phones = strings.Fields(`AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG
	OW OY P R S SH T TH UH UW V W Y Z ZH`)

// Phones returns the model's 39 phones.
func Phones() []string { return append([]string(nil), phones...) }

// Lookup returns the pronunciations the dictionary file has for the words; a
// word without an entry is missing in the result. The file (134,000 lines) is
// read through each time, which takes some 3 ms: grammars change rarely, and
// keeping it would cost 25 MB in every decoder.
func Lookup(dictionary string, words []string) (map[string][]string, error) {
	f, err := os.Open(dictionary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the pronouncing dictionary: %s does not exist; install pocketsphinx-en-us or set the model's directory: %w", dictionary, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the pronouncing dictionary: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return lookup(f, words)
}

// piece is how many bytes of a dictionary are read at once, and so the longest line.
const piece = 64 << 10

// lookup reads lines "word PH PH" and, for a further pronunciation,
// "word(2) PH PH".
func lookup(r io.Reader, words []string) (map[string][]string, error) {
	want := make(map[string]bool, len(words))
	var begun beginnings
	for _, w := range words {
		want[w] = true
		begun[beginning([]byte(w))] = true
	}
	found := make(map[string][]string, len(words))
	lines := bufio.NewReaderSize(r, piece)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading the pronouncing dictionary: %w", err)
		}
		if begun[beginning(line)] {
			word, pronunciation, ok := bytes.Cut(line, []byte(" "))
			if open := bytes.IndexByte(word, '('); open > 0 {
				word = word[:open]
			}
			if ok && want[string(word)] {
				found[string(word)] = append(found[string(word)], strings.Join(strings.Fields(string(pronunciation)), " "))
			}
		}
		if err != nil {
			return found, nil
		}
	}
}

// beginnings says of the first letters of words whether a word is wanted that begins
// with them. Most lines of a dictionary are passed over by it.
type beginnings [1 << 15]bool

// beginning returns a number for the first three bytes of a line's word. Different
// bytes may have the same number.
func beginning(line []byte) int {
	n := 0
	for i, c := range line {
		if i == 3 || c == ' ' || c == '\n' || c == '(' && i > 0 {
			break
		}
		n = n<<5 ^ int(c)
	}
	return n % len(beginnings{})
}
