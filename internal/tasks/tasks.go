// Package tasks keeps what was stopped in the middle because its server was lost,
// until somebody says "resume" (REQUIREMENTS M15). It exists so that a restart
// loses none of it, and nobody is asked twice about the same task. What more is to
// be remembered of a task is a field of record.Task; it is written by itself.
package tasks

import (
	"log/slog"
	"slices"
	"sync"

	"voicegateway/internal/record"
	"voicegateway/internal/store"
)

// maxTasks is how many stopped tasks are kept: more are not resumed by anybody.
const maxTasks = 20

// taskFile is their name in the state directory.
const taskFile = "tasks"

// Returns are the servers that are connected, as they come: some task may wait for
// one of them.
type Returns chan string

// NewReturns is without news.
func NewReturns() Returns { return make(Returns, 8) }

// Tell says that a server is connected. It does not block: with so much news
// nobody would listen to an offer.
func (r Returns) Tell(server string) {
	select {
	case r <- server:
	default:
	}
}

// Stopped keeps stopped tasks in the state directory; where that cannot be used, in
// memory until the end. It is safe for concurrent use.
type Stopped struct {
	dir       string
	log       *slog.Logger
	returns   Returns
	connected func(server string) bool

	mu      sync.Mutex
	loaded  bool
	disk    *store.Store  // nil: in memory only
	open    []record.Task // the newest first
	offered map[string]bool
}

// New makes the keeper of a state directory, which is not opened before it is
// needed. A task that is stopped while its server is connected again already is
// told to returns: no other news of that server would come.
func New(dir string, returns Returns, connected func(server string) bool, log *slog.Logger) *Stopped {
	return &Stopped{dir: dir, returns: returns, connected: connected, log: log, offered: map[string]bool{}}
}

// load reads what an earlier run kept. The caller holds mu.
func (t *Stopped) load() {
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
func (t *Stopped) Keep(task record.Task) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	t.open = slices.DeleteFunc(t.open, func(o record.Task) bool { return o.ID == task.ID })
	t.open = slices.Insert(t.open, 0, task)
	t.open = t.open[:min(len(t.open), maxTasks)]
	t.save()
	if t.connected(task.Server) {
		t.returns.Tell(task.Server) // it came back while the choice was made
	}
	return nil
}

// Take hands a task over and forgets it, the newest for "".
func (t *Stopped) Take(id string) (record.Task, bool) {
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

func (t *Stopped) save() {
	if t.disk == nil {
		return
	}
	if err := t.disk.Save(taskFile, t.open); err != nil {
		t.log.Warn("stopped tasks could not be written and are kept until the end only", "err", err)
	}
}

// Open lists the stopped tasks, the newest first.
func (t *Stopped) Open() []record.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return append([]record.Task{}, t.open...)
}

// Offer is the newest task that waits for a server and was not offered yet. All
// of that server's count as offered then: nobody is asked twice.
func (t *Stopped) Offer(server string) (record.Task, bool) {
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
