package client

import (
	"context"
	"io"
	"log/slog"
	"time"

	"voicegateway/internal/ground/process"
)

const (
	// maxLogged bounds a line of a child's stderr in our log.
	maxLogged = 4 << 10
	// maxLoggedLines bounds how many lines of one child are logged in a second: a
	// flood would fill the disk and cost a processor.
	maxLoggedLines = 50
)

// stderrLog returns a writer that logs a child's stderr line by line at debug
// level; nil when the log does not show that level.
func stderrLog(ctx context.Context, log *slog.Logger, secrets Secrets) io.Writer {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	s := &loggedLines{log: log, secrets: secrets}
	return &process.Lines{Limit: maxLogged, Take: func(line []byte) { s.addLine(line, time.Now()) }}
}

// loggedLines logs lines, of a flood only the first ones of each second.
type loggedLines struct {
	log     *slog.Logger
	secrets Secrets
	second  time.Time // when the second began
	lines   int       // logged in it
	left    int       // left out since a line was logged
}

func (l *loggedLines) addLine(line []byte, now time.Time) {
	if now.Sub(l.second) >= time.Second {
		l.second, l.lines = now, 0
	}
	if l.lines >= maxLoggedLines {
		l.left++
		return
	}
	text := l.secrets.RedactTail(line)
	if len(line) >= maxLogged {
		text = l.secrets.RedactCut(line)
	}
	if text == "" {
		return
	}
	if l.left > 0 {
		l.log.Debug("MCP server stderr is a flood; lines were left out", "lines", l.left)
		l.left = 0
	}
	l.lines++
	l.log.Debug("MCP server stderr", "text", text)
}
