package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	t.Parallel()
	set := Of("hunter22", "hunter", "a\"b<c&d", "one line\nanother line\n", "zwölf Töne", "ab")
	set.AddUnnamed("Living Room")
	set.AddUnnamed("short")
	set.AddUnnamed("workshop-7")
	set.Spare(func(v string) bool { return v == "Living Room" })
	tests := map[string]struct{ text, want string }{
		"nothing":               {"the light is on", "the light is on"},
		"one":                   {"it is hunter22.", "it is ***."},
		"the longer one first":  {"hunter22 hunter", "*** ***"},
		"in JSON":               {`{"v":"a\"b\u003cc\u0026d"}`, `{"v":"***"}`},
		"in JSON as others do":  {`{"v":"a\"b<c&d"}`, `{"v":"***"}`},
		"in an address":         {"?q=a%22b%3Cc%26d", "?q=***"},
		"on one line":           {"one line another line", "***"},
		"line by line":          {"x\nanother line\ny", "x\n***\ny"},
		"in quotes":             {fmt.Sprintf("%q", "one line\nanother line"), `"***"`},
		"escaped":               {"zw%C3%B6lf+T%C3%B6ne", "***"},
		"between invisible":     {"it is hun\u200bter22", "it is ***"},
		"between commands":      {"hun\x1b[31mter22", "***"},
		"too short":             {"ab", "ab"},
		"unnamed and too short": {"short", "short"},
		"unnamed":               {"in workshop-7", "in ***"},
		"a name of the house":   {"the Living Room", "the Living Room"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := set.Hide(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := (*Set)(nil).Hide("hunter22"); got != "hunter22" {
		t.Errorf("no set hides %q", got)
	}
	if got := set.Certain().Hide("hunter22 workshop-7"); got != "*** workshop-7" {
		t.Errorf("certain ones: %q", got)
	}
	if got := set.Long().Hide("hunter22 hunter"); got != "*** hunter" {
		t.Errorf("long ones: %q", got)
	}
}

func TestJoinKeepsWhatIsCertain(t *testing.T) {
	t.Parallel()
	unnamed := &Set{}
	unnamed.AddUnnamed("Kitchen Light")
	unnamed.Spare(func(string) bool { return true })
	if got := Join(nil, unnamed).Hide("Kitchen Light"); got != "Kitchen Light" {
		t.Errorf("spared: %q", got)
	}
	if got := Join(unnamed, Of("Kitchen Light")).Hide("Kitchen Light"); got != "***" {
		t.Errorf("a password: %q", got)
	}
}

func TestHideJSON(t *testing.T) {
	t.Parallel()
	set := Of("hunter22", "12345678")
	tests := map[string]struct{ raw, want string }{
		"none":      {`{"a": "b"}`, `{"a": "b"}`},
		"a text":    {`{"a":["x hunter22"]}`, `{"a":["x ***"]}`},
		"a key":     {`{"hunter22":1}`, `{"***":1}`},
		"a number":  {`{"pin":12345678,"n":1.50}`, `{"n":1.50,"pin":"***"}`},
		"escaped":   {`{"a":"h\u0075nter22"}`, `{"a":"***"}`},
		"broken":    {`{"a":"hunter22`, ``},
		"no secret": {`{"a":"\u0041"}`, `{"a":"\u0041"}`},
		"empty":     {``, ``},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := set.HideJSON(json.RawMessage(tt.raw)); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ args, shown, secrets []string }{
		"plain":            {[]string{"--require-broker", "2s", "-v", "stdio"}, []string{"--require-broker", "2s", "-v", "stdio"}, nil},
		"a flag before":    {[]string{"--token", "abc", "x"}, []string{"--token", "#", "x"}, []string{"abc"}},
		"a flag with it":   {[]string{"--api-key=abc", "--db-password=p w"}, []string{"--api-key=#", "--db-password=#"}, []string{"abc", "p w"}},
		"camel case":       {[]string{"--accessKey", "abc"}, []string{"--accessKey", "#"}, []string{"abc"}},
		"nothing behind":   {[]string{"--token", "--verbose", "x"}, []string{"--token", "--verbose", "x"}, nil},
		"at the end":       {[]string{"--token"}, []string{"--token"}, nil},
		"a header":         {[]string{"--header", "X-Room: den", "-H", "Authorization: Bearer abc"}, []string{"--header", "X-Room:#", "-H", "Authorization:#"}, []string{"den", "den", "Bearer abc", "abc"}},
		"a header alone":   {[]string{"Authorization:Bearer abc"}, []string{"Authorization:#"}, []string{"Bearer abc", "abc"}},
		"a variable":       {[]string{"-e", "ROOM=den", "--env=PIN=4711"}, []string{"-e", "ROOM=#", "--env=PIN=#"}, []string{"den", "den", "4711", "4711"}},
		"a variable alone": {[]string{"API_KEY=abc", "ROOM=den"}, []string{"API_KEY=#", "ROOM=den"}, []string{"abc", "abc"}},
		"an address":       {[]string{"http://u:p@h/x?q=abc&r"}, []string{"http://#@h/x?q=#&#"}, nil},
		"keys": {
			[]string{"sk-proj-abcdefghijkl", "ghp_0123456789abcdef", "0123abcd-0123-abcd-0123-0123456789ab", "a1b2c3d4e5f6a7b8"},
			[]string{"#", "#", "#", "#"},
			[]string{"sk-proj-abcdefghijkl", "ghp_0123456789abcdef", "0123abcd-0123-abcd-0123-0123456789ab", "a1b2c3d4e5f6a7b8"},
		},
		"no keys": {
			[]string{"@modelcontextprotocol/server-filesystem", "server-sequential-thinking-2025", "/usr/share/a1b2c3d4e5f6a7b8", "sequentialthinking2025"},
			[]string{"@modelcontextprotocol/server-filesystem", "server-sequential-thinking-2025", "/usr/share/a1b2c3d4e5f6a7b8", "sequentialthinking2025"},
			nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, secrets := Args(tt.args, "#")
			if !slices.Equal(shown, tt.shown) || !slices.Equal(secrets, tt.secrets) {
				t.Errorf("got %q with %q", shown, secrets)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ address, text, shown string }{
		"none":            {"http://host:80/path", "host path", "http://host:80/path"},
		"a password":      {"mqtt://me:hunt%2Fer22@host", "hunt/er22 hunt%2Fer22", "mqtt://#@host"},
		"a user alone":    {"https://ghp_0123456789@host/x", "ghp_0123456789", "https://#@host/x"},
		"a query":         {"http://host/x?mode=innocent1&t=abc%20defgh;u=otherone2", "innocent1 abc defgh abc%20defgh otherone2", "http://host/x?mode=#&t=#"},
		"a bare query":    {"http://host/?0123456789", "0123456789", "http://host/?#"},
		"no address":      {"mqtt://me:hun/ter22@ho st", "hun/ter22", "#"},
		"a key in a path": {"https://h/api/s/a1b2c3d4e5f6a7b8/mcp?x=abcdefgh", "a1b2c3d4e5f6a7b8 abcdefgh", "https://h/api/s/#/mcp?x=#"},
		"a plain path":    {"https://me:hunter22@h/api/server-everything-2025/mcp", "hunter22", "https://#@h/api/server-everything-2025/mcp"},
		"several":         {"tcp://a:pw-one11@x:1,tcp://b:pw-t@wo2@y:2", "pw-one11 pw-t@wo2", "tcp://#@x:1,tcp://#@y:2"},
		"a short value":   {"http://host/?page=2", "", "http://host/?page=#"},
		"a fragment":      {"http://host/?t=abcdefgh#top", "abcdefgh", "http://host/?t=##top"},
		"words around it": {"see http://me:hunter22@host/ and go", "hunter22", "see http://#@host/ and go"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Set{}
			s.AddAddresses(tt.address)
			if got := s.Hide(tt.text); strings.Trim(got, "* ") != "" && name != "none" {
				t.Errorf("left is %q", got)
			}
			if got := InPlaceOf(tt.address, "#"); got != tt.shown {
				t.Errorf("shown is %q, want %q", got, tt.shown)
			}
		})
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	set := Of("hunter22")
	log := slog.New(Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}), set)).With("with", "hunter22").WithGroup("g")
	log.Debug("it is hunter22", "text", "hunter22", "err", errors.New("no hunter22"), "list", []string{"hunter22"},
		"any", struct{ A string }{"hunter22"}, "n", 3, slog.Group("in", "v", "hunter22"))
	if text := out.String(); strings.Contains(text, "hunter22") || strings.Count(text, "***") != 7 || !strings.Contains(text, "g.n=3") {
		t.Errorf("logged: %s", text)
	}
}

func FuzzHide(f *testing.F) {
	f.Add("hunter22", "it is hun\u200bter22")
	f.Add("a\nb c d e f g", "\"a\\nb c d e f g\"")
	f.Fuzz(func(t *testing.T, value, text string) {
		if len(strings.TrimSpace(value)) < Least || strings.Contains(value, "*") {
			t.Skip()
		}
		set := Of(value)
		if hidden := set.Hide(value); strings.Contains(hidden, value) {
			t.Fatalf("%q is shown as %q", value, hidden)
		}
		set.Hide(text) // must not panic
	})
}

// BenchmarkHide looks for sixty secrets in a short answer and in the longest one.
func BenchmarkHide(b *testing.B) {
	set := &Set{}
	for i := range 60 {
		set.AddUnnamed(fmt.Sprintf("violet-%08d", i))
	}
	for name, text := range map[string]string{"short": "The kitchen light is on.", "long": strings.Repeat("The kitchen light is on, café. ", 1<<15)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				set.Hide(text)
			}
		})
	}
}
