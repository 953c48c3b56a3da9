package client

import (
	"context"
	"io"
	"log/slog"

	"voicegateway/internal/process"
)

// maxLogged bounds a line of a child's stderr in our log.
const maxLogged = 4 << 10

// stderrLog repeats a child's stderr in the log, a line each, at debug level; nil
// where the log shows nothing of that level.
func stderrLog(ctx context.Context, log *slog.Logger, secrets Secrets) io.Writer {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	return &process.Lines{Limit: maxLogged, Take: func(line []byte) {
		if text := secrets.RedactTail(line); text != "" {
			log.Debug("MCP server stderr", "text", text)
		}
	}}
}
