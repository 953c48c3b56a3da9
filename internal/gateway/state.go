package gateway

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep"
)

// claimState takes the state directory for this gateway: two that share one would
// write over each other's state. A directory that cannot be written keeps no state,
// so it needs no owner.
func (g *Gateway) claimState() (release func(), err error) {
	dir := g.cfg.Gateway.StateDir
	if g.opts.TextOnly || g.opts.Private || dir == "" {
		return func() {}, nil
	}
	release, err = keep.Claim(dir, fmt.Sprintf("gateway %s, process %d", g.cfg.Gateway.ID, os.Getpid()))
	if _, used := errors.AsType[*keep.InUseError](err); used {
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
	g.board.set("state", false, doors.PartReady, "")
	if why := g.health.checks["state"].trouble().why; why != "" {
		g.log.Warn("no state can be kept", "part", "state", "err", why)
	}
}

// diskHolds is how long one attempt to write answers for: a disk fills up slowly, and
// pages ask every ten seconds.
const diskHolds = 5 * time.Second

// disk knows whether the state directory can be written.
type disk struct {
	dir    string
	phrase func(key string) string // a sentence of the voice

	mu   sync.Mutex
	last trouble
	at   time.Time
}

func (s setup) newDisk(phrase func(key string) string) *disk {
	return &disk{dir: s.cfg.Gateway.StateDir, phrase: phrase}
}

// trouble says why nothing can be kept. It finds out by writing: neither permissions nor
// the number of free bytes show a full quota or a disk that has become read-only.
func (d *disk) trouble() trouble {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && time.Since(d.at) < diskHolds {
		return d.last
	}
	d.last, d.at = trouble{}, time.Now()
	switch err := writable(d.dir); {
	case err == nil:
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		d.last = trouble{ill: true, said: d.phrase("trouble_disk"), why: fmt.Sprintf("the disk of %s is full (%v); what is set is forgotten at the end; make room there", d.dir, err)}
	default:
		d.last = trouble{
			ill: true, said: d.phrase("trouble_state"),
			why: fmt.Sprintf("the directory %s cannot be written (%v); what is set is forgotten at the end; name another one in gateway.state_dir", d.dir, err),
		}
	}
	return d.last
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
