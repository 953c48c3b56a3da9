package client

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/mcpint"
)

const (
	// stderrShown and stderrLines bound what is quoted of a stderr.
	stderrShown = 2 << 10
	stderrLines = 12
	// MaxQuote bounds in bytes what an error quotes of a server's words, as
	// stderrShown does of its stderr.
	MaxQuote = 2 << 10
	// maxRead is how many bytes of a server's words are read to make a quote; a
	// server can send up to maxAnswer bytes.
	maxRead = 64 << 10
	// versionShown bounds a version, in bytes; no real one is longer.
	versionShown = 100
)

// redactedError is an error that quotes the server, made fit to be shown.
type redactedError struct {
	text  string
	cause error // nil when the words are too long to be kept
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.cause }

// RedactError makes an error fit for logs and status. The server may have put
// anything into it: terminal commands, a secret it was given, megabytes of text.
// errors.Is and errors.As still find its causes.
func (s Secrets) RedactError(err error) error {
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

// RedactLine returns the beginning of a text on one line: valid UTF-8, no control
// characters, bounded in bytes, and without the secrets.
func (s Secrets) RedactLine(text string, limit int) string {
	whole := len(text) <= maxRead
	if !whole {
		text = text[:maxRead]
	}
	// Line ends become blanks before the search for secrets, because a secret may
	// contain blanks.
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\n' }), " ")
	text = s.scrub(text)
	if !whole {
		// The cut may have gone through a secret, whose beginning must not stay.
		longest := 0
		for _, secret := range s {
			longest = max(longest, len(secret))
		}
		text = text[:max(0, len(text)-longest)]
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

// secretKeys are parts of names whose values never appear in a text.
var secretKeys = []string{"PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "AUTH", "CREDENTIAL", "COOKIE"}

// shortestSecret is the length in bytes below which a secret is not searched for:
// replacing it would only garble the text.
const shortestSecret = 4

// addressPassword finds the passwords of the addresses in a text.
var addressPassword = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:([^/?#\s]+)@`)

// Secrets are configured values that must not appear in any text a server sends.
type Secrets []string

// SecretsOf lists the secrets of a server: the values with telling names, and the
// passwords in addresses whatever their name is.
func SecretsOf(s mcpint.Server) Secrets {
	var secrets Secrets
	add := func(values ...string) {
		for _, value := range values {
			if len(value) >= shortestSecret && !slices.Contains(secrets, value) {
				secrets = append(secrets, value)
			}
		}
	}
	addAddress := func(value string) {
		for _, match := range addressPassword.FindAllStringSubmatch(value, -1) {
			add(match[1])
			if plain, err := url.PathUnescape(match[1]); err == nil {
				add(plain)
			}
		}
	}
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for key, value := range values {
			addAddress(value)
			if isSecret(key) {
				add(value, withoutScheme(value))
			}
		}
	}
	for _, address := range append([]string{s.URL}, s.Requires...) {
		addAddress(address)
	}
	if u, err := url.Parse(s.URL); err == nil {
		for key, values := range u.Query() {
			if isSecret(key) {
				add(values...)
			}
		}
	}
	return secrets
}

func isSecret(key string) bool {
	key = strings.ToUpper(key)
	return slices.ContainsFunc(secretKeys, func(part string) bool { return strings.Contains(key, part) })
}

// withoutScheme returns the secret in the value of an Authorization header,
// without the word Bearer or Basic.
func withoutScheme(value string) string {
	scheme, rest, ok := strings.Cut(value, " ")
	if ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")) {
		return strings.TrimSpace(rest)
	}
	return value
}

// ansi matches the terminal sequences programs colour their logs with.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// RedactTail makes the end of a stderr fit for logs and status: valid UTF-8, no
// control characters, bounded, and without the secrets.
func (s Secrets) RedactTail(raw []byte) string {
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

// scrub returns a text in valid UTF-8 without terminal sequences, control
// characters but ends of lines, and secrets.
func (s Secrets) scrub(text string) string {
	text = ansi.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(printable, text)
	// Longest first: one secret may be part of another.
	secrets := slices.Clone(s)
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
