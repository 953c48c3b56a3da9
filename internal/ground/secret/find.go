package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// tellingParts are parts of the names of variables and headers that say that the
// value is a secret.
var tellingParts = []string{"PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "AUTH", "CREDENTIAL", "COOKIE"}

// Telling reports whether a name of a variable, a header or a part of a query says
// that its value is a secret.
func Telling(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(tellingParts, func(part string) bool { return strings.Contains(name, part) })
}

var (
	addressPassword = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:([^/?#\s]+)@`)
	addressUser     = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s:@]+)@`)
	addressLogin    = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s:@]+):[^/?#\s]+@`)
	addressPath     = regexp.MustCompile(`(://[^/\s?#]*/)([^\s"'<>?#]+)`)
	addressQuery    = regexp.MustCompile(`://[^\s"'<>?#]*\?([^\s"'<>#]+)`)
	addressOdd      = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s]+)@`)
)

// AddAddresses adds the secrets in the addresses of a text: the password, or the user
// where there is none, every value of a query, and parts of a path that look like a key.
func (s *Set) AddAddresses(text string) {
	if !strings.Contains(text, "://") {
		return
	}
	for _, m := range addressPassword.FindAllStringSubmatch(text, -1) {
		s.addEscaped(m[1], true, url.PathUnescape)
	}
	for _, m := range addressUser.FindAllStringSubmatch(text, -1) {
		s.addEscaped(m[1], false, url.PathUnescape)
	}
	for _, m := range addressQuery.FindAllStringSubmatch(text, -1) {
		for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == '&' || r == ';' }) {
			key, value, ok := strings.Cut(part, "=")
			if !ok {
				key, value = "", part
			}
			s.addEscaped(value, Telling(key), url.QueryUnescape)
		}
	}
	for _, m := range addressPath.FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[2], "/") {
			if looksSecret(part) {
				s.Add(part)
			}
		}
	}
	if _, err := url.Parse(text); err != nil {
		for _, m := range addressOdd.FindAllStringSubmatch(text, -1) {
			_, password, _ := strings.Cut(m[1], ":")
			s.addEscaped(password, true, url.PathUnescape)
		}
	}
}

// AddUsers adds those who log in at the addresses of a text.
func (s *Set) AddUsers(text string) {
	for _, m := range addressLogin.FindAllStringSubmatch(text, -1) {
		s.addEscaped(m[1], false, url.PathUnescape)
	}
}

// addEscaped adds a value as it stands in an address and as it reads.
func (s *Set) addEscaped(raw string, named bool, decode func(string) (string, error)) {
	add := s.AddUnnamed
	if named {
		add = s.Add
	}
	add(raw)
	if plain, err := decode(raw); err == nil {
		add(plain)
	}
}

var (
	addressBegin   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	userInAddress  = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\s]*@`)
	queryInAddress = regexp.MustCompile(`(://[^\s"'<>?#]*\?)([^\s"'<>#]+)`)
)

// InPlaceOf replaces, in the addresses of a text, the user and password, the values of
// queries, and parts of paths that look like a key. A text that looks like an address,
// is not a valid one and holds an @ is hidden as a whole.
func InPlaceOf(text, instead string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	if _, err := url.Parse(text); err != nil && strings.Contains(text, "@") && addressBegin.MatchString(text) {
		return instead
	}
	text = queryInAddress.ReplaceAllStringFunc(text, func(found string) string {
		begin, query, _ := strings.Cut(found, "?")
		parts := strings.Split(query, "&")
		for i, part := range parts {
			key, value, ok := strings.Cut(part, "=")
			switch {
			case !ok && part != "":
				parts[i] = instead
			case value != "":
				parts[i] = key + "=" + instead
			}
		}
		return begin + "?" + strings.Join(parts, "&")
	})
	text = addressPath.ReplaceAllStringFunc(text, func(found string) string {
		parts := strings.Split(found, "/")
		for i, part := range parts[3:] {
			if looksSecret(part) {
				parts[3+i] = instead
			}
		}
		return strings.Join(parts, "/")
	})
	return userInAddress.ReplaceAllString(text, "${1}"+instead+"@")
}

