package hass

import (
	"context"
	"errors"
	"sync"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
)

// link knows how the connection stands, and the house as it was last known. Its methods may
// be called from several goroutines.
type link struct {
	loaded chan struct{} // closed when the house is known

	mu      sync.Mutex
	conn    *socket.Conn // nil while there is none that works
	starts  bool         // Home Assistant has not finished starting
	version string
	err     error // why there is no connection
	house   *model
	moved   chan struct{} // closed when any of this changes
}

func newLink() *link {
	none := &model{byID: map[string]*entity{}, admin: true, empty: true}
	none.names = form.NewNames(none.entities, func(*entity) form.Named { return form.Named{} })
	none.home = home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	return &link{loaded: make(chan struct{}), moved: make(chan struct{}), house: none, err: errors.New("not connected yet")}
}

// change changes something and wakes who waits for it.
func (l *link) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	close(l.moved)
	l.moved = make(chan struct{})
}

// up makes a connection the one that commands use.
func (l *link) up(c *socket.Conn) {
	l.change(func() { l.conn, l.version, l.err = c, c.Version, nil })
}

// down says that there is no connection any more, and why.
func (l *link) down(err error) {
	l.change(func() { l.conn, l.err = nil, err })
}

// starting says whether Home Assistant has not finished starting.
func (l *link) starting(yes bool) {
	l.change(func() { l.starts = yes })
}

// adopt makes a model the present one.
func (l *link) adopt(m *model) {
	l.change(func() {
		l.house = m
		select {
		case <-l.loaded:
		default:
			close(l.loaded)
		}
	})
}

// model returns the house as it was last known.
func (l *link) model() *model {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.house
}

// standing is how the link stands at one moment.
type standing struct {
	conn    *socket.Conn // nil: not connected
	starts  bool
	version string
	err     error
	house   *model
	moved   <-chan struct{} // closed when this is no longer so
}

func (l *link) now() standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return standing{l.conn, l.starts, l.version, l.err, l.house, l.moved}
}

// await waits until the link stands as fits wants it, or ctx has ended; ok is false then.
// A refused token is not waited for.
func (l *link) await(ctx context.Context, fits func(standing) bool) (s standing, ok bool) {
	for {
		s = l.now()
		if fits(s) {
			return s, true
		}
		if s.conn == nil && (errors.Is(s.err, socket.ErrToken) || errors.Is(s.err, socket.ErrBanned)) {
			return s, false
		}
		select {
		case <-s.moved:
		case <-ctx.Done():
			return s, false
		}
	}
}

// connected reports whether there is a connection.
func (s standing) connected() bool { return s.conn != nil }
