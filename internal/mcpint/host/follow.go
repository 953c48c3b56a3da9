package host

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/mcpint/client"
)

const (
	// settle is the pause in which several announcements become one reaction (M11).
	settle = 200 * time.Millisecond
	// reread is after how long a resource that could not be read is tried again.
	reread = 3 * time.Second
	// maxNotices bounds what a server can pile up between two reactions.
	maxNotices = 256
)

// inbox collects announcements, equal ones once. Putting never blocks: it happens
// on the connection's read loop.
type inbox struct {
	mu      sync.Mutex
	notices map[client.Notice]struct{}
	filled  chan struct{}
}

func newInbox() *inbox {
	return &inbox{notices: map[client.Notice]struct{}{}, filled: make(chan struct{}, 1)}
}

func (b *inbox) put(n client.Notice) {
	b.mu.Lock()
	if len(b.notices) < maxNotices {
		b.notices[n] = struct{}{}
	}
	b.mu.Unlock()
	select {
	case b.filled <- struct{}{}:
	default:
	}
}

func (b *inbox) take() map[client.Notice]struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.notices
	b.notices = map[client.Notice]struct{}{}
	return taken
}

// follow reacts to what a connected server announces, and hands over its watched
// resources at the start. It ends with ctx.
func (s *supervisor) follow(ctx context.Context, conn *connection) {
	s.checkPins(conn.specs)
	pending := map[string]string{} // URIs to read, and why they could not be; "" when not tried yet
	s.findResources(ctx, conn, pending)
	for {
		s.readResources(ctx, conn, pending)
		var again <-chan time.Time
		if len(pending) > 0 {
			again = time.After(reread)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
			continue
		case <-conn.inbox.filled:
		}
		pause := time.NewTimer(settle)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		s.react(ctx, conn, pending)
	}
}

// react takes what was announced: lists again, and notes what is to be read.
func (s *supervisor) react(ctx context.Context, conn *connection, pending map[string]string) {
	for n := range conn.inbox.take() {
		switch n.Kind {
		case client.ToolsChanged:
			s.relist(ctx, conn)
		case client.ResourcesChanged:
			s.findResources(ctx, conn, pending)
		case client.ResourceUpdated:
			if len(s.host.watchersOf(n.URI)) > 0 {
				pending[n.URI] = ""
			}
		}
	}
}

// relist takes over a changed list of tools. When it cannot be had, the former
// one stays.
func (s *supervisor) relist(ctx context.Context, conn *connection) {
	ctx, cancel := context.WithTimeout(ctx, s.srv.ConnectTimeout)
	defer cancel()
	specs, err := conn.session.ListTools(ctx)
	if err != nil {
		s.log.Warn("the changed tools could not be listed", "err", err)
		return
	}
	count := s.offer(specs)
	s.view.mu.Lock()
	s.view.status.Tools = &count
	s.view.mu.Unlock()
	s.checkPins(specs)
	s.log.Info("MCP tools changed", "tools", count)
}

// findResources subscribes to the watched resources and notes them for reading;
// in this order, so that no change falls between.
func (s *supervisor) findResources(ctx context.Context, conn *connection, pending map[string]string) {
	session, ok := conn.session.(client.Resourceful)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.srv.ConnectTimeout)
	defer cancel()
	uris, err := session.ListResources(ctx)
	if err != nil {
		s.log.Warn("the resources could not be listed", "err", err)
		return
	}
	for _, uri := range uris {
		if len(s.host.watchersOf(uri)) == 0 {
			continue
		}
		if err := session.Subscribe(ctx, uri); err != nil {
			s.log.Warn("a resource could not be subscribed to", "err", err)
		}
		pending[uri] = ""
	}
}

// news is the level of an error: the same again is none.
func news(told string, err error) slog.Level {
	if told == err.Error() {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// readResources reads what is pending and hands it over; what cannot be read stays.
func (s *supervisor) readResources(ctx context.Context, conn *connection, pending map[string]string) {
	session, ok := conn.session.(client.Resourceful)
	if !ok {
		return
	}
	for uri := range pending {
		if ctx.Err() != nil {
			return
		}
		read, cancel := context.WithTimeout(ctx, s.srv.CallTimeout)
		body, err := session.ReadResource(read, uri)
		cancel()
		if err != nil {
			if ctx.Err() == nil {
				s.log.Log(ctx, news(pending[uri], err), "a resource could not be read and will be again", "err", err)
				pending[uri] = err.Error()
			}
			continue
		}
		delete(pending, uri)
		for _, fn := range s.host.watchersOf(uri) {
			fn(s.srv.ID, body)
		}
	}
}
