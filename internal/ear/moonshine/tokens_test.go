package moonshine

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// written returns a vocabulary as tokenizer.bin has it.
func written(texts []string) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		if n := len(text); n >= 128 {
			b.WriteByte(byte(n%128 + 128))
			b.WriteByte(byte(n / 128))
		} else {
			b.WriteByte(byte(n))
		}
		b.WriteString(text)
	}
	return b.Bytes()
}

func TestReadVocabulary(t *testing.T) {
	t.Parallel()
	texts := append(slices.Repeat([]string{"x"}, lastBare+1), "▁light", "", strings.Repeat("long", 60))
	got, err := readVocabulary(written(texts))
	if err != nil || !slices.Equal(got, texts) {
		t.Errorf("read %d texts of %d, %v", len(got), len(texts), err)
	}
	whole := written(texts)
	for name, data := range map[string][]byte{
		"empty":                   {},
		"too few":                 written([]string{"a", "b"}),
		"cut in a text":           whole[:len(whole)-1],
		"cut in a length":         append(slices.Clone(whole), 200),
		"a length that is longer": append(slices.Clone(whole), 90, 'x'),
	} {
		if _, err := readVocabulary(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzReadVocabulary(f *testing.F) {
	f.Add(written([]string{"a", "▁b"}))
	f.Add([]byte{200})
	f.Fuzz(func(_ *testing.T, data []byte) {
		texts, err := readVocabulary(data)
		if err == nil {
			newTree(texts)
		}
	})
}
