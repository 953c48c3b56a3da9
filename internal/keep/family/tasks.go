package family

import (
	"log/slog"
	"slices"
	"sync"

	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
)

// mostTasks is how many stopped tasks are kept; a person would not resume more.
const mostTasks = 20

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

// Tasks are turns that were stopped in the middle because their server was lost, until
// the user says "resume" (REQUIREMENTS M15). A restart loses no task, and the user is
// asked only once about each. A task that cannot be written is kept until the program
// ends. Tasks are safe for concurrent use.
type Tasks struct {
	returns   Returns
	connected func(server string) bool
	list      *keep.List[record.Task]

	mu      sync.Mutex
	offered map[string]bool
}

// NewTasks makes the stopped tasks of a state directory, which is opened when it is first
// needed. If a task is stopped while its server is connected again already, returns is
// told, because the host will not.
func NewTasks(dir string, returns Returns, connected func(server string) bool, log *slog.Logger) *Tasks {
	return &Tasks{returns: returns, connected: connected, offered: map[string]bool{}, list: keep.NewList(keep.ListConfig[record.Task]{
		Dir: dir, Name: "tasks", What: "stopped tasks", Most: mostTasks, Rolling: true, Lenient: true, ID: func(t record.Task) string { return t.ID }, Log: log,
	})}
}

// Keep saves a task and replaces an older one with the same id.
func (k *Tasks) Keep(task record.Task) error {
	if err := k.list.Put(task); err != nil {
		return err
	}
	if k.connected(task.Server) {
		k.returns.Tell(task.Server) // it was connected again while the choice was made
	}
	return nil
}

// Take removes and returns a task, the newest one for the id "".
func (k *Tasks) Take(id string) (task record.Task, ok bool) {
	err := k.list.Change(func(list []record.Task) ([]record.Task, error) {
		i := slices.IndexFunc(list, func(t record.Task) bool { return id == "" || t.ID == id })
		if i < 0 {
			return nil, keep.ErrUnknown
		}
		task = list[i]
		return slices.Delete(list, i, i+1), nil
	})
	return task, err == nil
}

// Open lists the stopped tasks, the newest first.
func (k *Tasks) Open() []record.Task { return k.list.All() }

// Offer returns the newest task that waits for a server and was not offered yet.
// All tasks of that server count as offered then, so that a person is asked only
// once.
func (k *Tasks) Offer(server string) (newest record.Task, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.list.All() {
		if t.Server != server || k.offered[t.ID] {
			continue
		}
		k.offered[t.ID] = true
		if !ok {
			newest, ok = t, true
		}
	}
	return newest, ok
}
