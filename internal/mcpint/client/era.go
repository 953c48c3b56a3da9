package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// The protocol has two eras. Up to 2025-11-25 a connection begins with a handshake
// (initialize) and may be asked for a sign of life (ping). Since 2026-07-28 there is
// neither: server/discover says what a server offers, and each request carries the
// revision, our name and what we can do (docs/facts/mcp-client.md, Protocol versions).
const (
	// handshakeVersion is the revision that the handshake asks for.
	handshakeVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	// statelessVersion is the newest revision, which has no handshake.
	statelessVersion = mcp.LATEST_PROTOCOL_VERSION
	// discoverTime is what is left for server/discover when the handshake gets no answer
	// at all; of a short time it is a fifth.
	discoverTime = 2 * time.Second
	// listenPause and maxListenPause bound the wait before a subscription that has ended
	// is opened again.
	listenPause    = time.Second
	maxListenPause = time.Minute
)

// opening is what the beginning of a connection found out.
type opening struct {
	revision     string // what is spoken
	stateless    string // the revision that each request has to name; "" after a handshake
	capabilities mcp.ServerCapabilities
	name         string // as the server calls itself
	version      string // of the server itself
}

// begin begins the connection in the era of the server. Its setting of the protocol is
// auto, or the only revision that may be spoken.
func (s *session) begin(ctx context.Context, server mcpint.Server) (opening, error) {
	protocol := server.Protocol
	switch auto := protocol == "" || protocol == mcpint.ProtocolAuto; {
	case auto && server.IsHomeAssistant():
		// It knows the handshake alone, and writes a page into its owner's log for each
		// question about the newest revision.
		protocol = handshakeVersion
	case auto:
		return s.negotiate(ctx, server.ConnectTimeout)
	case mcp.IsModernProtocol(protocol):
		o, err := s.discover(ctx, protocol)
		if err != nil {
			err = fmt.Errorf("the server does not speak protocol version %s, which is set for it: %w", protocol, err)
		}
		return o, err
	}
	o, err := s.initialize(ctx, protocol)
	if err == nil && o.stateless != "" {
		err = fmt.Errorf("the server speaks protocol version %s and not %s, which is set for it", o.stateless, protocol)
	}
	return o, err
}

// negotiate asks for the handshake first, because nearly every server knows it, and some
// old ones end at a question that they do not know. It asks for the newest revision where
// the server refuses the handshake, or answers nothing to it for most of its patience.
func (s *session) negotiate(ctx context.Context, patience time.Duration) (opening, error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan beginning, 1)
	go func() {
		o, err := s.initialize(asking, handshakeVersion)
		answered <- beginning{o, err}
	}()
	var silence <-chan time.Time
	if deadline, limited := ctx.Deadline(); limited {
		whole := time.Until(deadline)
		if patience > 0 {
			whole = min(whole, patience)
		}
		timer := time.NewTimer(whole - min(discoverTime, whole/5))
		defer timer.Stop()
		silence = timer.C
	}
	select {
	case first := <-answered:
		if first.err == nil && first.stateless == "" || first.err != nil && !refusesHandshake(first.err) {
			return first.opening, first.err
		}
		second, err := s.discover(ctx, statelessVersion)
		switch {
		case err == nil:
			return second, nil
		case first.err == nil: // a handshake that names the newest revision, and nothing else of it
			s.setVersion(handshakeVersion)
			first.revision, first.stateless = handshakeVersion, ""
			return first.opening, nil
		case errors.As(err, new(*otherVersionsError)):
			return opening{}, err
		}
		return opening{}, first.err
	case <-silence:
		return s.breakSilence(ctx, stop, answered)
	}
}

// beginning is the outcome of one of the two questions that begin a connection.
type beginning struct {
	opening
	err error
}

// breakSilence asks for the newest revision while the handshake is not answered. A server
// that is only slow answers the handshake after all. stop ends the handshake.
func (s *session) breakSilence(ctx context.Context, stop func(), answered chan beginning) (opening, error) {
	discovering, giveUp := context.WithCancel(ctx)
	defer giveUp()
	discovered := make(chan beginning, 1)
	go func() {
		o, err := s.discover(discovering, statelessVersion)
		discovered <- beginning{o, err}
	}()
	var first, second beginning
	select {
	case first = <-answered:
		if first.err == nil {
			giveUp()
		}
		second = <-discovered
	case second = <-discovered:
		if second.err == nil {
			stop()
		}
		first = <-answered
	}
	switch {
	case second.err == nil:
		return second.opening, nil
	case first.err == nil:
		s.setVersion(first.revision)
	}
	return first.opening, first.err
}

