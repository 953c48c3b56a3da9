package serve

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voicegateway/internal/ground/config"
)

func TestCommentedFileIsTheDefault(t *testing.T) {
	t.Parallel()
	cfg := Config{}
	file := filepath.Join("..", "..", "..", "configs", "home-assistant-mcp-server.yaml")
	if _, err := config.Load(file, &cfg, config.Options{Environ: []string{"X=1"}}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(cfg, Default()) {
		t.Errorf("the file says %+v, the default is %+v", cfg, Default())
	}
}

// TestWhatCannotWork is said at the start, with the status of wrong usage, and without the
// token.
func TestWhatCannotWork(t *testing.T) {
	t.Parallel()
	const token = "eyJhbGciOiJIUzI1NiJ9"
	for name, tc := range map[string]struct {
		args    []string
		environ []string
		says    string
	}{
		"no token":    {nil, nil, "HASS_TOKEN_FILE"},
		"two tokens":  {nil, []string{"HASS_TOKEN=" + token, "HASS_TOKEN_FILE=/x"}, "exactly one"},
		"no address":  {nil, []string{"HASS_TOKEN=" + token, "HASS_URL=house"}, "http://homeassistant.local:8123"},
		"no script":   {nil, []string{"HASS_TOKEN=" + token, "HASS_SCRIPTS=good night"}, "script.good_night"},
		"a level":     {nil, []string{"HASS_TOKEN=" + token, "LOG_LEVEL=loud"}, "log_level"},
		"a flag":      {[]string{"--nothing"}, nil, "--help"},
		"no argument": {[]string{"simulate"}, nil, "simulate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := &bytes.Buffer{}
			p := Program{Args: tc.args, In: strings.NewReader(""), Out: io.Discard, Err: said, Options: config.Options{Environ: append([]string{"X=1"}, tc.environ...)}}
			if status := p.Run(t.Context()); status != 2 || !strings.Contains(said.String(), tc.says) || strings.Contains(said.String(), token) {
				t.Errorf("ended with %d, saying %s", status, said)
			}
		})
	}
}

// TestAToken in a file is read at each attempt.
func TestAToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	c := Config{TokenFile: file}
	if _, err := c.ReadToken(); err == nil {
		t.Error("a file that does not exist is read")
	}
	for _, want := range []string{"one\n", "two\n"} {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.ReadToken(); err != nil || got != want {
			t.Errorf("read %q, %v", got, err)
		}
	}
}
