package mcpint

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// heardShown bounds what an error quotes of a server's words, as stderrShown
	// does of its stderr.
	heardShown = 2 << 10
	// heardRead is how much of a server's words is looked at for that; a server can
	// send maxAnswer of them.
	heardRead = 64 << 10
	// versionShown bounds a version, in bytes; no real one is longer.
	versionShown = 100
)

// heardError is an error with words of the server's, made fit to be shown.
type heardError struct {
	text  string
	cause error // nil when the words are too long to be kept
}

func (e *heardError) Error() string { return e.text }
func (e *heardError) Unwrap() error { return e.cause }

// heard makes an error fit for logs and status, in which a server may have put
// anything: commands for a terminal, what it was given as a secret, megabytes.
// Its causes can still be found.
func heard(err error, secrets []string) error {
	if err == nil {
		return nil
	}
	raw := err.Error()
	text := firstWords(raw, secrets, heardShown)
	switch {
	case text == raw:
		return err
	case len(raw) > heardRead:
		return &heardError{text: text}
	}
	return &heardError{text: text, cause: err}
}

// firstWords is the beginning of a text on one line: valid UTF-8, no control
// characters, bounded, and without the secrets.
func firstWords(text string, secrets []string, limit int) string {
	whole := len(text) <= heardRead
	if !whole {
		text = text[:heardRead]
	}
	// Before the secrets are looked for, which may have blanks.
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\n' }), " ")
	text = scrubbed(text, secrets)
	if !whole {
		// The cut may have gone through a secret.
		longest := 0
		for _, secret := range secrets {
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

// heard is what a session makes of an error that may quote the server.
func (s *session) heard(err error) error { return heard(err, s.secrets) }

// said is a text of the server's, fit to be shown.
func (s *supervisor) said(text string) string {
	return firstWords(text, secretsOf(s.srv), maxPinned)
}

// secretKeys are parts of names whose values never appear in a text.
var secretKeys = []string{"PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "AUTH", "CREDENTIAL", "COOKIE"}

// shortestSecret is, in bytes, below what a secret is not looked for: replacing it
// would only garble the text.
const shortestSecret = 4

// inAddress finds the passwords of the addresses in a text.
var inAddress = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:([^/?#\s]+)@`)

// secretsOf lists the configured values that must not be quoted: those with
// telling names, and the passwords in addresses whatever their name is.
func secretsOf(s Server) []string {
	var secrets []string
	add := func(values ...string) {
		for _, value := range values {
			if len(value) >= shortestSecret && !slices.Contains(secrets, value) {
				secrets = append(secrets, value)
			}
		}
	}
	addAddress := func(value string) {
		for _, match := range inAddress.FindAllStringSubmatch(value, -1) {
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

// withoutScheme is the secret alone in the value of an Authorization header.
func withoutScheme(value string) string {
	scheme, rest, ok := strings.Cut(value, " ")
	if ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")) {
		return strings.TrimSpace(rest)
	}
	return value
}
