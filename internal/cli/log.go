package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// details is the key of an attribute with several lines, such as the report of a
// server that cannot be reached.
const details = "details"

// paragraphs is a log handler that writes the details attribute below its record,
// line by line, because a quoted text with \n in it is hard to read.
type paragraphs struct {
	slog.Handler
	mu *sync.Mutex
	w  io.Writer
}

// Handle writes the record and then its paragraph.
func (p *paragraphs) Handle(ctx context.Context, r slog.Record) error {
	plain := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	text := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == details {
			text = a.Value.String()
		} else {
			plain.AddAttrs(a)
		}
		return true
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.Handler.Handle(ctx, plain); err != nil {
		return fmt.Errorf("logging: %w", err)
	}
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(p.w, text)
	return err
}

// WithAttrs keeps the paragraphs.
func (p *paragraphs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &paragraphs{Handler: p.Handler.WithAttrs(attrs), mu: p.mu, w: p.w}
}

// WithGroup keeps the paragraphs.
func (p *paragraphs) WithGroup(name string) slog.Handler {
	return &paragraphs{Handler: p.Handler.WithGroup(name), mu: p.mu, w: p.w}
}
