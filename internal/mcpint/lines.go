package mcpint

import (
	"bytes"
	"fmt"
	"io"
)

// limitLines passes on what r reads and fails as soon as a line grows beyond
// limit bytes. mcp-go reads a line of any length into memory.
func limitLines(r io.Reader, limit int) io.Reader {
	return &lineLimiter{r: r, limit: limit}
}

type lineLimiter struct {
	r     io.Reader
	limit int
	len   int // of the line so far
}

func (l *lineLimiter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	rest := p[:n]
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.len += len(rest)
			break
		}
		if l.len+end > l.limit {
			l.len += end
			break
		}
		l.len = 0
		rest = rest[end+1:]
	}
	if l.len > l.limit {
		return 0, fmt.Errorf("a line is longer than %d bytes", l.limit)
	}
	return n, err
}
