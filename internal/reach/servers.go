package reach

import (
	"context"
	"fmt"
	"time"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
)

// Servers is the MCP host as a turn sees it: who has answered, and who can be had
// again.
type Servers struct{ host *host.Host }

// NewServers looks at a host.
func NewServers(mcp *host.Host) Servers { return Servers{mcp} }

// reconnectLook is how often a turn that waits for a connection looks for it.
const reconnectLook = 20 * time.Millisecond

// Trouble tells how a server is.
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

// Reconnect returns when there is a connection that answers: a new one, or the
// one the host has made meanwhile. A server that only hangs is ended first.
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

// Connected says whether there is a connection to a server.
func (s Servers) Connected(server string) bool {
	st, err := s.status(server)
	return err == nil && st.Status == mcpint.Connected
}

// answers asks a server for a sign of life. The limit is short: a connection made
// anew costs less than the wait for one that hangs.
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
