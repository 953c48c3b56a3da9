package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// stateTool is the tool that lists a server's devices with their states
// (REQUIREMENTS Z1). A server without it has a house without states.
const stateTool = "list_devices"

// Bounds of asking for states: a page may make the server wait for its house,
// and 232 nodes with their sensors fit in these pages of fifty.
const (
	statePatience = 3 * time.Second
	statePages    = 40
)

// listedDevice is what is used of stateTool's answer.
type listedDevice struct {
	ID        string `json:"id"`
	State     any    `json:"state"`
	Reachable *bool  `json:"reachable"`
}

// Home is the house as it is known. Only servers that are connected are asked for
// states, so that looking at the house never waits for one that is away.
func (v httpView) Home(ctx context.Context) (home.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, statePatience)
	defer cancel()
	house := v.House()
	states := v.states(ctx)
	shown := home.Snapshot{Floors: house.Floors, Areas: house.Areas, Entities: make([]home.EntityState, 0, len(house.Entities))}
	for _, e := range house.Entities {
		d := states[e.Server][e.ID]
		shown.Entities = append(shown.Entities, home.EntityState{Entity: e, Server: e.Server, State: d.State, Reachable: d.Reachable})
	}
	return shown, nil
}

// states asks every connected server at once; one that does not answer is left
// out.
func (g *Gateway) states(ctx context.Context) map[string]map[string]listedDevice {
	var mu sync.Mutex
	var asking sync.WaitGroup
	all := map[string]map[string]listedDevice{}
	for _, s := range g.link.host.Status() {
		if s.Status != mcpint.Connected {
			continue
		}
		asking.Go(func() {
			devices := g.statesOf(ctx, s.ID)
			mu.Lock()
			defer mu.Unlock()
			all[s.ID] = devices
		})
	}
	asking.Wait()
	return all
}

func (g *Gateway) statesOf(ctx context.Context, server string) map[string]listedDevice {
	devices := map[string]listedDevice{}
	for page := 1; page <= statePages; page++ {
		args, err := json.Marshal(map[string]int{"page": page})
		if err != nil {
			return devices
		}
		result, err := g.tools.Call(ctx, tools.Call{Server: server, Tool: stateTool, Args: args})
		var answer struct {
			Pages   int            `json:"pages"`
			Devices []listedDevice `json:"devices"`
		}
		if err != nil || result.Failed || json.Unmarshal(result.Data, &answer) != nil {
			g.log.Debug("states not read", "part", "http", "server", server, "err", err)
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
