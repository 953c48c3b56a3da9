package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/mcpint"
)

const (
	// maxPages bounds how many pages of a list are asked for.
	maxPages = 50
	// MaxTools bounds the tools of one server, and also its resources.
	MaxTools = 1000
	// maxList is the size of the tools in bytes after which no further page is
	// asked for.
	maxList = 8 << 20
	// maxURI bounds the address of a resource, in bytes, because many addresses
	// are kept.
	maxURI = 2 << 10
	// lastAnswers is how long the calls under way may wait for their answers after the
	// server has refused another request. Each is refused for itself, and then it is known
	// that it was not carried out.
	lastAnswers = 2 * time.Second
)

// Announcements about calls, and for a log.
const (
	progressed = string(mcp.MethodNotificationProgress)
	messaged   = string(mcp.MethodNotificationMessage)
)

// session is a connection through the client library, over any transport.
type session struct {
	client  *client.Client
	lastID  atomic.Int64
	name    string                 // as the server calls itself
	version string                 // of the server
	self    mcp.Implementation     // how we introduce ourselves
	offers  mcp.ClientCapabilities // what we can do for a server, as each request of the newest era says
	secrets Secrets                // must not appear in any text of the server
	pid     int
	process *serverProcess // nil when the server is not our child process
	quota   *quota         // of what the server sends
	stop    func() error   // ends what is below the client
	leaving sync.Map       // by the id of a request that is not sent yet: its place

	stateless    string // the revision of the newest era that is spoken; "" in the eras before
	capabilities mcp.ServerCapabilities
	mirrored     sync.Map // by the name of a tool whose arguments are repeated in headers: it as *mcp.Tool
	subscription subscription

	id       string // of the server in the configuration
	log      *slog.Logger
	debug    bool // the log shows the level debug
	calls    underWay
	asking   sync.Mutex // held while the person is asked something
	messages loggedMessages

	background sync.WaitGroup // notifications under way; added to under mu only
	mu         sync.Mutex
	endReason  error
	done       chan struct{}
	closed     sync.Once
	closeError error // the error of the first Close
}

var (
	_ Session     = (*session)(nil)
	_ Mortal      = (*session)(nil)
	_ Resourceful = (*session)(nil)
	_ Identified  = (*session)(nil)
	_ Pingable    = (*session)(nil)
)

// newSession wraps a transport that is ready to be started. secrets must not
// appear in any text of the server.
func newSession(t transport.Interface, q *quota, id string, o Options, secrets Secrets, stop func() error) *session {
	offers := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}}}
	s := &session{
		client: client.NewClient(t, client.WithProtocolVersion(handshakeVersion), client.WithClientCapabilities(offers)),
		id:     id, log: o.Log, offers: offers, secrets: secrets, quota: q, stop: stop, done: make(chan struct{}),
		subscription: subscription{changed: make(chan struct{}, 1)},
	}
	s.lastID.Store(ownIDs)
	s.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case progressed:
			s.progress(n)
		case messaged:
			s.messages.take(s, n, time.Now())
		case mcp.MethodNotificationToolsListChanged:
			o.Notify(Notice{Kind: ToolsChanged})
		case mcp.MethodNotificationResourcesListChanged:
			o.Notify(Notice{Kind: ResourcesChanged})
		case mcp.MethodNotificationResourceUpdated:
			if uri, ok := n.Params.AdditionalFields["uri"].(string); ok && len(uri) <= maxURI {
				o.Notify(Notice{Kind: ResourceUpdated, URI: uri})
			}
		}
	})
	return s
}

// open starts the transport, which then lives until Close, and begins the connection
// within the context, in the era that the server or its setting of the protocol wants.
func (s *session) open(ctx context.Context, o Options, server mcpint.Server) error {
	s.debug = o.Log.Enabled(ctx, slog.LevelDebug)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, cancel)
	err := s.client.Start(life)
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	s.self = mcp.Implementation{Name: o.Name, Version: o.Version}
	if t, ok := s.client.GetTransport().(transport.BidirectionalInterface); ok {
		t.SetRequestHandler(s.answerServer) // the library's own answers have the wrong codes
	}
	begun, err := s.begin(ctx, server)
	if err != nil {
		return err
	}
	s.name = s.secrets.RedactLine(begun.name, versionShown)
	s.version = s.secrets.RedactLine(begun.version, versionShown)
	s.stateless, s.capabilities = begun.stateless, begun.capabilities
	if s.stateless != "" {
		s.announceable()
	}
	return nil
}

