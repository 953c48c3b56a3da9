package secret

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler returns a log handler that passes records on without secrets.
func Handler(next slog.Handler, s *Set) slog.Handler { return discreet{next, s} }

type discreet struct {
	slog.Handler
	secrets *Set
}

// Handle passes a record on.
func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, d.secrets.Hide(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(d.attr(a))
		return true
	})
	if err := d.Handler.Handle(ctx, out); err != nil {
		return fmt.Errorf("logging: %w", err)
	}
	return nil
}

// WithAttrs keeps the handler's discretion.
func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = d.attr(a)
	}
	return discreet{d.Handler.WithAttrs(clean), d.secrets}
}

// WithGroup keeps the handler's discretion.
func (d discreet) WithGroup(name string) slog.Handler {
	return discreet{d.Handler.WithGroup(name), d.secrets}
}

// attr returns an attribute without secrets. A value that is not a text becomes one only
// if its text holds a secret.
func (d discreet) attr(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, d.secrets.Hide(value.String()))
	case slog.KindGroup:
		group := value.Group()
		clean := make([]slog.Attr, len(group))
		for i, inner := range group {
			clean[i] = d.attr(inner)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	case slog.KindAny:
		said := fmt.Sprintf("%+v", value.Any())
		if hidden := d.secrets.Hide(said); hidden != said {
			return slog.String(a.Key, hidden)
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindLogValuer, slog.KindTime, slog.KindUint64:
	}
	return a
}
