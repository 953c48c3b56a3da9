package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/cli"
)

// TestAliasOfWhatIsNotThere adds a name for something that the house does not have: it is
// kept, with a note. Where no gateway runs, the note says that nothing was checked.
func TestAliasOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	house := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"areas":[{"name":"Office"}],"entities":[{"id":"17-37-0","name":"Den Light"}]}`)
	}))
	t.Cleanup(house.Close)
	none := httptest.NewServer(http.NotFoundHandler())
	none.Close()
	alias := func(t *testing.T, url string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		status := cli.Main(t.Context(), append([]string{"--config", filepath.Join(t.TempDir(), "voice-gateway.yaml"), "config", "alias"}, args...), "test", cli.IO{
			In: strings.NewReader(""), Out: &out, Err: &errs, Executable: "/bin/true",
			Environ: []string{"HOME=" + t.TempDir(), "VOICE_GATEWAY_HTTP_LISTEN=" + strings.TrimPrefix(url, "http://")},
		})
		if status != 0 || errs.Len() > 0 || !strings.Contains(out.String(), "✓ "+args[0]+" is also called "+args[1]) {
			t.Errorf("%q: status %d, %s%s", args, status, &out, &errs)
		}
		return out.String()
	}
	if out := alias(t, house.URL, "den light", "snug", "17-37-0", "nook", "office", "study"); strings.Contains(out, "!") || strings.Contains(out, "checked") {
		t.Errorf("all is there: %s", out)
	}
	if out := alias(t, house.URL, "Den Lihgt", "snug", "Den Light", "nook", "Den Lihgt", "lair"); strings.Count(out, "! the house has no thing or room called Den Lihgt") != 1 || strings.Count(out, "!") != 1 {
		t.Errorf("one is not: %s", out)
	}
	if out := alias(t, none.URL, "Den Light", "snug"); !strings.Contains(out, "not checked: no gateway runs") || strings.Contains(out, "!") {
		t.Errorf("no gateway runs: %s", out)
	}
}