func (s *session) ServerName() string    { return s.name }
func (s *session) ServerVersion() string { return s.version }
func (s *session) PID() int              { return s.pid }
func (s *session) Done() <-chan struct{} { return s.done }

func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endReason
}

// end marks the connection as lost; the first reason stays.
func (s *session) end(reason error) {
	reason = s.secrets.RedactError(reason)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endReason == nil {
		s.endReason = reason
		close(s.done)
	}
}

var errClosed = errors.New("the connection was closed")

func (s *session) Close() error {
	s.closed.Do(func() {
		s.end(errClosed)
		if _, refused := errors.AsType[*HTTPError](s.Err()); refused {
			s.calls.wait(lastAnswers)
		}
		// The library only closes the pipes; stop ends the process.
		_ = s.client.Close()
		s.closeError = s.stop()
		s.background.Wait()
	})
	return s.closeError
}

// ListTools decodes tool by tool: with the library's own method one bad schema
// hides every tool of the server.
func (s *session) ListTools(ctx context.Context) (Listing, error) {
	list, err := s.listTools(ctx)
	s.mirror(&list)
	return list, err
}

func (s *session) listTools(ctx context.Context) (Listing, error) {
	var list Listing
	cursor, size := "", 0
	for range maxPages {
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := s.list(ctx, string(mcp.MethodToolsList), cursor, &page); err != nil {
			return Listing{}, fmt.Errorf("listing tools: %w", err)
		}
		for _, raw := range page.Tools {
			size += len(raw)
			list.add(s.secrets, raw)
		}
		switch {
		case page.NextCursor == "":
			return list, nil
		case page.NextCursor == cursor:
			list.cut("the server repeats a page of its list")
			return list, nil
		case len(list.Tools) >= MaxTools:
			list.cut(fmt.Sprintf("the list goes on after %d tools, and no more are read", MaxTools))
			return list, nil
		case size >= maxList:
			list.cut(fmt.Sprintf("the list goes on after %d MB, and no more is read", maxList>>20))
			return list, nil
		}
		cursor = page.NextCursor
	}
	list.cut(fmt.Sprintf("the list goes on after %d pages, and no more are read", maxPages))
	return list, nil
}

func (s *session) ListResources(ctx context.Context) ([]string, error) {
	if s.capabilities.Resources == nil {
		return nil, nil
	}
	var uris []string
	cursor := ""
	for range maxPages {
		var page struct {
			Resources []struct {
				URI string `json:"uri"`
			} `json:"resources"`
			NextCursor string `json:"nextCursor"`
		}
		if err := s.list(ctx, string(mcp.MethodResourcesList), cursor, &page); err != nil {
			return nil, fmt.Errorf("listing resources: %w", err)
		}
		for _, r := range page.Resources {
			if len(r.URI) <= maxURI && len(uris) < MaxTools {
				uris = append(uris, r.URI)
			}
		}
		if page.NextCursor == "" || page.NextCursor == cursor || len(uris) >= MaxTools {
			break
		}
		cursor = page.NextCursor
	}
	return uris, nil
}

func (s *session) ReadResource(ctx context.Context, uri string) ([]byte, error) {
	raw, err := s.request(ctx, string(mcp.MethodResourcesRead), mcp.ReadResourceParams{URI: uri})
	var answer *mcp.ReadResourceResult
	if err == nil {
		answer, err = mcp.ParseReadResourceResult(&raw)
	}
	if err != nil {
		return nil, s.secrets.RedactError(fmt.Errorf("reading %s: %w", uri, Explain(s.cause(withoutWrapping(err)))))
	}
	var body []byte
	for _, part := range answer.Contents {
		if text, ok := part.(mcp.TextResourceContents); ok {
			body = append(body, text.Text...)
		}
	}
	// A house may call its things as it likes; then the names are no secrets.
	return s.secrets.Certain().HideJSON(body), nil
}

func (s *session) Subscribe(ctx context.Context, uri string) error {
	if offers := s.capabilities.Resources; offers == nil || !offers.Subscribe {
		return nil
	}
	if s.stateless != "" {
		s.follow(uri)
		return nil
	}
	if _, err := s.request(ctx, string(mcp.MethodResourcesSubscribe), map[string]string{"uri": uri}); err != nil {
		return s.secrets.RedactError(fmt.Errorf("subscribing to %s: %w", uri, Explain(s.cause(withoutWrapping(err)))))
	}
	return nil
}
