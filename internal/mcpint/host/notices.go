package host

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/mcpint/client"
)

const (
	// noticePause is the pause in which several announcements become one reaction
	// (M11).
	noticePause = 200 * time.Millisecond
	// rereadAfter is the wait before a resource that could not be read is tried
	// again.
	rereadAfter = 3 * time.Second
	// maxNotices bounds what a server can pile up between two reactions.
	maxNotices = 256
)

// inbox collects announcements; equal ones are kept once. Putting one in never
// blocks, because it happens on the connection's read loop.
type inbox struct {
	mu      sync.Mutex
	notices map[client.Notice]struct{}
	filled  chan struct{}
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

// urgent reports whether nothing but changes of resources was announced: something has
// happened in the house, and a person may be waiting for what follows from it.
func (b *inbox) urgent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := range b.notices {
		if n.Kind != client.ResourceUpdated {
			return false
		}
	}
	return true
}

func (b *inbox) drain() map[client.Notice]struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.notices
	b.notices = map[client.Notice]struct{}{}
	return taken
}

// follower reacts to what a connected server announces.
type follower struct {
	sup     *supervisor
	conn    *connection
	pending map[string]string // URIs to read, and why they could not be; "" when not tried yet
	reacted time.Time         // when it last took what was announced
}

// follow reacts to the announcements of a connection, and hands over its watched
// resources at the start. It ends with ctx.
func (s *supervisor) follow(ctx context.Context, conn *connection) {
	f := &follower{sup: s, conn: conn, pending: map[string]string{}}
	f.tellChanged(conn.untold)
	f.findResources(ctx)
	for {
		f.readResources(ctx)
		var again <-chan time.Time
		if len(f.pending) > 0 {
			again = time.After(rereadAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
			continue
		case <-conn.inbox.filled:
		}
		if !f.gather(ctx) {
			return
		}
		f.handleNotices(ctx)
	}
}

// gather waits for announcements that belong together; a resource that changes after a
// quiet time is read at once. false means that ctx ended first.
func (f *follower) gather(ctx context.Context) bool {
	pause := noticePause
	if f.conn.inbox.urgent() {
		pause = time.Until(f.reacted.Add(noticePause))
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		f.reacted = time.Now()
		return true
	}
}

// handleNotices takes what was announced: it lists again, and notes what is to be
// read.
func (f *follower) handleNotices(ctx context.Context) {
	for n := range f.conn.inbox.drain() {
		switch n.Kind {
		case client.ToolsChanged:
			f.relist(ctx)
		case client.ResourcesChanged:
			f.findResources(ctx)
		case client.ResourceUpdated:
			if f.sup.srv.House && len(f.sup.host.watchersOf(n.URI)) > 0 {
				f.pending[n.URI] = ""
			}
		}
	}
}

// relist takes over a changed list of tools. When the new list cannot be fetched,
// the old one stays.
func (f *follower) relist(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, f.sup.srv.ConnectTimeout)
	defer cancel()
	list, err := f.conn.session.ListTools(ctx)
	if err != nil {
		f.sup.log.Warn("the changed tools could not be listed", "err", err)
		return
	}
	count, untold := f.sup.offer.adopt(list)
	f.tellChanged(untold)
	f.sup.log.Info("MCP tools changed", "tools", count)
}

// tellChanged tells the observer which tools are not what they were when they were
// accepted.
func (f *follower) tellChanged(untold []string) {
	if tell := f.sup.host.cfg.Observer.ToolsChanged; tell != nil && len(untold) > 0 {
		tell(f.sup.srv.ID, untold)
	}
}

// findResources subscribes to the watched resources and notes them for reading;
// in this order, so that no change between the two is missed.
func (f *follower) findResources(ctx context.Context) {
	session, ok := f.conn.session.(client.Resourceful)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, f.sup.srv.ConnectTimeout)
	defer cancel()
	uris, err := session.ListResources(ctx)
	if err != nil {
		f.sup.log.Warn("the resources could not be listed", "err", err)
		return
	}
	for _, uri := range uris {
		if len(f.sup.host.watchersOf(uri)) == 0 {
			continue
		}
		if !f.sup.srv.House {
			f.sup.log.Warn("the server offers a house and may not tell of one", "resource", nameText(f.sup.srv, uri), "allow", "mcp.servers."+f.sup.srv.ID+".house: true")
			continue
		}
		if err := session.Subscribe(ctx, uri); err != nil {
			f.sup.log.Warn("a resource could not be subscribed to", "err", err)
		}
		f.pending[uri] = ""
	}
}

// readResources reads what is pending and hands it over; what cannot be read stays.
func (f *follower) readResources(ctx context.Context) {
	session, ok := f.conn.session.(client.Resourceful)
	if !ok {
		return
	}
	for uri, told := range f.pending {
		if ctx.Err() != nil {
			return
		}
		read, cancel := context.WithTimeout(ctx, f.sup.srv.CallTimeout)
		body, err := session.ReadResource(read, uri)
		cancel()
		if err != nil {
			if ctx.Err() == nil {
				f.sup.log.Log(ctx, readErrorLevel(told, err), "a resource could not be read and will be again", "err", err)
				f.pending[uri] = err.Error()
			}
			continue
		}
		delete(f.pending, uri)
		for _, fn := range f.sup.host.watchersOf(uri) {
			fn(f.sup.srv.ID, body)
		}
	}
}

// readErrorLevel returns the level at which a read error is logged: one that says
// the same as the last is logged at debug level.
func readErrorLevel(told string, err error) slog.Level {
	if told == err.Error() {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
