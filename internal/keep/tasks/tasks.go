// Package tasks keeps turns that were stopped in the middle because their server was
// lost, until the user says "resume" (REQUIREMENTS M15). It exists so that a restart
// loses no task, and the user is asked only once about each. To remember more of a task,
// add a field to record.Task; it is stored without further work.
package tasks

import (
	"log/slog"
	"slices"
	"sync"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/store"
)

// maxTasks is how many stopped tasks are kept; a person would not resume more.
const maxTasks = 20

// taskFile is the name of the tasks in the state directory.
const taskFile = "tasks"

// Returns carries the ids of servers that have just been connected: a task may wait
// for one of them.
type Returns chan string

// NewReturns makes an empty Returns.
func NewReturns() Returns { return make(Returns, 8) }

// Tell says that a server is connected. It does not block: if the channel is full,
// the server is dropped, because no person would listen to so many offers.
func (r Returns) Tell(server string) {
	select {
	case r <- server:
	default:
	}
}

// Stopped keeps stopped tasks in the state directory; if that cannot be used, in
// memory until the program ends. It is safe for concurrent use.
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

// New makes the keeper of a state directory, which is opened when it is first
// needed. If a task is stopped while its server is connected again already, the
// keeper tells returns, because the host will not.
func New(dir string, returns Returns, connected func(server string) bool, log *slog.Logger) *Stopped {
	return &Stopped{dir: dir, returns: returns, connected: connected, log: log, offered: map[string]bool{}}
}

// load reads what an earlier run kept. The caller holds mu.
func (t *Stopped) load() {
	if t.loaded {
		return
	}
	t.loaded = true
	t.disk, t.open = store.Recall[[]record.Task](t.dir, taskFile, "stopped tasks", t.log)
}

// Keep saves a task and replaces an older one with the same id. If it cannot be
// written, it is kept in memory and a warning is logged.
func (t *Stopped) Keep(task record.Task) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	t.open = slices.DeleteFunc(t.open, func(o record.Task) bool { return o.ID == task.ID })
	t.open = slices.Insert(t.open, 0, task)
	t.open = t.open[:min(len(t.open), maxTasks)]
	t.save()
	if t.connected(task.Server) {
		t.returns.Tell(task.Server) // it was connected again while the choice was made
	}
	return nil
}

// Take removes and returns a task, the newest one for the id "".
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

// Offer returns the newest task that waits for a server and was not offered yet.
// All tasks of that server count as offered then, so that a person is asked only
// once.
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
