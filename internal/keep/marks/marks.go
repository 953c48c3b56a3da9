// Package marks keeps the turns that a family found wrong: what was said, what
// happened, and what should have (REQUIREMENTS L3). It exists so that they can be run
// again with other sentences, another engine or another version, in the house as it
// was. To keep more of a turn, add a field to record.Mark.
package marks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/store"
)

// Bounds of what is kept; the oldest go first. A house has a tenth of a megabyte at
// most, the sound of an utterance a third, and all marks are one value of the store.
const (
	mostMarks     = 100
	mostHouses    = 8
	mostSounds    = 30
	longestRecord = 6 << 10 // bytes of JSON
	longestShould = 500     // bytes
)

// file is the name of the marks in the state directory.
const file = "marks"

// ErrUnknown means that no turn with this id is marked.
var ErrUnknown = errors.New("there is no such mark")

// Book keeps marks in the state directory; if that cannot be used, in memory until the
// program ends, without houses and sounds. It is safe for concurrent use.
type Book struct {
	dir string
	log *slog.Logger

	mu     sync.Mutex
	loaded bool
	disk   *store.Store  // nil: in memory only
	kept   []record.Mark // the newest first
}

// New makes the book of a state directory, which is opened when it is first needed.
func New(dir string, log *slog.Logger) *Book { return &Book{dir: dir, log: log} }

// load reads what an earlier run kept. The caller holds mu.
func (b *Book) load() {
	if b.loaded {
		return
	}
	b.loaded = true
	b.disk, b.kept = store.Recall[[]record.Mark](b.dir, file, "marks", b.log)
	b.kept = slices.DeleteFunc(b.kept, func(m record.Mark) bool { return m.ID == "" })
	b.kept = b.kept[:min(len(b.kept), mostMarks)]
}

// Keep marks a turn in the house as it is, with the sound of its utterance as a WAV
// file, which may be missing. A turn that is marked already gets what should have
// happened, if that is said now.
func (b *Book) Keep(then record.Record, should string, house *home.House, sound []byte) (record.Mark, error) {
	should = strings.TrimSpace(should)
	switch {
	case then.ID == "":
		return record.Mark{}, errors.New("a turn without an id cannot be marked")
	case len(should) > longestShould:
		return record.Mark{}, fmt.Errorf("what should have happened has at most %d bytes; this has %d", longestShould, len(should))
	}
	then, err := shortened(then)
	if err != nil {
		return record.Mark{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	m := record.Mark{ID: then.ID, Time: time.Now(), Should: should, Then: then}
	list := slices.Clone(b.kept)
	if i := slices.IndexFunc(list, func(o record.Mark) bool { return o.ID == m.ID }); i >= 0 {
		m = list[i]
		if should != "" {
			m.Should = should
		}
		list[i] = m
		return m, b.replace(list)
	}
	m.House, m.Sound = b.saveHouse(house), b.saveSound(m.ID, sound)
	list = slices.Insert(list, 0, m)
	return m, b.replace(bounded(list))
}

// shortened returns a record that is short enough to be kept. If it has to, it drops the
// judgements and the arguments of calls: only these can be long, and the intents say
// what was asked for.
func shortened(r record.Record) (record.Record, error) {
	for _, last := range []bool{false, true} {
		data, err := json.Marshal(r)
		switch {
		case err != nil:
			return r, fmt.Errorf("writing the turn down: %w", err)
		case len(data) <= longestRecord:
			return r, nil
		case last:
			return r, fmt.Errorf("the turn has %d bytes; at most %d are kept", len(data), longestRecord)
		}
		r.Judgements, r.Calls = nil, slices.Clone(r.Calls)
		for i := range r.Calls {
			r.Calls[i].Args = json.RawMessage("{}")
		}
	}
	return r, nil
}

// bounded lets go of what is over the bounds.
func bounded(list []record.Mark) []record.Mark {
	list = list[:min(len(list), mostMarks)]
	var houses []string
	sounds := 0
	for i := range list {
		m := &list[i]
		if m.House != "" && !slices.Contains(houses, m.House) {
			houses = append(houses, m.House)
		}
		if m.House != "" && slices.Index(houses, m.House) >= mostHouses {
			m.House = ""
		}
		if m.Sound {
			sounds++
			m.Sound = sounds <= mostSounds
		}
	}
	return list
}

// saveHouse writes a house down and returns its name, "" if that is not possible. One
// that has not changed is written once.
func (b *Book) saveHouse(h *home.House) string {
	if b.disk == nil || h.Empty() {
		return ""
	}
	shown := h.Structure()
	data, err := json.Marshal(shown)
	if err != nil {
		return ""
	}
	name := named(string(data))
	if slices.ContainsFunc(b.kept, func(m record.Mark) bool { return m.House == name }) {
		return name
	}
	if err := b.disk.Save(houseFile(name), shown); err != nil {
		b.log.Warn("the house of a marked turn is not kept", "err", err)
		return ""
	}
	return name
}

func (b *Book) saveSound(id string, wav []byte) bool {
	if b.disk == nil || len(wav) == 0 {
		return false
	}
	if err := b.disk.Save(soundFile(id), wav); err != nil {
		b.log.Warn("the sound of a marked turn is not kept", "err", err)
		return false
	}
	return true
}

// named is a name for a file that any text can have.
func named(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

func houseFile(name string) string { return "mark-house-" + name }
func soundFile(id string) string   { return "mark-sound-" + named(id) }

// replace puts another list in the place of the present one, on the disk first, and
// removes what no mark needs any more. The caller holds mu.
func (b *Book) replace(list []record.Mark) error {
	if b.disk == nil {
		b.kept = list
		return nil
	}
	if err := b.disk.Save(file, list); err != nil {
		return err
	}
	before := files(b.kept)
	b.kept = list
	needed := files(list)
	for _, name := range before {
		if !slices.Contains(needed, name) {
			if err := b.disk.Remove(name); err != nil {
				b.log.Warn("what belongs to no mark any more could not be removed", "err", err)
			}
		}
	}
	return nil
}

// files are the names of the files beside the list itself.
func files(list []record.Mark) []string {
	var out []string
	for _, m := range list {
		if m.House != "" {
			out = append(out, houseFile(m.House))
		}
		if m.Sound {
			out = append(out, soundFile(m.ID))
		}
	}
	return out
}

// List returns the marks, the newest first.
func (b *Book) List() []record.Mark {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	return append([]record.Mark{}, b.kept...)
}

// Delete removes a mark.
func (b *Book) Delete(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	list := slices.DeleteFunc(slices.Clone(b.kept), func(m record.Mark) bool { return m.ID == id })
	if len(list) == len(b.kept) {
		return ErrUnknown
	}
	return b.replace(list)
}

// House is the house of a mark as it was.
func (b *Book) House(m record.Mark) (home.Snapshot, error) {
	var h home.Snapshot
	err := b.read(m.House != "", houseFile(m.House), &h)
	if err == nil && len(h.Entities) == 0 {
		err = errors.New("the house of this mark is not there")
	}
	return h, err
}

// Sound is the WAV file of a marked utterance.
func (b *Book) Sound(m record.Mark) ([]byte, error) {
	var wav []byte
	err := b.read(m.Sound, soundFile(m.ID), &wav)
	if err == nil && len(wav) == 0 {
		err = errors.New("the sound of this mark is not there")
	}
	return wav, err
}

func (b *Book) read(there bool, name string, to any) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load()
	if !there || b.disk == nil {
		return errors.New("it was not kept")
	}
	return b.disk.Load(name, to)
}
