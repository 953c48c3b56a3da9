package client

import (
	"net/http"
	"slices"
	"strings"
)

// insufficientScope is the code of a refusal of a token that permits too little.
const insufficientScope = "insufficient_scope"

// maxScopes bounds how many scopes of a server are asked for, and maxScope the length of
// one in bytes.
const (
	maxScopes = 50
	maxScope  = 200
)

// challenge is what a refusal wants of the next token (RFC 6750, section 3).
type challenge struct {
	code   string   // the reason, such as insufficient_scope; "": it gives no reason
	scopes []string // what the token has to permit; nil: it does not say
}

// challengeOf reads the challenge for a Bearer token in a refusal. Scopes that RFC 6749
// (section 3.3) does not allow are left out.
func challengeOf(header http.Header) challenge {
	var c challenge
	for _, line := range header.Values("WWW-Authenticate") {
		bearer := false
		for _, p := range splitChallenges(line) {
			if p.scheme != "" {
				bearer = strings.EqualFold(p.scheme, "Bearer")
			}
			switch {
			case !bearer:
			case strings.EqualFold(p.name, "error") && c.code == "":
				c.code = p.value
			case strings.EqualFold(p.name, "scope") && c.scopes == nil:
				c.scopes = slices.DeleteFunc(strings.Fields(p.value), func(scope string) bool { return !isScope(scope) })
				c.scopes = c.scopes[:min(len(c.scopes), maxScopes)]
			}
		}
	}
	return c
}

// isScope reports whether a word may be a scope.
func isScope(word string) bool {
	return len(word) <= maxScope && !strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// challengeParameter is one parameter of a WWW-Authenticate header. The first one of each
// challenge also has its scheme.
type challengeParameter struct{ scheme, name, value string }

// splitChallenges returns the parameters of all challenges in one line of a header, such
// as: Bearer realm="house", scope="read write", Basic realm="house".
func splitChallenges(line string) []challengeParameter {
	var list []challengeParameter
	for _, part := range splitUnquoted(line, ',') {
		name, value, named := strings.Cut(strings.TrimSpace(part), "=")
		var p challengeParameter
		if scheme, first, begins := strings.Cut(strings.TrimSpace(name), " "); begins || !named {
			p.scheme, name = scheme, first
		}
		p.name, p.value = strings.TrimSpace(name), unquote(strings.TrimSpace(value))
		list = append(list, p)
	}
	return list
}

// splitUnquoted splits a text at a sign, but not within quotes.
func splitUnquoted(text string, at byte) []string {
	var parts []string
	quoted, begin := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == at && !quoted:
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// unquote returns a value without its quotes, and with what was escaped in them.
func unquote(value string) string {
	inner, ok := strings.CutPrefix(value, `"`)
	if !ok {
		return value
	}
	inner = strings.TrimSuffix(inner, `"`)
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}
