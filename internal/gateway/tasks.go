package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/record"
	"voicegateway/internal/store"
)

// maxTasks is how many stopped tasks are kept: more are not resumed by anybody.
const maxTasks = 20

// taskFile is their name in the state directory.
const taskFile = "tasks"

// tasks keeps stopped tasks in the state directory; where that cannot be used, in
// memory until the end. It is safe for concurrent use.
type tasks struct {
	dir       string
	log       *slog.Logger
	connected func(server string) bool // nil: it is not known

	mu      sync.Mutex
	loaded  bool
	disk    *store.Store  // nil: in memory only
	open    []record.Task // the newest first
	offered map[string]bool
	news    chan string // servers that are back
}

func newTasks(dir string, connected func(server string) bool, log *slog.Logger) *tasks {
	return &tasks{dir: dir, connected: connected, log: log, offered: map[string]bool{}, news: make(chan string, 8)}
}

// back says that a server is connected. It does not block: with so much news
// nobody would listen to an offer.
func (t *tasks) back(server string) {
	select {
	case t.news <- server:
	default:
	}
}

// offer asks, whenever a server is back for which tasks wait, whether to resume
// them, until ctx ends.
func (g *Gateway) offer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case server := <-g.mind.tasks.news:
			text := g.mind.answerer.Offer(server)
			if text == "" {
				continue
			}
			g.log.Info("a stopped task can be resumed", "part", "tasks", "server", server)
			g.observer.Replied("", text)
			if g.ear.loop == nil {
				continue
			}
			if err := g.ear.loop.Say(ctx, text); err != nil && ctx.Err() == nil {
				g.log.Warn("the offer was not spoken", "part", "tasks", "err", err)
			}
		}
	}
}

// load reads what an earlier run kept. The caller holds mu.
func (t *tasks) load() {
	if t.loaded {
		return
	}
	t.loaded = true
	if t.dir == "" {
		return
	}
	disk, err := store.Open(t.dir)
	if err != nil {
		t.log.Warn("stopped tasks are kept until the end only", "err", err)
		return
	}
	t.disk = disk
	if err := disk.Load(taskFile, &t.open); err != nil {
		t.log.Warn("stopped tasks of an earlier run are lost", "err", err)
		t.open = nil
	}
}

// Keep saves a task in the place of the one with the same id. What cannot be
// written is kept until the end, with a warning.
func (t *tasks) Keep(task record.Task) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	t.open = slices.DeleteFunc(t.open, func(o record.Task) bool { return o.ID == task.ID })
	t.open = slices.Insert(t.open, 0, task)
	t.open = t.open[:min(len(t.open), maxTasks)]
	t.save()
	if t.connected != nil && t.connected(task.Server) {
		t.back(task.Server) // it came back while the choice was made
	}
	return nil
}

// Take hands a task over and forgets it, the newest for "".
func (t *tasks) Take(id string) (record.Task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	i := slices.IndexFunc(t.open, func(o record.Task) bool { return id == "" || o.ID == id })
	if i < 0 {
		return record.Task{}, false
	}
	task := t.open[i]
	t.open = slices.Delete(t.open, i, i+1)
	t.save()
	return task, true
}

func (t *tasks) save() {
	if t.disk == nil {
		return
	}
	if err := t.disk.Save(taskFile, t.open); err != nil {
		t.log.Warn("stopped tasks could not be written and are kept until the end only", "err", err)
	}
}

// Open lists the stopped tasks, the newest first.
func (t *tasks) Open() []record.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return append([]record.Task{}, t.open...)
}

// Offer is the newest task that waits for a server and was not offered yet. All
// of that server's count as offered then: nobody is asked twice.
func (t *tasks) Offer(server string) (record.Task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	var newest record.Task
	found := false
	for _, o := range t.open {
		if o.Server != server || t.offered[o.ID] {
			continue
		}
		t.offered[o.ID] = true
		if !found {
			newest, found = o, true
		}
	}
	return newest, found
}

// servers is the MCP host as a turn sees it.
type servers struct{ host *host.Host }

// reconnectLook is how often a turn that waits for a connection looks for it.
const reconnectLook = 20 * time.Millisecond

// Trouble tells how a server is.
func (s servers) Trouble(server string) dialogue.Trouble {
	st, err := s.status(server)
	if err != nil {
		return dialogue.Trouble{Health: string(mcpint.Dead), Reason: err.Error()}
	}
	t := dialogue.Trouble{Health: string(st.Health), Failures: st.ConsecutiveFailures, Attempts: st.RetryCount + 1}
	if st.ErrorMessage != nil {
		t.Reason = *st.ErrorMessage
	}
	return t
}

// Reconnect returns when there is a connection that answers: a new one, or the
// one the host has made meanwhile. A server that only hangs is ended first.
func (s servers) Reconnect(ctx context.Context, server string) error {
	retry := s.host.Retry
	if s.connected(server) && !s.answers(ctx, server) {
		retry = s.host.Reconnect
	}
	if err := retry(ctx, server); err != nil {
		return fmt.Errorf("reconnecting: %w", err)
	}
	look := time.NewTicker(reconnectLook)
	defer look.Stop()
	for {
		st, err := s.status(server)
		switch {
		case err != nil:
			return err
		case st.Status == mcpint.Connected:
			return nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("reconnecting %q: it is %s: %w", server, st.Status, ctx.Err())
		}
	}
}

// connected says whether there is a connection to a server.
func (s servers) connected(server string) bool {
	st, err := s.status(server)
	return err == nil && st.Status == mcpint.Connected
}

// answers asks a server for a sign of life. The limit is short: a connection made
// anew costs less than the wait for one that hangs.
func (s servers) answers(ctx context.Context, server string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	st, err := s.host.CheckHealth(ctx, server)
	return err == nil && st.Status == mcpint.Connected && st.Health != mcpint.Unresponsive
}

func (s servers) status(server string) (mcpint.Status, error) {
	for _, st := range s.host.Status() {
		if st.ID == server {
			return st, nil
		}
	}
	return mcpint.Status{}, fmt.Errorf("there is no MCP server %q", server)
}
