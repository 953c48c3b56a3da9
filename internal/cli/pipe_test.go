package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/cli"
)

// TestInterruptedAtAPipe demands that Ctrl-C ends every command that waits for the bytes
// of a pipe: a named pipe without a writer, where the program waits while it opens it,
// and standard input without data.
func TestInterruptedAtAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"hear PIPE", "hear --no-wake --dry-run PIPE", "hear --home PIPE x.wav", "wake-test --from PIPE", "match --home PIPE",
		"replay PIPE", "config secret mqtt.password --config FILE", "home --config PIPE", "config check --config PIPE", "config show --config PIPE",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			in, writer := io.Pipe()
			t.Cleanup(func() { _ = writer.Close() })
			ctx, interrupt := context.WithCancel(t.Context())
			interrupt()
			var out, errs bytes.Buffer
			status := cli.Main(ctx, strings.Fields(strings.NewReplacer("PIPE", pipe, "FILE", file).Replace(command)), "test", cli.IO{
				In: in, Out: &out, Err: &errs, Executable: "/bin/true",
				Environ: []string{"HOME=" + t.TempDir(), "VOICE_GATEWAY_HTTP_LISTEN=127.0.0.1:9"},
			})
			if status != 130 || errs.Len() > 0 || out.Len() > 0 {
				t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
			}
		})
	}
}
