package setup

import (
	"context"
	"fmt"
)

// Service is the installed service of this machine.
type Service struct {
	Serves  func(ctx context.Context, file string) bool // it runs, with that configuration file
	Restart func(ctx context.Context) error             // restarts it, and returns when it is ready
}

// anew restarts the service if it runs with the file and the user agrees. It reports
// whether the service uses the file, and whether it was restarted. If we may not restart
// it, it keeps running with the old configuration, without an error. A service that was
// stopped and does not start again is an error.
func (s Service) anew(ctx context.Context, file string, agreed func() (bool, error)) (serves, restarted bool, err error) {
	if !s.Serves(ctx, file) {
		return false, false, ctx.Err()
	}
	if ok, err := agreed(); err != nil || !ok {
		return true, false, err
	}
	err = s.Restart(ctx)
	if ctx.Err() != nil || err == nil {
		return true, err == nil, ctx.Err()
	}
	if runs := s.Serves(ctx, file); runs || ctx.Err() != nil {
		return true, false, ctx.Err()
	}
	return true, false, fmt.Errorf("the gateway was stopped and did not start again: %w; look with voice-gateway doctor and journalctl -u voice-gateway", err)
}
