package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"voicegateway/internal/hass/socket"
)

// The shapes of the registries of Home Assistant, as far as they are needed.
type (
	floorEntry struct {
		ID      string   `json:"floor_id"`
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
	}
	areaEntry struct {
		ID      string   `json:"area_id"`
		Name    string   `json:"name"`
		Floor   string   `json:"floor_id"`
		Aliases []string `json:"aliases"`
	}
	deviceEntry struct {
		ID     string `json:"id"`
		Area   string `json:"area_id"`
		Parent string `json:"parent_device_id"`
	}
	entityEntry struct {
		ID       string  `json:"entity_id"`
		Area     string  `json:"area_id"`
		Device   string  `json:"device_id"`
		Category *string `json:"entity_category"`
		Hidden   *string `json:"hidden_by"`
		Options  struct {
			Conversation struct {
				Expose *bool `json:"should_expose"`
			} `json:"conversation"`
		} `json:"options"`
	}
)

// exposure is what is shown to assistants, as askExposed tells it.
type exposure struct {
	Entities map[string]struct {
		Conversation bool `json:"conversation"`
	} `json:"exposed_entities"`
}

var askExposed = socket.Command{"type": "homeassistant/expose_entity/list"}

// registries is what Home Assistant has written down of the house: where things are, what
// they are called beside their names, and which of them it shows to assistants.
type registries struct {
	floors   []floorEntry
	areas    map[string]areaEntry
	devices  map[string]deviceEntry
	entities map[string]entityEntry
	aliases  map[string][]string
	shown    map[string]bool // those without an entry of their own that are shown
	newOnes  bool            // whether what nobody has decided about is shown, if it is of the usual kinds
	admin    bool            // the token may read all of it
	scripts  []string        // those that are run without asking, by the settings
	scale    string          // the unit of temperatures
}

// readRegistries asks for everything. What only an administrator may read is left out for
// other users.
func readRegistries(ctx context.Context, c *socket.Conn) (*registries, error) {
	r := &registries{
		areas: map[string]areaEntry{}, devices: map[string]deviceEntry{}, entities: map[string]entityEntry{},
		aliases: map[string][]string{}, shown: map[string]bool{}, newOnes: true, admin: true,
	}
	var areas []areaEntry
	var devices []deviceEntry
	var entities []entityEntry
	var exposed exposure
	fresh := struct {
		Expose bool `json:"expose_new"`
	}{true}
	var house struct {
		Units struct {
			Temperature string `json:"temperature"`
		} `json:"unit_system"`
	}
	for _, ask := range []struct {
		command socket.Command
		into    any
		spare   bool // a refusal is no trouble
	}{
		{socket.Command{"type": "get_config"}, &house, false},
		{socket.Command{"type": "config/floor_registry/list"}, &r.floors, true}, // not before 2024.4
		{socket.Command{"type": "config/area_registry/list"}, &areas, false},
		{socket.Command{"type": "config/device_registry/list"}, &devices, false},
		{socket.Command{"type": "config/entity_registry/list"}, &entities, false},
		{askExposed, &exposed, true},
		{socket.Command{"type": "homeassistant/expose_new_entities/get", "assistant": "conversation"}, &fresh, true},
	} {
		body, err := c.Call(ctx, ask.command)
		if no, refused := errors.AsType[*socket.Error](err); refused && ask.spare {
			r.admin = r.admin && no.Code != socket.CodeUnauthorized
			continue
		}
		if err == nil {
			err = json.Unmarshal(body, ask.into)
		}
		if err != nil {
			return nil, fmt.Errorf("asking Home Assistant for %v: %w", ask.command["type"], err)
		}
	}
	r.newOnes, r.scale = fresh.Expose, house.Units.Temperature
	for _, a := range areas {
		r.areas[a.ID] = a
	}
	for _, d := range devices {
		r.devices[d.ID] = d
	}
	for _, e := range entities {
		r.entities[e.ID] = e
	}
	for id, e := range exposed.Entities {
		r.shown[id] = e.Conversation
	}
	return r, nil
}

