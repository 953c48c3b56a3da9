package family

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
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
)

// Bounds of the marks; the oldest go first. A house has a tenth of a megabyte at most, and
// the sound of an utterance a third.
const (
	mostMarks     = 100
	mostHouses    = 8
	mostSounds    = 30
	longestRecord = 6 << 10 // bytes of JSON
	longestShould = 500     // bytes
)

// Marks are the turns that the family found wrong: what was said, what happened, and what
// should have (REQUIREMENTS L3). They can be run again with other sentences, another
// engine or another version, in the house as it was. Houses and sounds are files beside
// the list, and are kept only where there is a state directory. Marks are safe for
// concurrent use.
type Marks struct {
	log     *slog.Logger
	writing sync.Mutex // held while the list and the files beside it change
	list    *keep.List[record.Mark]
}

// NewMarks makes the marks of a state directory, which is opened when it is first needed.
func NewMarks(dir string, log *slog.Logger) *Marks {
	return &Marks{log: log, list: keep.NewList(keep.ListConfig[record.Mark]{
		Dir: dir, Name: "marks", What: "marks", Most: mostMarks, Rolling: true, ID: func(m record.Mark) string { return m.ID }, Log: log,
	})}
}

// Keep marks a turn in the house as it is, with the sound of its utterance as a WAV
// file, which may be missing. A turn that is marked already gets what should have
// happened, if that is said now.
func (k *Marks) Keep(then record.Record, should string, house *home.House, sound []byte) (record.Mark, error) {
	should = strings.TrimSpace(should)
	switch {
	case then.ID == "":
		return record.Mark{}, errors.New("a turn without an id cannot be marked")
	case len(should) > longestShould:
		return record.Mark{}, fmt.Errorf("what should have happened has at most %d bytes; this has %d", longestShould, len(should))
	}
	then, err := shorten(then)
	if err != nil {
		return record.Mark{}, err
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	m, marked := k.list.Get(then.ID)
	if !marked {
		m = record.Mark{ID: then.ID, Time: time.Now(), Then: then, House: k.saveHouse(house), Sound: k.saveSound(then.ID, sound)}
	}
	if should != "" {
		m.Should = should
	}
	return m, k.change(func() error {
		return k.list.Change(func(list []record.Mark) ([]record.Mark, error) {
			if i := slices.IndexFunc(list, func(o record.Mark) bool { return o.ID == m.ID }); i >= 0 {
				list[i] = m
				return list, nil
			}
			return dropFiles(slices.Insert(list, 0, m)), nil
		})
	})
}

// shorten makes a record short enough to be kept. If it has to, it drops the judgements
// and the arguments of calls: only these can be long, and the intents say what was asked
// for.
func shorten(r record.Record) (record.Record, error) {
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

// dropFiles takes from the older marks the houses and sounds that are too many.
func dropFiles(list []record.Mark) []record.Mark {
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
func (k *Marks) saveHouse(house *home.House) string {
	disk := k.list.Disk()
	if disk == nil || house.Empty() {
		return ""
	}
	structure := house.Structure()
	data, err := json.Marshal(structure)
	if err != nil {
		return ""
	}
	name := nameFor(string(data))
	if _, written := k.list.Find(func(m record.Mark) bool { return m.House == name }); written {
		return name
	}
	if err := disk.Save(houseFile(name), structure); err != nil {
		k.log.Warn("the house of a marked turn is not kept", "err", err)
		return ""
	}
	return name
}

func (k *Marks) saveSound(id string, wav []byte) bool {
	disk := k.list.Disk()
	if disk == nil || len(wav) == 0 {
		return false
	}
	if err := disk.Save(soundFile(id), wav); err != nil {
		k.log.Warn("the sound of a marked turn is not kept", "err", err)
		return false
	}
	return true
}

// nameFor is a name for a file that any text can have.
func nameFor(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

func houseFile(name string) string { return "mark-house-" + name }
func soundFile(id string) string   { return "mark-sound-" + nameFor(id) }

// change makes a change of the list, and removes the files that no mark needs any more. The
// caller holds writing.
func (k *Marks) change(do func() error) error {
	before := files(k.list.All())
	if err := do(); err != nil {
		return err
	}
	needed := files(k.list.All())
	for _, name := range before {
		if slices.Contains(needed, name) {
			continue
		}
		if err := k.list.Disk().Remove(name); err != nil {
			k.log.Warn("what belongs to no mark any more could not be removed", "err", err)
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
func (k *Marks) List() []record.Mark { return k.list.All() }

// Get returns the mark of a turn.
func (k *Marks) Get(id string) (record.Mark, bool) { return k.list.Get(id) }

// Delete removes the mark of a turn. If the turn has no mark, it returns keep.ErrUnknown.
func (k *Marks) Delete(id string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	return k.change(func() error { return k.list.Remove(id) })
}

// House reads the house of a mark as it was.
func (k *Marks) House(m record.Mark) (home.Snapshot, error) {
	var house home.Snapshot
	err := k.read(m.House != "", houseFile(m.House), &house)
	if err == nil && len(house.Entities) == 0 {
		err = errors.New("the house of this mark is not there")
	}
	return house, err
}

// Sound reads the WAV file of a marked utterance.
func (k *Marks) Sound(m record.Mark) ([]byte, error) {
	var wav []byte
	err := k.read(m.Sound, soundFile(m.ID), &wav)
	if err == nil && len(wav) == 0 {
		err = errors.New("the sound of this mark is not there")
	}
	return wav, err
}

func (k *Marks) read(there bool, name string, to any) error {
	disk := k.list.Disk()
	if !there || disk == nil {
		return errors.New("it was not kept")
	}
	return disk.Load(name, to)
}
