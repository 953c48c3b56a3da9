package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"voicegateway/internal/cli"
)

// TestInterrupted presses Ctrl-C while a gateway takes its time: the prompt comes back
// without a message.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"servers", "home", "rehearse", "timers", "turns", "volume", "say hello"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client is gone
				interrupt()
				<-r.Context().Done()
			}))
			t.Cleanup(slow.Close)
			var out, errs bytes.Buffer
			status := cli.Main(ctx, strings.Fields(command), "test", cli.IO{
				In: strings.NewReader(""), Out: &out, Err: &errs, Executable: "/bin/true",
				Environ: []string{"HOME=" + t.TempDir(), "VOICE_GATEWAY_HTTP_LISTEN=" + strings.TrimPrefix(slow.URL, "http://")},
			})
			if status != 130 || errs.Len() > 0 || out.Len() > 0 {
				t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
			}
		})
	}
}

// TestInterruptedPull presses Ctrl-C while models are fetched: the remaining ones are not
// tried.
func TestInterruptedPull(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, errs bytes.Buffer
	status := cli.Main(ctx, []string{"models", "--dir", t.TempDir(), "pull", "hey_jarvis", "alexa"}, "test", cli.IO{
		In: strings.NewReader(""), Out: &out, Err: &errs, Executable: "/bin/true", Environ: []string{"HOME=" + t.TempDir()},
	})
	if status != 130 || errs.Len() > 0 || out.Len() > 0 {
		t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
	}
}
