package host

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// probeEvery is the pause between two probes of what a server needs (REQUIREMENTS M8).
const probeEvery = 2 * time.Second

// requirementWait is a running wait for what a server needs.
type requirementWait struct {
	server   mcpint.Server
	probe    func(ctx context.Context, need string) error
	deadline time.Time          // when the server is started even if something is missing
	missing  chan string        // what is missing, in words
	missed   bool               // something has been found missing; the supervisor's own
	over     chan struct{}      // closed when nothing is missing or the time is up
	cancel   context.CancelFunc // ends the wait
}

// news returns the channels on which a wait reports; both are nil without a wait.
func (w *requirementWait) news() (missing <-chan string, over <-chan struct{}) {
	if w == nil {
		return nil, nil
	}
	return w.missing, w.over
}

// awaitRequirements begins to wait for what the server needs. Its goroutine ends
// with the wait, with cancel or with ctx; run waits for it.
func (s *supervisor) awaitRequirements(ctx context.Context) *requirementWait {
	ctx, cancel := context.WithTimeout(ctx, s.srv.RequiresTimeout)
	w := &requirementWait{
		server: s.srv, probe: s.host.probe, deadline: time.Now().Add(s.srv.RequiresTimeout),
		missing: make(chan string), over: make(chan struct{}), cancel: cancel,
	}
	s.background.Go(func() { w.run(ctx) })
	return w
}

// run probes until nothing is missing or ctx ends.
func (w *requirementWait) run(ctx context.Context) {
	defer w.cancel()
	defer close(w.over)
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		missing := w.findMissing(ctx)
		if len(missing) == 0 || ctx.Err() != nil {
			return
		}
		select {
		case w.missing <- "waiting for what the server needs: " + strings.Join(missing, "; "):
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// findMissing probes all requirements at once and says which are not met, and why.
func (w *requirementWait) findMissing(ctx context.Context) []string {
	errs := make([]error, len(w.server.Requires))
	var probing sync.WaitGroup
	for i, need := range w.server.Requires {
		probing.Go(func() { errs[i] = w.probe(ctx, need) })
	}
	probing.Wait()
	secrets := client.SecretsOf(w.server)
	var missing []string
	for i, need := range w.server.Requires {
		if errs[i] != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", mcpint.BareAddress(need), secrets.RedactError(client.Explain(errs[i]))))
		}
	}
	return missing
}
