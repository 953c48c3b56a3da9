package client

import (
	"context"
	"io"
	"log/slog"

	"voicegateway/internal/process"
)

// maxLogged bounds a line of a child's stderr in our log.
const maxLogged = 4 << 10

// stderrLog returns a writer that logs a child's stderr line by line at debug
// level; nil when the log does not show that level.
func stderrLog(ctx context.Context, log *slog.Logger, secrets Secrets) io.Writer {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	return &process.Lines{Limit: maxLogged, Take: func(line []byte) {
		text := secrets.RedactTail(line)
		if len(line) >= maxLogged {
			text = secrets.RedactCut(line)
		}
		if text != "" {
			log.Debug("MCP server stderr", "text", text)
		}
	}}
}
