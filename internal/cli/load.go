package cli

import (
	"context"

	"voicegateway/internal/care/configure"
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
func (a *app) loadDraft(ctx context.Context, d *configure.Draft) (*loaded, error) {
	return a.keep(process.ReadUntil(ctx, d.Load))
}
