package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a text from elsewhere, such as a device's name or a model's words, safe to
// show: control characters become spaces, so that no such text can move the cursor, hide
// a line or change the terminal's title.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s)
}

// oneLine puts a text on one line and keeps its colours, so that no name can make a line
// that looks like one of ours.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\x1b' {
			return ' '
		}
		return r
	}, s)
}

// Screen is a writer for people: it passes on lines, tabs and the colours of Paint, and
// shows every other control character as a space. One place guards everything that
// commands print, wherever the text comes from.
type Screen struct {
	to      io.Writer
	colours bool
	rest    string // the beginning of a character whose end was not written yet
}

// NewScreen returns a screen that writes to a terminal, a pipe or a file; without
// colours it passes on none.
func NewScreen(to io.Writer, colours bool) *Screen { return &Screen{to: to, colours: colours} }

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	var b strings.Builder
	text := s.rest + string(p)
	for s.rest = ""; text != ""; {
		if code := colour(text); code != "" && s.colours {
			b.WriteString(code)
			text = text[len(code):]
			continue
		}
		if !utf8.FullRuneInString(text) {
			s.rest = text
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(Clean(text[:size]))
		}
		text = text[size:]
	}
	if _, err := io.WriteString(s.to, b.String()); err != nil {
		return 0, fmt.Errorf("writing what a person reads: %w", err)
	}
	return len(p), nil
}

// Redraw replaces the terminal's last line by a text.
func Redraw(w io.Writer, text string) {
	fmt.Fprint(Unfiltered(w), "\r\x1b[K")
	fmt.Fprint(w, text)
}

// Unfiltered returns the terminal behind a screen, for a line editor that moves the
// cursor.
func Unfiltered(w io.Writer) io.Writer {
	if s, ok := w.(*Screen); ok {
		return s.to
	}
	return w
}

// colour returns the code of Paint that a text begins with, or "".
func colour(s string) string {
	for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
		if full := "\x1b[" + code + "m"; strings.HasPrefix(s, full) {
			return full
		}
	}
	return ""
}