// Args returns the arguments of a program with something else in place of their
// secrets, and those secrets: what follows a flag like --token or stands behind it,
// the values of headers and variables that are passed on, what addresses hold, and
// what looks like a key.
func Args(args []string, instead string) (shown, secrets []string) {
	next := ""
	for _, arg := range args {
		flag := next
		next = ""
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case flag != "" && !strings.HasPrefix(arg, "--"):
			text, found := behind(flag, arg, instead)
			shown, secrets = append(shown, text), append(secrets, found...)
			continue
		case strings.HasPrefix(arg, "-") && joined && carries(name) && value != "":
			text, found := behind(name, value, instead)
			shown, secrets = append(shown, name+"="+text), append(secrets, found...)
			continue
		case strings.HasPrefix(arg, "-") && !joined && carries(arg):
			next = arg
		}
		text, found := alone(arg, instead)
		shown, secrets = append(shown, text), append(secrets, found...)
	}
	return shown, secrets
}

// behind returns the value of a flag as it may be shown, and its secrets.
func behind(flag, value, instead string) (shown string, secrets []string) {
	if !passesOn(flag) {
		return instead, []string{value}
	}
	if at := strings.IndexAny(value, ":="); at > 0 && at+1 < len(value) {
		rest := strings.TrimSpace(value[at+1:])
		return value[:at+1] + instead, []string{rest, WithoutScheme(rest)}
	}
	return alone(value, instead)
}

// alone returns an argument that belongs to no flag.
func alone(arg, instead string) (shown string, secrets []string) {
	at := strings.IndexAny(arg, ":=")
	switch {
	case at > 0 && at+1 < len(arg) && isName(arg[:at]) && tellingFlag(arg[:at]) && !strings.HasPrefix(arg[at:], "://"):
		rest := strings.TrimSpace(arg[at+1:])
		return arg[:at+1] + instead, []string{rest, WithoutScheme(rest)}
	case strings.Contains(arg, "://"):
		return InPlaceOf(arg, instead), nil
	case looksSecret(arg):
		return instead, []string{arg}
	}
	return arg, nil
}

func isName(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// carries reports whether a flag has a value that is a secret, or holds one.
func carries(flag string) bool { return passesOn(flag) || tellingFlag(flag) }

// passesOn reports whether a flag's value is a header or a variable.
func passesOn(flag string) bool {
	return slices.Contains([]string{"-H", "--header", "--headers", "-e", "--env"}, flag)
}

// tellingFlag reports whether a flag, or a name before a value, says that the value
// is a secret.
func tellingFlag(flag string) bool {
	words := strings.FieldsFunc(strings.ToLower(flag), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return slices.ContainsFunc(words, func(w string) bool {
		for _, part := range []string{"password", "passwd", "passphrase", "secret", "token", "credential", "authorization"} {
			if strings.Contains(w, part) {
				return true
			}
		}
		return strings.HasSuffix(w, "key") || slices.Contains([]string{"auth", "pass", "pwd", "pin", "pat", "cookie", "bearer"}, w)
	})
}

var (
	knownKeys = regexp.MustCompile(`^(sk-|pk-|rk-|gh[opsu]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|eyJ|hf_|npm_|pypi-|ya29\.|dop_v1_)[A-Za-z0-9._/+=-]{12,}$`)
	uuid      = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	keyLike   = regexp.MustCompile(`^[A-Za-z0-9+=_.-]{16,}$`)
)

// looksSecret reports whether a word looks generated: it begins as the keys of well-known
// services do, or letters and digits alternate in it.
func looksSecret(word string) bool {
	if knownKeys.MatchString(word) || uuid.MatchString(word) {
		return true
	}
	if !keyLike.MatchString(word) {
		return false
	}
	for run := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune("+=_.-", r) }) {
		if len(run) < 16 {
			continue
		}
		turns, last := 0, false
		for i, r := range run {
			digit := unicode.IsDigit(r)
			if i > 0 && digit != last {
				turns++
			}
			last = digit
		}
		if turns >= 3 {
			return true
		}
	}
	return false
}

// WithoutScheme returns the secret in the value of an Authorization header, without
// the word Bearer or Basic.
func WithoutScheme(value string) string {
	scheme, rest, ok := strings.Cut(value, " ")
	if ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")) {
		return strings.TrimSpace(rest)
	}
	return value
}
