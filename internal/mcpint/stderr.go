package mcpint

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

const (
	// stderrKept is how much of a child's stderr is kept, its end.
	stderrKept = 64 << 10
	// stderrShown and stderrLines bound what is quoted in an error.
	stderrShown = 2 << 10
	stderrLines = 12
)

// ring keeps the last bytes written to it. Writing never blocks, so that a child
// which logs a flood is never held up by us.
type ring struct {
	mu   sync.Mutex
	kept []byte
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, p...)
	// Cutting only at twice the size makes the copying cheap on average.
	if len(r.kept) > 2*stderrKept {
		r.kept = append(r.kept[:0], r.kept[len(r.kept)-stderrKept:]...)
	}
	return len(p), nil
}

func (r *ring) tail() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.kept[max(0, len(r.kept)-stderrKept):])
}

// maxLogged bounds a line of a child's stderr in our log.
const maxLogged = 4 << 10

// lineLog repeats a child's stderr in the log, a line each, at debug level.
type lineLog struct {
	log     *slog.Logger
	secrets []string
	line    []byte
}

func (l *lineLog) Write(p []byte) (int, error) {
	n := len(p)
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return n, nil
	}
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.line = append(l.line, part[:min(len(part), maxLogged-len(l.line))]...)
		if whole {
			if text := lastWords(l.line, l.secrets); text != "" {
				l.log.Debug("MCP server stderr", "text", text)
			}
			l.line = l.line[:0]
		}
		p = rest
	}
	return n, nil
}

// ansi matches the terminal sequences programs colour their logs with.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// lastWords makes the end of a stderr fit for logs and status: valid UTF-8, no
// control characters, bounded, and without the secrets.
func lastWords(raw []byte, secrets []string) string {
	text := scrubbed(string(raw), secrets)
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

// scrubbed is a text in valid UTF-8 without terminal sequences, control characters
// but ends of lines, and secrets.
func scrubbed(text string, secrets []string) string {
	text = ansi.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(printable, text)
	// Longest first: one secret may be part of another.
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
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
