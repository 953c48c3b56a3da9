package client

import (
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

// levels write to our log, by the levels of MCP.
var levels = map[string]func(log *slog.Logger, text string, args ...any){
	"debug": (*slog.Logger).Debug, "info": (*slog.Logger).Info, "notice": (*slog.Logger).Info, "warning": (*slog.Logger).Warn,
	"error": (*slog.Logger).Error, "critical": (*slog.Logger).Error, "alert": (*slog.Logger).Error, "emergency": (*slog.Logger).Error,
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
	write, ok := levels[name]
	if !ok {
		write = (*slog.Logger).Info
	}
	if name == "debug" && !s.debug {
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
	write(s.log, "message of an MCP server", args...)
}

// hideIn returns decoded JSON without the secrets in its texts.
func (s *session) hideIn(v any) any {
	v, _ = s.secrets.HideIn(v)
	return v
}
