package reach

import (
	"context"
	"fmt"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/dialogue"
)

// Servers shows a turn the MCP host: how each server is, and a way to reconnect it.
type Servers struct{ host *host.Host }

// NewServers makes the view of a host.
func NewServers(mcp *host.Host) Servers { return Servers{mcp} }

// reconnectLook is the pause between two looks at a server that is being
// reconnected.
const reconnectLook = 20 * time.Millisecond

// Trouble describes the state of a server.
func (s Servers) Trouble(server string) dialogue.Trouble {
	st, err := s.status(server)
	if err != nil {
		return dialogue.Trouble{Health: string(mcpint.Dead), Reason: err.Error()}
	}
	t := dialogue.Trouble{Health: string(st.Health), Failures: st.ConsecutiveFailures, Attempts: st.RetryCount + 1}
	if st.ErrorMessage != nil {
		t.Reason = *st.ErrorMessage
	}
	return t
}

// Reconnect returns when there is a connection that answers: a new one, or one the
// host has made meanwhile. A server that is connected but does not answer is ended
// first.
func (s Servers) Reconnect(ctx context.Context, server string) error {
	retry := s.host.Retry
	if s.Connected(server) && !s.answers(ctx, server) {
		retry = s.host.Reconnect
	}
	if err := retry(ctx, server); err != nil {
		return fmt.Errorf("reconnecting: %w", err)
	}
	look := time.NewTicker(reconnectLook)
	defer look.Stop()
	for {
		st, err := s.status(server)
		switch {
		case err != nil:
			return err
		case st.Status == mcpint.Connected:
			return nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("reconnecting %q: it is %s: %w", server, st.Status, ctx.Err())
		}
	}
}

// Connected reports whether a server is connected.
func (s Servers) Connected(server string) bool {
	st, err := s.status(server)
	return err == nil && st.Status == mcpint.Connected
}

// answers reports whether a server gives a sign of life. The limit is short,
// because a new connection costs less than the wait for a server that hangs.
func (s Servers) answers(ctx context.Context, server string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	st, err := s.host.CheckHealth(ctx, server)
	return err == nil && st.Status == mcpint.Connected && st.Health != mcpint.Unresponsive
}

func (s Servers) status(server string) (mcpint.Status, error) {
	for _, st := range s.host.Status() {
		if st.ID == server {
			return st, nil
		}
	}
	return mcpint.Status{}, fmt.Errorf("there is no MCP server %q", server)
}
