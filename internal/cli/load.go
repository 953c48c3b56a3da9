package cli

import (
	"context"
	"log/slog"
	"net/http"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/cli/review"
	"voicegateway/internal/cli/upkeep"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/process"
)

// loaded is the configuration as the commands need it.
type loaded struct{ *configure.Loaded }

// load reads and checks the configuration.
func (a *app) load(ctx context.Context) (*loaded, error) {
	return a.keep(process.ReadUntil(ctx, func() (*configure.Loaded, error) { return configure.Load(a.config, a.Environ) }))
}

// keep takes a configuration that was read, and its secrets, which are not to be shown.
func (a *app) keep(l *configure.Loaded, err error) (*loaded, error) {
	if l == nil {
		return nil, err
	}
	a.secrets = gateway.SecretsOf(l.Config, l.Secrets)
	if err != nil {
		return nil, err
	}
	return &loaded{l}, nil
}

// loadDraft does what load does, with a configuration that is not written yet.
func (a *app) loadDraft(ctx context.Context, d *configure.Draft) (*configure.Loaded, error) {
	return of(a.keep(process.ReadUntil(ctx, d.Load)))
}

// review is what the commands about turns of before need.
func (a *app) review(ctx context.Context) (review.World, error) {
	l, err := a.load(ctx)
	if err != nil {
		return review.World{}, err
	}
	ask := func(ctx context.Context, method, path string, body []byte, answer any) error {
		ctx, cancel := context.WithTimeout(ctx, daemonPatience)
		defer cancel()
		return l.daemon().request(ctx, method, path, body, answer)
	}
	return review.World{
		Out: a.Out, Err: a.Err, Paint: a.paint, Executable: a.Executable, Log: a.logger(slog.LevelError), Config: l.Config,
		Daemon: ask, NoDaemon: errNoDaemon, Needed: l.daemon().explainMissing, Sentences: loadPack,
	}, nil
}

// upkeep is what the commands about the installation need.
func (a *app) upkeep() upkeep.World {
	return upkeep.World{
		In: a.In, Out: a.Out, Err: a.Err, Terminal: a.Terminal, Paint: a.paint, Environ: a.Environ, Executable: a.Executable, File: a.config, NoDaemon: errNoDaemon,
		Version:   a.version,
		Load:      func(ctx context.Context) (*configure.Loaded, error) { return of(a.load(ctx)) },
		LoadDraft: a.loadDraft,
		Pull: func(ctx context.Context, l *configure.Loaded, from string) error {
			return (&modelsWork{app: a}).pullFor(ctx, &loaded{l}, from)
		},
		Ask: func(ctx context.Context, l *configure.Loaded, path string, answer any) error {
			ctx, cancel := context.WithTimeout(ctx, daemonPatience)
			defer cancel()
			return (&loaded{l}).daemon().request(ctx, http.MethodGet, path, nil, answer)
		},
		Sound: func(ctx context.Context, l *configure.Loaded) (audio.Equipment, error) {
			return equipment(ctx, &loaded{l}, a.Executable, slog.New(slog.DiscardHandler))
		},
		Here: func(ctx context.Context, l *configure.Loaded) (audio.Equipment, error) {
			return gateway.ListSound(ctx, l.Config, a.Executable, slog.New(slog.DiscardHandler))
		},
	}
}

// of is the configuration itself.
func of(l *loaded, err error) (*configure.Loaded, error) {
	if err != nil {
		return nil, err
	}
	return l.Loaded, nil
}
