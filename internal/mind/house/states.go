package house

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// stateTool is the tool that lists a server's devices with their states
// (REQUIREMENTS Z1). The devices of a server without this tool have no states.
const stateTool = "list_devices"

// Bounds of asking for states. A page may make the server wait for its house, and
// 232 nodes with their sensors fit in these pages of fifty.
const (
	statePatience = 3 * time.Second
	statePages    = 40
)

// listedDevice is the part of stateTool's answer that is used.
type listedDevice struct {
	ID        string         `json:"id"`
	State     any            `json:"state"`
	Reachable *bool          `json:"reachable"`
	Values    map[string]any `json:"values"`
	Age       *int64         `json:"age_seconds"` // negative: not known
}

// Caller reaches a server's tools.
type Caller interface {
	Call(ctx context.Context, c tools.Call) (tools.Result, error)
}

// Snapshot is the house with the states of its devices. It asks the given servers,
// all at once; a device whose server does not answer in time has no state. Callers
// that must not wait leave out servers that are not connected.
func (h *House) Snapshot(ctx context.Context, c Caller, servers []string) home.Snapshot {
	ctx, cancel := context.WithTimeout(ctx, statePatience)
	defer cancel()
	house := h.House()
	states := h.states(ctx, c, servers)
	shown := home.Snapshot{Floors: house.Floors, Areas: house.Areas, Entities: make([]home.EntityState, 0, len(house.Entities))}
	for _, e := range house.Entities {
		shown.Entities = append(shown.Entities, states[e.Server][ownID(&e)].of(e))
	}
	return shown
}

// of is the state of a thing, with its degrees in the scale of the house.
func (d listedDevice) of(e home.Entity) home.EntityState {
	s := home.EntityState{Entity: e, Server: e.Server, State: d.State, Reachable: d.Reachable, Values: d.Values}
	s.Guarded = e.Control != nil && (e.Domain == "lock" || e.Hazards() != 0)
	if len(d.Values) > 0 {
		data := map[string]any{"domain": e.Domain, "state": d.State, "values": d.Values}
		t := translation{own: e.Counts(), to: e.Scale}
		t.state(data)
		s.State = data["state"]
	}
	if d.Reachable != nil && !*d.Reachable && d.Age != nil && *d.Age >= 0 {
		told := time.Now().Add(-time.Duration(*d.Age) * time.Second).Truncate(time.Minute)
		s.Told = &told
	}
	return s
}

// states asks every server at once. The devices of a server that does not answer
// are left out.
func (h *House) states(ctx context.Context, c Caller, servers []string) map[string]map[string]listedDevice {
	var mu sync.Mutex
	var asking sync.WaitGroup
	all := map[string]map[string]listedDevice{}
	for _, server := range servers {
		asking.Go(func() {
			devices := h.statesOf(ctx, c, server)
			mu.Lock()
			defer mu.Unlock()
			all[server] = devices
		})
	}
	asking.Wait()
	return all
}

// statesOf reads one server's states page by page.
func (h *House) statesOf(ctx context.Context, c Caller, server string) map[string]listedDevice {
	devices := map[string]listedDevice{}
	for page := 1; page <= statePages; page++ {
		args, err := json.Marshal(map[string]int{"page": page})
		if err != nil {
			return devices
		}
		result, err := c.Call(ctx, tools.Call{Server: server, Tool: stateTool, Args: args})
		var answer struct {
			Pages   int            `json:"pages"`
			Devices []listedDevice `json:"devices"`
		}
		if err != nil || result.Failed || json.Unmarshal(result.Data, &answer) != nil {
			h.log.Debug("states not read", "server", server, "err", err)
			return devices
		}
		for _, d := range answer.Devices {
			devices[d.ID] = d
		}
		if page >= answer.Pages {
			return devices
		}
	}
	return devices
}
