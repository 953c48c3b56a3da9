package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestChallenges(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxScope+1)
	for name, test := range map[string]struct {
		lines []string
		code  string
		want  []string
	}{
		"none":                 {},
		"no scope":             {lines: []string{`Bearer realm="house", error="invalid_token"`}, code: "invalid_token"},
		"a scope":              {lines: []string{`Bearer error="insufficient_scope", scope="notes:read notes:write", resource_metadata="https://x/y"`}, code: "insufficient_scope", want: []string{"notes:read", "notes:write"}},
		"without quotes":       {lines: []string{`bearer SCOPE=read,Error=insufficient_scope`}, code: "insufficient_scope", want: []string{"read"}},
		"behind another":       {lines: []string{`Basic realm="a, b", scope="no", Bearer scope="read"`}, want: []string{"read"}},
		"before another":       {lines: []string{`Bearer scope="read", Basic scope="no"`}, want: []string{"read"}},
		"on another line":      {lines: []string{`Negotiate`, `Bearer scope="read"`}, want: []string{"read"}},
		"an escaped quote":     {lines: []string{`Bearer error_description="say \"scope=\", please", scope="read"`}, want: []string{"read"}},
		"what is no scope":     {lines: []string{"Bearer scope=\"read \\\\x " + long + " w\u00f6rter\""}, want: []string{"read"}},
		"no end":               {lines: []string{`Bearer scope="read`}, want: []string{"read"}},
		"only a scheme":        {lines: []string{`Bearer`}},
		"another scheme alone": {lines: []string{`Basic scope="read"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := challengeOf(http.Header{"Www-Authenticate": test.lines}); got.code != test.code || !slices.Equal(got.scopes, test.want) {
				t.Errorf("got %+v, expected %q, %q", got, test.code, test.want)
			}
		})
	}
	many := &strings.Builder{}
	for i := range 2 * maxScopes {
		fmt.Fprint(many, i, " ")
	}
	if got := challengeOf(http.Header{"Www-Authenticate": {`Bearer scope="` + many.String() + `"`}}); len(got.scopes) != maxScopes {
		t.Errorf("%d scopes are taken; expected %d", len(got.scopes), maxScopes)
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer realm="a, b", scope="read write", Basic x`)
	f.Add(`Bearer scope="\`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, scope := range challengeOf(http.Header{"Www-Authenticate": {line}}).scopes {
			if !isScope(scope) || scope == "" {
				t.Errorf("%q is taken for a scope", scope)
			}
		}
	})
}
