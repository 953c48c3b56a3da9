package setup

import (
	"context"
	"fmt"
)

// Service is the installed service of this machine.
type Service struct {
	Serves  func(ctx context.Context, file string) bool // it runs, with that configuration file
	Restart func(ctx context.Context) error             // starts it anew, and returns when it is ready
}

// anew starts the service anew if it runs with the file and that is agreed to, and reports
// whether it did: one that we may not start anew goes on running, and waits for a person
// who may. One that was stopped and does not come back is an error.
func (s Service) anew(ctx context.Context, file string, agreed func() (bool, error)) (bool, error) {
	if !s.Serves(ctx, file) {
		return false, ctx.Err()
	}
	if ok, err := agreed(); err != nil || !ok {
		return false, err
	}
	err := s.Restart(ctx)
	if ctx.Err() != nil || err == nil {
		return err == nil, ctx.Err()
	}
	if runs := s.Serves(ctx, file); runs || ctx.Err() != nil {
		return false, ctx.Err()
	}
	return false, fmt.Errorf("the gateway was stopped and did not start again: %w; look with voice-gateway doctor and journalctl -u voice-gateway", err)
}
