package secret

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// stderrShown and stderrLines bound what is quoted of a stderr.
	stderrShown = 2 << 10
	stderrLines = 12
	// MaxQuote bounds in bytes what an error quotes of the words of others, as
	// stderrShown does of a stderr.
	MaxQuote = 2 << 10
	// maxRead is how many bytes of such words are read to make a quote.
	maxRead = 64 << 10
)

// redactedError is an error that quotes others, made fit to be shown.
type redactedError struct {
	text  string
	cause error // nil when the words are too long to be kept
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.cause }

// RedactError makes an error fit for logs and status. Others may have put anything
// into it: terminal commands, a secret they were given, megabytes of text. errors.Is
// and errors.As still find its causes.
func (s *Set) RedactError(err error) error {
	if err == nil {
		return nil
	}
	raw := err.Error()
	text := s.RedactLine(raw, MaxQuote)
	switch {
	case text == raw:
		return err
	case len(raw) > maxRead:
		return &redactedError{text: text}
	}
	return &redactedError{text: text, cause: err}
}

// HideError returns an error of ours without secrets, with all its lines. errors.Is
// and errors.As still find its causes.
func (s *Set) HideError(err error) error {
	if err == nil || !s.In(err.Error()) {
		return err
	}
	return &redactedError{s.Hide(err.Error()), err}
}

// RedactLine returns the beginning of a text on one line: valid UTF-8, no control
// characters, bounded in bytes, and without the secrets.
func (s *Set) RedactLine(text string, limit int) string {
	whole := len(text) <= maxRead
	if !whole {
		text = text[:maxRead]
	}
	// Line ends become blanks before the search for secrets, because a secret may
	// contain blanks.
	text = s.scrub(onOneLine(text))
	if !whole {
		// The cut may have gone through a secret, whose beginning must not stay.
		text = text[:max(0, len(text)-s.longest())]
	}
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "")
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + "…"
}

// ansi matches the terminal sequences programs colour their logs with.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// RedactTail makes the end of a stderr fit for logs and status: valid UTF-8, no
// control characters, bounded, and without the secrets.
func (s *Set) RedactTail(raw []byte) string {
	text := s.scrub(string(raw))
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if line != "" {
			lines = append(lines, line)
		}
	}
	lines = lines[max(0, len(lines)-stderrLines):]
	text = strings.Join(lines, "\n")
	if len(text) > stderrShown {
		text = "…" + strings.ToValidUTF8(text[len(text)-stderrShown:], "")
	}
	return text
}

// RedactCut is RedactTail for a line that was cut at its end, perhaps in a secret.
func (s *Set) RedactCut(raw []byte) string {
	text := s.scrub(string(raw))
	return s.RedactTail([]byte(text[:max(0, len(text)-s.longest())]))
}

// scrub returns a text in valid UTF-8 without terminal sequences, control
// characters but ends of lines, and secrets.
func (s *Set) scrub(text string) string { return s.Hide(clean(text)) }

// clean returns a text in valid UTF-8 without terminal sequences and control
// characters but ends of lines.
func clean(text string) string {
	return strings.Map(printable, ansi.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), ""))
}

// onOneLine returns a text with blanks for the ends of its lines.
func onOneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\n' }), " ")
}

func printable(c rune) rune {
	switch {
	case c == '\n':
		return c
	case c == '\t':
		return ' '
	case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
		return -1
	}
	return c
}
