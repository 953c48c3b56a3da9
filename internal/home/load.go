package home

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of a house file. A Z-Wave network holds 232 nodes with some dozen
// values each; ten thousand entities are far above any home and still cheap.
const (
	MaxBytes    = 16 << 20
	maxEntities = 10000
	maxAreas    = 1000
	maxAliases  = 64
	maxName     = 200 // bytes of one name or alias
)

// File is a house file: one house, or several test houses by name.
type File struct {
	Main     *House            // the house of the file, or its "merged" one
	Fixtures map[string]*House // nil in an ordinary house file
}

// House returns the fixture of that name, else the main house.
func (f *File) House(fixture string) *House {
	if h, ok := f.Fixtures[fixture]; ok {
		return h
	}
	return f.Main
}

// Load reads a house from JSON: the shape of House, or a file with "merged".
func Load(data []byte) (*House, error) {
	f, err := LoadFile(data)
	if err != nil {
		return nil, err
	}
	return f.Main, nil
}

// LoadFile reads a house file with its fixtures. An error names the entity or area
// at fault.
func LoadFile(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("reading house: %d bytes, at most %d are allowed", len(data), MaxBytes)
	}
	var raw struct {
		House
		Merged   *House            `json:"merged"`
		Fixtures map[string]*House `json:"fixtures"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("reading house: %w", err)
	}
	f := &File{Main: &raw.House}
	if raw.Merged != nil {
		f.Main = raw.Merged
	}
	if err := f.Main.Validate(); err != nil {
		return nil, fmt.Errorf("reading house: %w", err)
	}
	if raw.Fixtures != nil {
		f.Fixtures = make(map[string]*House, len(raw.Fixtures))
	}
	for name, h := range raw.Fixtures {
		if h == nil {
			h = &House{}
		}
		if err := h.Validate(); err != nil {
			return nil, fmt.Errorf("reading house: fixture %q: %w", name, err)
		}
		f.Fixtures[name] = h
	}
	return f, nil
}

// Validate checks what everything else relies on: entities have a unique id and
// a name, areas and floors have a name, and nothing is absurdly large.
func (h *House) Validate() error {
	if len(h.Entities) > maxEntities {
		return fmt.Errorf("%d entities, at most %d are allowed", len(h.Entities), maxEntities)
	}
	if len(h.Areas) > maxAreas || len(h.Floors) > maxAreas {
		return fmt.Errorf("%d areas and %d floors, at most %d are allowed", len(h.Areas), len(h.Floors), maxAreas)
	}
	for i, f := range h.Floors {
		if err := checkNames("floor", i, f.Name, f.Aliases); err != nil {
			return err
		}
	}
	for i, a := range h.Areas {
		if err := checkNames("area", i, a.Name, a.Aliases); err != nil {
			return err
		}
	}
	seen := make(map[string]bool, len(h.Entities))
	for i, e := range h.Entities {
		if err := checkNames("entity", i, e.Name, e.Aliases); err != nil {
			return err
		}
		if e.ID == "" {
			return fmt.Errorf("entity %d (%q) has no id", i, e.Name)
		}
		if seen[e.ID] {
			return fmt.Errorf("two entities have the id %q", e.ID)
		}
		seen[e.ID] = true
	}
	return nil
}

var errName = errors.New("has no name")

func checkNames(what string, i int, name string, aliases []string) error {
	if name == "" {
		return fmt.Errorf("%s %d %w", what, i, errName)
	}
	if len(aliases) > maxAliases {
		return fmt.Errorf("%s %q has %d aliases, at most %d are allowed", what, name, len(aliases), maxAliases)
	}
	for _, n := range append([]string{name}, aliases...) {
		if len(n) > maxName {
			return fmt.Errorf("%s %d: a name of %d bytes, at most %d are allowed", what, i, len(n), maxName)
		}
	}
	return nil
}