// initialize shakes hands, as servers up to 2025-11-25 want it. A server that names a
// newer revision in its answer wants no handshake.
func (s *session) initialize(ctx context.Context, version string) (opening, error) {
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = version
	hello.Params.ClientInfo = s.self
	info, err := s.client.Initialize(ctx, hello)
	if err != nil {
		return opening{}, err
	}
	o := opening{revision: info.ProtocolVersion, capabilities: info.Capabilities, name: info.ServerInfo.Name, version: info.ServerInfo.Version}
	if mcp.IsModernProtocol(info.ProtocolVersion) {
		o.stateless = info.ProtocolVersion
	}
	return o, nil
}

// refusesHandshake reports whether a server answered the handshake with a refusal that
// one of the newest revision may give. A log-in that is missing, too many requests and
// trouble of the server are none.
func refusesHandshake(err error) bool {
	if answer, ok := errors.AsType[*HTTPError](err); ok {
		status := answer.Status
		return !answer.Page && (status == http.StatusNotImplemented || status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
			!slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests}, status))
	}
	_, broken := errors.AsType[*transport.Error](err) // no answer came
	return !broken
}

// otherVersionsError says that a server speaks only revisions that we do not know.
type otherVersionsError struct{ versions []string }

func (e *otherVersionsError) Error() string {
	return fmt.Sprintf("the server speaks only protocol versions that are not known here (%s); known are %s to %s: update the gateway or take another version of the server",
		strings.Join(e.versions, ", "), mcp.ValidProtocolVersions[len(mcp.ValidProtocolVersions)-1], statelessVersion)
}

// discover asks a server of the newest era what it offers. A server that does not know
// the version and names others is asked once more in one of those.
func (s *session) discover(ctx context.Context, version string) (opening, error) {
	s.setVersion(version)
	raw, err := s.send(ctx, version, string(mcp.MethodServerDiscover), nil)
	if versions := versionsIn(err); len(versions) > 0 {
		version = statelessOf(versions)
		if version == "" {
			s.setVersion("")
			return opening{}, &otherVersionsError{s.shownVersions(versions)}
		}
		s.setVersion(version)
		raw, err = s.send(ctx, version, string(mcp.MethodServerDiscover), nil)
	}
	if err != nil {
		s.setVersion("")
		return opening{}, err
	}
	var offer struct {
		mcp.DiscoverResult
		ServerInfo mcp.Implementation `json:"serverInfo"` // where drafts of the revision had it
	}
	if err := json.Unmarshal(raw, &offer); err != nil {
		return opening{}, &shapeError{string(mcp.MethodServerDiscover), s.secrets.RedactError(err)}
	}
	switch {
	case len(offer.SupportedVersions) == 0: // such as a server that answers every question alike
		return opening{}, errors.New("the answer to server/discover names no version of the protocol")
	case !slices.Contains(offer.SupportedVersions, version):
		return opening{}, &otherVersionsError{s.shownVersions(offer.SupportedVersions)}
	}
	o := opening{revision: version, stateless: version, capabilities: offer.Capabilities, name: offer.ServerInfo.Name, version: offer.ServerInfo.Version}
	if info := offer.GetResultMeta().ServerInfo(); info != nil {
		o.name, o.version = info.Name, info.Version
	}
	return o, nil
}

// versionsIn returns the revisions that a server names when it refuses another one.
func versionsIn(err error) []string {
	if refused, ok := errors.AsType[rpcError](err); ok {
		return refused.versions
	}
	if refused, ok := errors.AsType[*HTTPError](err); ok {
		return refused.versions
	}
	return nil
}

// statelessOf returns the newest known revision without a handshake among some, or "".
func statelessOf(versions []string) string {
	if v := mcp.NegotiateMutuallySupportedVersion(versions); mcp.IsModernProtocol(v) {
		return v
	}
	return ""
}

// shownVersions returns a few of the revisions that a server names, fit to be shown.
func (s *session) shownVersions(versions []string) []string {
	var shown []string
	for _, v := range versions[:min(len(versions), 5)] {
		shown = append(shown, s.secrets.RedactLine(v, versionShown))
	}
	return shown
}

// setVersion sets the revision that requests over HTTP name in a header.
func (s *session) setVersion(version string) {
	if web, ok := s.client.GetTransport().(transport.HTTPConnection); ok {
		web.SetProtocolVersion(version)
	}
}

