package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// ErrUnknown means that no entry of a list has the id.
var ErrUnknown = errors.New("no entry has this id")

// ListConfig says what a list holds and what bounds it.
type ListConfig[T any] struct {
	Dir  string // the state directory; "": the list lasts until the program ends
	Name string // of the list in the directory, as for Save
	What string // the entries, in the plural, for the log and for errors
	Most int    // entries
	// Rolling drops the oldest entries where a new one finds no room: there are Most, or the
	// file is full. A list that is not rolling refuses the new one.
	Rolling bool
	// Lenient keeps a change that cannot be written until the program ends, and logs that.
	// Otherwise such a change is an error, and the list stays as it was.
	Lenient bool
	ID      func(T) string   // of an entry; the list never has two entries of one id
	Check   func(T) error    // an entry of a file that fails is left out; nil: all are taken
	Changed func(newest []T) // called in order with the whole list, whenever it may have changed; may be nil
	Log     *slog.Logger
}

// List is a bounded list of entries of one kind, the newest first. It is one value of a
// Store, which is opened when the list is first needed. A damaged file is set aside, and
// the list is then empty; that is logged. A List is safe for concurrent use.
type List[T any] struct {
	cfg ListConfig[T]

	telling sync.Mutex // held while Changed runs, so that the last list that it gets is the present one

	mu      sync.Mutex
	loaded  bool
	disk    *Store // nil: in memory only
	entries []T
}

// NewList makes a list that has read nothing yet.
func NewList[T any](cfg ListConfig[T]) *List[T] { return &List[T]{cfg: cfg} }

// load reads what an earlier run kept. The caller holds mu.
func (l *List[T]) load() {
	if l.loaded {
		return
	}
	l.loaded = true
	l.disk, l.entries = Recall[[]T](l.cfg.Dir, l.cfg.Name, l.cfg.What, l.cfg.Log)
	l.entries = slices.DeleteFunc(l.entries, func(e T) bool {
		return l.cfg.ID(e) == "" || l.cfg.Check != nil && l.cfg.Check(e) != nil
	})
	l.entries = l.entries[:min(len(l.entries), l.cfg.Most)]
}

// Open reads the list, if that has not been done, and passes it to Changed.
func (l *List[T]) Open() { l.tell() }

// Disk is where the list is kept, for files that belong to its entries; nil if the list
// is in memory only.
func (l *List[T]) Disk() *Store {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	return l.disk
}

// All returns the entries, the newest first.
func (l *List[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	return append([]T{}, l.entries...)
}

// Find returns the newest entry that fits.
func (l *List[T]) Find(fits func(T) bool) (entry T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	if i := slices.IndexFunc(l.entries, fits); i >= 0 {
		return l.entries[i], true
	}
	return entry, false
}

// Get returns the entry of an id.
func (l *List[T]) Get(id string) (entry T, ok bool) {
	return l.Find(func(e T) bool { return l.cfg.ID(e) == id })
}

// Put makes an entry the newest one, in place of an older one with its id.
func (l *List[T]) Put(entry T) error {
	id := l.cfg.ID(entry)
	return l.Change(func(list []T) ([]T, error) {
		list = slices.DeleteFunc(list, func(e T) bool { return l.cfg.ID(e) == id })
		return slices.Insert(list, 0, entry), nil
	})
}

// Remove takes an entry out. If no entry has the id, it returns ErrUnknown.
func (l *List[T]) Remove(id string) error {
	return l.Change(func(list []T) ([]T, error) {
		left := slices.DeleteFunc(list, func(e T) bool { return l.cfg.ID(e) == id })
		if len(left) == len(list) {
			return nil, ErrUnknown
		}
		return left, nil
	})
}

// Change replaces the list by what edit makes of a copy of it, on the disk first. If edit
// fails, the list stays as it was. edit must not use the list itself.
func (l *List[T]) Change(edit func(list []T) ([]T, error)) error {
	err := l.replace(edit)
	if err == nil {
		l.tell()
	}
	return err
}

func (l *List[T]) replace(edit func(list []T) ([]T, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	list, err := edit(slices.Clone(l.entries))
	if err != nil {
		return err
	}
	if list, err = l.trim(list); err != nil {
		return err
	}
	if l.disk != nil {
		err = l.disk.Save(l.cfg.Name, list)
	}
	if err != nil && l.cfg.Lenient {
		l.cfg.Log.Warn("this is kept until the program ends only", "what", l.cfg.What, "err", err)
		err = nil
	}
	if err == nil {
		l.entries = list
	}
	return err
}

// trim lets go of what is over the bounds, or refuses the list.
func (l *List[T]) trim(list []T) ([]T, error) {
	if !l.cfg.Rolling {
		if len(list) > l.cfg.Most {
			return nil, fmt.Errorf("there are %d %s already, and no more are kept; delete one", l.cfg.Most, l.cfg.What)
		}
		return list, nil // Save refuses what is too large for a file
	}
	list = list[:min(len(list), l.cfg.Most)]
	if l.disk == nil {
		return list, nil
	}
	size := len("[]")
	for i, e := range list {
		data, err := json.Marshal(e)
		if err != nil {
			return list, nil //nolint:nilerr // Save says what is wrong with it
		}
		if size += len(data) + len(","); size > maxSize && i > 0 {
			return list[:i], nil
		}
	}
	return list, nil
}

// tell passes the list on.
func (l *List[T]) tell() {
	if l.cfg.Changed == nil {
		return
	}
	l.telling.Lock()
	defer l.telling.Unlock()
	l.cfg.Changed(l.All())
}
