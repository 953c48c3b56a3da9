package client

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxMessage bounds the text of a log message of a server, in bytes.
	maxMessage = 1000
	// maxMessages bounds how many messages of one server are logged in a second.
	maxMessages = 10
)

// levels are the levels of our log, by those of MCP.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "notice": slog.LevelInfo, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": slog.LevelError, "alert": slog.LevelError, "emergency": slog.LevelError,
}

// loggedMessages logs what a server sends for a log, of a flood only the first messages of
// each second.
type loggedMessages struct {
	mu     sync.Mutex
	second time.Time // when the second began
	count  int       // logged in it
	left   int       // left out since a message was logged
}

// take logs a message of the server.
func (l *loggedMessages) take(s *session, n mcp.JSONRPCNotification, now time.Time) {
	fields := n.Params.AdditionalFields
	name, _ := fields["level"].(string)
	level, ok := levels[name]
	if !ok {
		level = slog.LevelInfo
	}
	if !s.log.Enabled(context.Background(), level) {
		return
	}
	data, isText := fields["data"].(string)
	if !isText {
		raw, err := json.Marshal(s.hideIn(fields["data"]))
		if err != nil {
			return
		}
		data = string(raw)
	}
	text := s.secrets.RedactLine(data, maxMessage)
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.second) >= time.Second {
		l.second, l.count = now, 0
	}
	if l.count >= maxMessages {
		l.left++
		return
	}
	if l.left > 0 {
		s.log.Warn("an MCP server sends too many log messages; some were left out", "messages", l.left)
		l.left = 0
	}
	l.count++
	args := []any{"text", text}
	if logger, _ := fields["logger"].(string); logger != "" {
		args = append(args, "logger", s.secrets.RedactLine(logger, versionShown))
	}
	s.log.Log(context.Background(), level, "message of an MCP server", args...)
}

// hideIn returns decoded JSON without the secrets in its texts.
func (s *session) hideIn(v any) any {
	v, _ = s.secrets.HideIn(v)
	return v
}
