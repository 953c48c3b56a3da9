package gateway

import (
	"context"
	"fmt"
	"slices"

	"voicegateway/internal/doors"
)

// reloading is the part that tells of a configuration which could not be read again.
const reloading = "configuration"

// Reload makes the MCP servers of another configuration ours, while the gateway runs: only
// those that are new, changed or gone are touched. Nothing else of the configuration is
// read again. On an error nothing has changed.
func (g *Gateway) Reload(ctx context.Context, cfg Config, beside Secrets) error {
	g.setup.discreet.secrets.Grow(SecretsOf(cfg, beside)) // before anything is done with them
	before := g.thinking.caller.Tellers()
	did, err := g.mcp.Change(ctx, g.servers(g.link, cfg.MCP))
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	houses := cfg.MCP.Houses()
	g.tools.Trust(houses...)
	g.thinking.caller.SetTellers(houses)
	g.counts.Expect(slices.Concat(did.Added, did.Changed)...)
	for _, id := range before {
		if slices.Contains(did.Removed, id) || !slices.Contains(houses, id) {
			g.house.Tell(id, []byte("{}")) // it has no house any more
		}
	}
	g.board.set(reloading, false, doors.PartReady, "")
	g.log.Info("the MCP servers of the configuration were read again", "part", "mcp", "added", did.Added, "changed", did.Changed, "removed", did.Removed)
	return nil
}

// ReloadFailed shows that a configuration could not be read again. The gateway goes on with
// the one before.
func (g *Gateway) ReloadFailed(why error) {
	g.log.Error("the configuration was not read again; nothing has changed", "part", reloading, "err", why)
	g.board.set(reloading, false, doors.PartDegraded, "it was not read again: "+why.Error())
}
