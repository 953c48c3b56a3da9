package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"

	"voicegateway/internal/mcpint"
)

// dialSSE connects to a server that speaks the HTTP+SSE transport of 2024, which is used
// only if it is configured: by its answers, such a server looks like a broken one.
func dialSSE(ctx context.Context, s mcpint.Server, o Options) (Session, error) {
	if s.Protocol == mcpint.ProtocolAuto {
		s.Protocol = handshakeVersion
	}
	return dialWeb(ctx, s, o, func(plain *http.Client) (transport.Interface, error) {
		w, ok := plain.Transport.(*watchedTransport)
		if !ok {
			return nil, errors.New("the client does not watch its answers")
		}
		w.needsStream = true
		t, err := transport.NewSSE(s.URL, transport.WithHeaders(s.Headers), transport.WithHTTPClient(plain),
			transport.WithSSELogger(atDebugLevel(o.Log)), transport.WithEndpointTimeout(2*s.ConnectTimeout), transport.WithResponseTimeout(s.CallTimeout))
		if err != nil {
			return nil, err
		}
		// Without its stream such a server cannot answer.
		t.SetConnectionLostHandler(func(err error) { w.session.end(streamLost(err)) })
		return t, nil
	})
}

// streamLost says that the event stream ended, with the reason if one is known.
func streamLost(err error) error {
	if isExcess(err) {
		return Explain(err)
	}
	return errors.New("the server closed its event stream")
}