// described returns the parameters of a request with what a revision without a handshake
// wants to be told in each, and over HTTP the headers that repeat some of it.
func (s *session) described(version, method string, params any) (map[string]json.RawMessage, http.Header, error) {
	fields := map[string]json.RawMessage{}
	if params != nil {
		text, err := json.Marshal(params)
		if err == nil {
			err = json.Unmarshal(text, &fields)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("writing the request: %w", err)
		}
	}
	meta := map[string]any{}
	_ = json.Unmarshal(fields["_meta"], &meta) // there may be none
	meta[mcp.MetaKeyProtocolVersion], meta[mcp.MetaKeyClientInfo], meta[mcp.MetaKeyClientCapabilities] = version, s.self, s.offers
	text, err := json.Marshal(meta)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the request: %w", err)
	}
	fields["_meta"] = text
	if _, web := s.client.GetTransport().(transport.HTTPConnection); !web {
		return fields, nil, nil
	}
	if text, err = json.Marshal(fields); err != nil {
		return nil, nil, fmt.Errorf("writing the request: %w", err)
	}
	header := http.Header{}
	for name, value := range mcp.StandardHeaders(version, mcp.MCPMethod(method), text) {
		header.Set(name, value)
	}
	var call struct {
		Name string `json:"name"`
	}
	if method == string(mcp.MethodToolsCall) && json.Unmarshal(text, &call) == nil {
		if tool, ok := s.mirrored.Load(call.Name); ok {
			for name, value := range mcp.GenerateParamHeaders(tool.(*mcp.Tool), text) {
				header.Set(name, value)
			}
		}
	}
	return fields, header, nil
}

// mirror notes which tools want arguments repeated in headers (x-mcp-header), and leaves
// out those that want it in a way that is not allowed.
func (s *session) mirror(list *Listing) {
	if _, web := s.client.GetTransport().(transport.HTTPConnection); !web || s.stateless == "" {
		return
	}
	list.Tools = slices.DeleteFunc(list.Tools, func(spec tools.Spec) bool {
		tool := &mcp.Tool{Name: spec.Remote, RawInputSchema: spec.Input}
		if err := mcp.ValidateParamHeaderAnnotations(tool); err != nil {
			if len(list.Skipped) < maxSkipped {
				list.Skipped = append(list.Skipped, Skipped{spec.Name, "its x-mcp-header is not allowed: " + s.secrets.RedactLine(err.Error(), MaxQuote)})
			}
			return true
		}
		if strings.Contains(string(spec.Input), "x-mcp-header") {
			s.mirrored.Store(spec.Remote, tool)
		}
		return false
	})
}

// subscription is what a server of the newest era is asked to announce. There is one
// request for all of it, which stays open and is made again when more is wanted.
type subscription struct {
	mu      sync.Mutex
	filter  mcp.SubscriptionFilter
	started bool
	changed chan struct{} // capacity one: the filter has grown
}

// announceable asks for the announcements of lists that a server offers.
func (s *session) announceable() {
	filter := &s.subscription.filter
	filter.ToolsListChanged = s.capabilities.Tools != nil && s.capabilities.Tools.ListChanged
	filter.ResourcesListChanged = s.capabilities.Resources != nil && s.capabilities.Resources.ListChanged
	if !filter.IsEmpty() {
		s.startListening()
	}
}

// follow adds a resource to the subscription.
func (s *session) follow(uri string) {
	sub := &s.subscription
	sub.mu.Lock()
	known := slices.Contains(sub.filter.ResourceSubscriptions, uri)
	if !known {
		sub.filter.ResourceSubscriptions = append(slices.Clone(sub.filter.ResourceSubscriptions), uri)
	}
	sub.mu.Unlock()
	if known {
		return
	}
	s.startListening()
	select {
	case sub.changed <- struct{}{}:
	default:
	}
}

// startListening keeps the subscription open beside everything else, once.
func (s *session) startListening() {
	sub := &s.subscription
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if !sub.started {
		sub.started = s.runBeside(s.listen)
	}
}

// listen keeps the subscription open until the session ends. What is announced reaches
// the session as in the eras before.
func (s *session) listen() {
	sub := &s.subscription
	for pause := listenPause; ; pause = min(2*pause, maxListenPause) {
		ctx, cancel := context.WithCancel(context.Background())
		begin := time.Now()
		var failure error
		ended := make(chan struct{})
		sub.mu.Lock()
		filter := sub.filter
		sub.mu.Unlock()
		go func() {
			defer close(ended)
			_, failure = s.send(ctx, s.stateless, string(mcp.MethodSubscriptionsListen), mcp.SubscriptionsListenParams{Notifications: filter})
		}()
		select {
		case <-s.done:
			cancel()
			<-ended
			return
		case <-sub.changed:
			cancel()
			<-ended
			pause = listenPause / 2
			continue
		case <-ended:
			cancel()
			if refused, ok := errors.AsType[rpcError](failure); ok && refused.code == mcp.METHOD_NOT_FOUND {
				return
			}
			if time.Since(begin) > maxListenPause {
				pause = listenPause
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-s.done:
		case <-sub.changed:
			pause = listenPause / 2
		case <-timer.C:
		}
		timer.Stop()
	}
}
