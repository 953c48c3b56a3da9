package family

import (
	"fmt"
	"log/slog"
	"sync"

	"voicegateway/internal/keep"
)

// Bounds of an arrangement, and of each name and id in it, in bytes.
const (
	mostRooms   = 200
	mostHidden  = 1000
	longestName = 200
)

// Arrangement is how the family wants to see its house.
type Arrangement struct {
	Rooms  []string `json:"rooms"`  // in their order; the others follow by their names
	Hidden []string `json:"hidden"` // the ids of things that are not looked at
}

// Check says what is wrong with an arrangement: it is over a bound.
func (a Arrangement) Check() error {
	for what, list := range map[string]struct {
		names []string
		most  int
	}{"rooms": {a.Rooms, mostRooms}, "hidden": {a.Hidden, mostHidden}} {
		if len(list.names) > list.most {
			return fmt.Errorf("%q has %d entries; at most %d are kept", what, len(list.names), list.most)
		}
		for _, name := range list.names {
			if name == "" || len(name) > longestName {
				return fmt.Errorf("an entry of %q has %d bytes; expected 1 to %d", what, len(name), longestName)
			}
		}
	}
	return nil
}

// Arranger keeps the arrangement. It is safe for concurrent use.
type Arranger struct {
	dir string
	log *slog.Logger

	mu   sync.Mutex
	read bool
	disk *keep.Store // nil: it is kept until the program ends only
	now  Arrangement
}

// arrangementFile is its name in the state directory.
const arrangementFile = "arrangement"

// NewArranger makes it for a state directory, which is opened when it is first needed.
func NewArranger(dir string, log *slog.Logger) *Arranger { return &Arranger{dir: dir, log: log} }

// Arrangement is the one that was kept last; its lists are never nil.
func (a *Arranger) Arrangement() Arrangement {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open()
	return Arrangement{append([]string{}, a.now.Rooms...), append([]string{}, a.now.Hidden...)}
}

// Arrange keeps another one. It fails if that is over a bound, or cannot be written.
func (a *Arranger) Arrange(wanted Arrangement) error {
	if err := wanted.Check(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open()
	if a.disk != nil {
		if err := a.disk.Save(arrangementFile, wanted); err != nil {
			return err
		}
	}
	a.now = wanted
	return nil
}

// open reads what an earlier run kept. The caller holds mu.
func (a *Arranger) open() {
	if a.read {
		return
	}
	a.read = true
	if a.disk, a.now = keep.Recall[Arrangement](a.dir, arrangementFile, "the order of the rooms", a.log); a.now.Check() != nil {
		a.now = Arrangement{}
	}
}
