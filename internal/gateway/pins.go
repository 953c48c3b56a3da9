package gateway

import (
	"sync"

	"voicegateway/internal/keep"
	"voicegateway/internal/mcpint/host"
)

// pins stores how the servers' tools looked when they were first seen (REQUIREMENTS
// S5). The state directory is opened when the servers are started.
type pins struct {
	open func() (*keep.Store, error)
}

// newPins returns nil if nothing is to be stored: a single command must not decide
// what the daemon takes for the first look.
func (s setup) newPins() host.PinStore {
	dir := s.cfg.Gateway.StateDir
	if s.opts.TextOnly || dir == "" {
		return nil
	}
	return pins{open: sync.OnceValues(func() (*keep.Store, error) { return keep.Open(dir) })}
}

// Load reads what is kept under a name.
func (p pins) Load(name string, v any) error {
	s, err := p.open()
	if err != nil {
		return err
	}
	return s.Load(name, v)
}

// Save keeps something under a name.
func (p pins) Save(name string, v any) error {
	s, err := p.open()
	if err != nil {
		return err
	}
	return s.Save(name, v)
}
