package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

const (
	// probeEvery and probeTimeout are how often what a server needs is looked for,
	// and how long one look may take (REQUIREMENTS M8).
	probeEvery   = 2 * time.Second
	probeTimeout = 2 * time.Second
	// maxProbeBody bounds what is read of the answer to a probe.
	maxProbeBody = 4 << 10
)

// probeNeed looks once whether something a server needs is there. mqtt says
// whether the gateway is connected to its broker; it may be nil.
func probeNeed(ctx context.Context, need string, mqtt func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if need == mcpint.RequireMQTT {
		if mqtt == nil || mqtt() {
			return nil
		}
		return errors.New("no connection to the broker")
	}
	if u, err := url.Parse(need); err == nil && u.Scheme == "tcp" {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, need, nil)
	if err != nil {
		return err
	}
	web := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: client.RedirectWithinHost,
	}
	answer, err := web.Do(request)
	if err != nil {
		return client.WithoutURL(err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxProbeBody))
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}

// needs is a wait for what a server needs.
type needs struct {
	until time.Time
	news  chan string   // what is missing, in words
	over  chan struct{} // closed when all is there or the time is up
	stop  context.CancelFunc
}

// await begins to wait for what the server needs. The goroutine ends with the
// wait, with stop or with ctx; run waits for it.
func (s *supervisor) await(ctx context.Context) *needs {
	ctx, stop := context.WithTimeout(ctx, s.srv.RequiresTimeout)
	n := &needs{until: time.Now().Add(s.srv.RequiresTimeout), news: make(chan string), over: make(chan struct{}), stop: stop}
	s.beside.Go(func() {
		defer stop()
		defer close(n.over)
		tick := time.NewTicker(probeEvery)
		defer tick.Stop()
		for {
			missing := s.missing(ctx)
			if len(missing) == 0 || ctx.Err() != nil {
				return
			}
			select {
			case n.news <- "waiting for what the server needs: " + strings.Join(missing, "; "):
			case <-ctx.Done():
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return n
}

// missing looks for all needs at once and says which are not met.
func (s *supervisor) missing(ctx context.Context) []string {
	found := make([]error, len(s.srv.Requires))
	var looking sync.WaitGroup
	for i, need := range s.srv.Requires {
		looking.Go(func() { found[i] = s.host.probe(ctx, need) })
	}
	looking.Wait()
	var missing []string
	for i, need := range s.srv.Requires {
		if found[i] != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", bare(need), client.SecretsOf(s.srv).RedactError(found[i])))
		}
	}
	return missing
}