// readAliases asks for the other names of entities; only this command tells them.
func (r *registries) readAliases(ctx context.Context, c *socket.Conn, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, has := r.entities[id]; return !has })
	for part := range slices.Chunk(ids, 500) {
		body, err := c.Call(ctx, socket.Command{"type": "config/entity_registry/get_entries", "entity_ids": part})
		var entries map[string]*struct {
			Aliases []*string `json:"aliases"` // null stands for the name itself
		}
		if no, refused := errors.AsType[*socket.Error](err); refused && no.Code == socket.CodeUnknown {
			return nil // not before 2023.4
		}
		if err == nil {
			err = json.Unmarshal(body, &entries)
		}
		if err != nil {
			return fmt.Errorf("asking Home Assistant for the other names of things: %w", err)
		}
		for id, e := range entries {
			if e == nil {
				continue
			}
			for _, a := range e.Aliases {
				if a != nil && strings.TrimSpace(*a) != "" {
					r.aliases[id] = append(r.aliases[id], *a)
				}
			}
		}
	}
	return nil
}

// isShown asks whether an entity of the house is still shown to assistants. Of one with an
// entry in the registry every user may ask.
func isShown(ctx context.Context, c *socket.Conn, e *entity) (bool, error) {
	if e.unlisted {
		var all exposure
		body, err := c.Call(ctx, askExposed)
		if err == nil {
			err = json.Unmarshal(body, &all)
		}
		return all.Entities[e.ID].Conversation, err
	}
	body, err := c.Call(ctx, socket.Command{"type": "config/entity_registry/get_entries", "entity_ids": []string{e.ID}})
	var entries map[string]*entityEntry
	if no, refused := errors.AsType[*socket.Error](err); refused && no.Code == socket.CodeUnknown {
		return true, nil // not before 2023.4
	}
	if err == nil {
		err = json.Unmarshal(body, &entries)
	}
	if err != nil {
		return false, fmt.Errorf("asking Home Assistant whether %s is shown: %w", e.ID, err)
	}
	entry := entries[e.ID]
	if entry == nil {
		return false, nil
	}
	decided := entry.Options.Conversation.Expose
	return decided == nil || *decided, nil // where nobody has decided, it is as it was
}

// freshness knows whether the registries were written since they were read.
type freshness struct{ written, read atomic.Uint64 }

func (f *freshness) isStale() bool { return f.written.Load() != f.read.Load() }

// areaOf returns the id of the area that an entity is in: its own, else that of its device,
// else that of what the device is part of. "" if it is in none.
func (r *registries) areaOf(id string) string {
	e := r.entities[id]
	if e.Area != "" {
		return e.Area
	}
	for d, steps := r.devices[e.Device], 0; steps < 8; d, steps = r.devices[d.Parent], steps+1 {
		if d.Area != "" || d.Parent == "" {
			return d.Area
		}
	}
	return ""
}

// The kinds that Home Assistant shows to its assistants where nobody has decided about an
// entity (components/homeassistant/exposed_entities.py).
var (
	usualDomains = []string{"climate", "cover", "fan", "humidifier", "light", "media_player", "scene", "switch", "todo", "vacuum", "water_heater"}
	usualBinary  = []string{"door", "garage_door", "lock", "motion", "opening", "presence", "window"}
	usualSensors = []string{"aqi", "carbon_monoxide", "carbon_dioxide", "humidity", "pm10", "pm25", "temperature", "volatile_organic_compounds"}
)

// exposes reports whether Home Assistant shows an entity to assistants. What it does not
// show is neither named nor acted on here. Of those without an entry in the registry only
// the shown ones are listed, so that one that is not may have been hidden.
func (r *registries) exposes(id, class string) bool {
	e, registered := r.entities[id]
	switch {
	case !registered:
		return r.shown[id]
	case e.Options.Conversation.Expose != nil:
		return *e.Options.Conversation.Expose
	case !r.newOnes || e.Category != nil || e.Hidden != nil:
		return false
	}
	switch domain := domainOf(id); domain {
	case "binary_sensor":
		return slices.Contains(usualBinary, class)
	case "sensor":
		return slices.Contains(usualSensors, class)
	default:
		return slices.Contains(usualDomains, domain)
	}
}

// domainOf returns the kind of an entity by its id, which begins with it.
func domainOf(id string) string {
	domain, _, _ := strings.Cut(id, ".")
	return domain
}
