package setup

import "context"

// Service is the installed service of this machine.
type Service struct {
	Serves  func(ctx context.Context, file string) bool // it runs, with that configuration file
	Restart func(ctx context.Context) error             // starts it anew, and returns when it is ready
}

// anew starts the service anew if it runs with the file and that is agreed to, and reports
// whether it did: one that we may not start anew waits for a person who may.
func (s Service) anew(ctx context.Context, file string, agreed func() (bool, error)) (bool, error) {
	if !s.Serves(ctx, file) {
		return false, ctx.Err()
	}
	if ok, err := agreed(); err != nil || !ok {
		return false, err
	}
	return s.Restart(ctx) == nil, ctx.Err()
}
