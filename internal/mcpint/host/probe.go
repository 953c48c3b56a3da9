package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

const (
	// probeTimeout is how long one probe may take (REQUIREMENTS M8).
	probeTimeout = 2 * time.Second
	// maxProbeBody bounds what is read of the answer to a probe.
	maxProbeBody = 4 << 10
)

// Probe checks once whether something a server needs is there. mqtt
// reports whether the gateway is connected to its broker; it may be nil.
func Probe(ctx context.Context, need string, mqtt func() bool) error {
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
		return httpguard.WithoutURL(err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxProbeBody))
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}
