package display

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/home"
)

// The house is looked at when it has told something, after the other things it tells at
// the same time, and now and then, because a server may lose its house silently.
const (
	lookEvery  = 10 * time.Second
	lookSettle = 100 * time.Millisecond
)

// House tells on the feed what has changed in the house.
type House struct {
	stirred chan struct{} // something may have changed
	told    map[string]string
	away    []home.Absence // as it was told last
}

// NewHouse makes it and starts nothing.
func NewHouse() *House {
	return &House{stirred: make(chan struct{}, 1), told: map[string]string{}, away: []home.Absence{}}
}

// Stir says that something in the house may have changed. It does not block.
func (h *House) Stir() {
	select {
	case h.stirred <- struct{}{}:
	default:
	}
}

// Reported takes an event of a house. It does not block.
func (h *House) Reported(home.Event) { h.Stir() }

// Changes are what has changed in the house since the event before.
type Changes struct {
	Entities []home.EntityState `json:"entities"` // those that are new or have changed
	Gone     []string           `json:"gone"`     // ids of those that are no more
	Away     []home.Absence     `json:"away"`     // all houses that cannot be reached now
}

// Run looks at the house while the feed has readers, and publishes the changes, until ctx
// ends. If looking fails, nothing is published.
func (h *House) Run(ctx context.Context, feed *httpapi.Feed, look func(context.Context) (home.Snapshot, error)) error {
	return whileFollowed(ctx, feed, h.stirred, lookEvery, lookSettle, func() {
		house, err := look(ctx)
		if err != nil || ctx.Err() != nil {
			return
		}
		if changes, some := h.changes(house); some {
			feed.Publish(httpapi.Event{Kind: httpapi.KindHouse, Body: changes})
		}
	})
}

// changes returns the differences from what was last published, and whether there are any, and
// stores the new state.
func (h *House) changes(house home.Snapshot) (changes Changes, some bool) {
	changes = Changes{Entities: []home.EntityState{}, Gone: []string{}, Away: append([]home.Absence{}, house.Away...)}
	there := make(map[string]bool, len(house.Entities))
	for _, e := range house.Entities {
		there[e.ID] = true
		if text, err := json.Marshal(e); err == nil && h.told[e.ID] != string(text) {
			h.told[e.ID] = string(text)
			changes.Entities = append(changes.Entities, e)
		}
	}
	for id := range h.told {
		if !there[id] {
			delete(h.told, id)
			changes.Gone = append(changes.Gone, id)
		}
	}
	some = len(changes.Entities)+len(changes.Gone) > 0 || !reflect.DeepEqual(changes.Away, h.away)
	h.away = changes.Away
	return changes, some
}
