package ai

import (
	"strings"

	"voicegateway/internal/speech"
)

// hider removes hidden blocks from a growing text. A tag may arrive in pieces, so
// text that could still become one is held back.
type hider struct {
	rest  string
	until string // the closing tag of the open block, "" outside a block
}

// push adds text and returns the visible text that is certain so far.
func (h *hider) push(text string) string {
	h.rest += text
	var visible strings.Builder
	for {
		if h.until != "" {
			if !h.skip() {
				return visible.String()
			}
			continue
		}
		start := strings.IndexByte(h.rest, '<')
		if start < 0 {
			visible.WriteString(h.rest)
			h.rest = ""
			return visible.String()
		}
		visible.WriteString(h.rest[:start])
		h.rest = h.rest[start:]
		tag, state := tagAt(h.rest)
		switch state {
		case tagUnknown: // an ordinary <
			visible.WriteByte('<')
			h.rest = h.rest[1:]
		case tagPartial:
			return visible.String()
		case tagOpen:
			h.until = "</" + tag + ">"
			h.rest = h.rest[len(tag)+2:]
		case tagClose: // some templates leave out the opening tag
			h.rest = h.rest[len(tag)+3:]
		}
	}
}

// skip drops the inside of a block, and reports whether its end was found.
func (h *hider) skip() bool {
	if end := indexFold(h.rest, h.until); end >= 0 {
		h.rest = h.rest[end+len(h.until):]
		h.until = ""
		return true
	}
	// The closing tag may have begun at the end.
	h.rest = h.rest[max(0, len(h.rest)-len(h.until)+1):]
	return false
}

// flush returns the text that was held back and is visible, at the end.
func (h *hider) flush() string {
	rest := h.rest
	h.rest = ""
	if h.until != "" {
		return ""
	}
	return rest
}

// tagState says what a text that starts with < is.
type tagState int

const (
	tagUnknown tagState = iota
	tagPartial
	tagOpen
	tagClose
)

func tagAt(text string) (tag string, state tagState) {
	state = tagUnknown
	for _, tag := range speech.HiddenTags() {
		for form, found := range map[string]tagState{"<" + tag + ">": tagOpen, "</" + tag + ">": tagClose} {
			if len(text) >= len(form) && strings.EqualFold(text[:len(form)], form) {
				return tag, found
			}
			if len(text) < len(form) && strings.EqualFold(text, form[:len(text)]) {
				state = tagPartial
			}
		}
	}
	return "", state
}

// indexFold finds an ASCII word whatever its case.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i] == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
