package client

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
)

const (
	// stderrKept is how much of a child's stderr is kept, its end.
	stderrKept = 64 << 10
)

// tailBuffer keeps the last bytes written to it. Writing never blocks, so that a
// child which logs a flood is never held up by us.
type tailBuffer struct {
	mu   sync.Mutex
	kept []byte
}

func (r *tailBuffer) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, p...)
	// Cutting only at twice the size makes the copying cheap on average.
	if len(r.kept) > 2*stderrKept {
		r.kept = append(r.kept[:0], r.kept[len(r.kept)-stderrKept:]...)
	}
	return len(p), nil
}

func (r *tailBuffer) tail() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.kept[max(0, len(r.kept)-stderrKept):])
}

// maxLogged bounds a line of a child's stderr in our log.
const maxLogged = 4 << 10

// lineLog repeats a child's stderr in the log, a line each, at debug level.
type lineLog struct {
	log     *slog.Logger
	secrets Secrets
	line    []byte
}

func (l *lineLog) Write(p []byte) (int, error) {
	n := len(p)
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return n, nil
	}
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.line = append(l.line, part[:min(len(part), maxLogged-len(l.line))]...)
		if whole {
			if text := l.secrets.RedactTail(l.line); text != "" {
				l.log.Debug("MCP server stderr", "text", text)
			}
			l.line = l.line[:0]
		}
		p = rest
	}
	return n, nil
}
