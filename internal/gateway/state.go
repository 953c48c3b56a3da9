package gateway

import (
	"errors"
	"fmt"
	"os"

	"voicegateway/internal/doors"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep/store"
)

// claimState takes the state directory for this gateway: two that share one would
// write over each other's state. A directory that cannot be written keeps no state,
// so it needs no owner.
func (g *Gateway) claimState() (release func(), err error) {
	dir := g.cfg.Gateway.StateDir
	if g.opts.TextOnly || g.opts.Private || dir == "" {
		return func() {}, nil
	}
	release, err = store.Claim(dir, fmt.Sprintf("gateway %s, process %d", g.cfg.Gateway.ID, os.Getpid()))
	if _, used := errors.AsType[*store.InUseError](err); used {
		return nil, err
	}
	if err != nil {
		g.log.Warn("another gateway could use the state directory as well", "part", "state", "err", err)
		return func() {}, nil
	}
	return release, nil
}

// checkState finds out at the start whether state can be kept, because later a
// person would notice only that something is missing. The gateway runs on without
// state.
func (g *Gateway) checkState() {
	dir := g.cfg.Gateway.StateDir
	if g.opts.TextOnly || dir == "" {
		return
	}
	err := writable(dir)
	if err == nil {
		g.board.set("state", false, doors.PartReady, "")
		return
	}
	why := fmt.Sprintf("the directory %s cannot be written (%v); what is set is forgotten at the end; name another one in gateway.state_dir", dir, err)
	g.board.set("state", false, doors.PartDegraded, why)
	g.log.Warn("no state can be kept", "part", "state", "err", why)
}

// writable writes a file to find out, because permissions do not show full disks
// and read-only mounts.
func writable(path string) error {
	dir, err := trust.Make(path, 0o700)
	if err != nil {
		return err
	}
	return errors.Join(trust.Try(dir), dir.Close())
}
