package gateway

import (
	"cmp"
	"context"
	"slices"
	"time"

	"voicegateway/internal/hass"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/reach"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/house"
)

// roll knows which houses there should be, and which of them are there.
type roll struct {
	cfg     Config
	mcp     *host.Host
	rooms   *house.House
	outages *house.Outages
	tellers func() []string  // the servers that may tell a house
	lost    func() time.Time // when the connection to the broker was lost; zero: it is there, or never was; nil: not known
}

// expects reports whether the user has asked for the house of a server. Our own Z-Wave server
// also runs if the configuration does not name it.
func (r *roll) expects(server string) bool {
	return server != zwaveServer || r.cfg.MCP.Servers[zwaveServer].Place > 0
}

// kinds are what people call the houses of our own servers before these tell it.
var kinds = map[string]string{zwaveServer: "Z-Wave", "homeassistant": "Home Assistant"}

// name is what people call the house of a server.
func (r *roll) name(server string) string {
	return cmp.Or(r.rooms.House().Teller(server).Name, kinds[server], server)
}

// healthTool is the tool that says whether the house of a server can be reached: the one that
// the server has named, else that of our own server for Home Assistant, which can say what it
// lacks before it knows a house.
func (s setup) healthTool(rooms *house.House, server string) string {
	own := ""
	if s.cfg.MCP.Servers[server].Command == mcpint.HomeAssistantServer {
		own = form.HealthTool(hass.Prefix)
	}
	return cmp.Or(rooms.House().Teller(server).Health, own)
}

// Houses says which houses can be reached now. It asks their servers.
func (r *roll) Houses(ctx context.Context) []reach.House {
	servers, status := r.mcp.Status(), map[string]mcpint.Status{}
	for _, s := range servers {
		status[s.ID] = s
	}
	outages := map[string]house.Outage{}
	for _, out := range r.outages.All(ctx, connectedServers(servers)) {
		outages[out.Server] = out
	}
	var all []reach.House
	for _, id := range r.tellers() {
		s, told := status[id], r.rooms.HasTold(id)
		connected := s.Status == mcpint.Connected
		if !told && !r.expects(id) && connected {
			continue
		}
		h := reach.House{Server: id, Name: r.name(id), WaitingFor: outages[id].Waiting}
		h.Reached = connected && told && h.WaitingFor == ""
		if !connected {
			h.Since, h.Fault = s.LastSuccess, fault(s)
		} else if since := r.began(outages[id]); !since.IsZero() {
			h.Since = &since
		}
		all = append(all, h)
	}
	return all
}

// fault is the word for why a server is not connected; "" if the error alone says it.
func fault(s mcpint.Status) string {
	if s.Fault == nil {
		return ""
	}
	return string(*s.Fault)
}

// OwnServer is the house of our own Z-Wave server, and whether that server is connected. A
// configuration without it counts as connected: nobody misses it.
func (r *roll) OwnServer() (h mind.AwayHouse, connected bool) {
	for _, s := range r.mcp.Status() {
		if s.ID == zwaveServer {
			return mind.AwayHouse{Name: r.name(s.ID), Fault: fault(s)}, s.Status == mcpint.Connected
		}
	}
	return mind.AwayHouse{}, true
}

// began returns when an outage began; zero: not known.
func (r *roll) began(out house.Outage) time.Time {
	if out.Waiting == "broker" && r.lost != nil {
		if lost := r.lost(); !lost.IsZero() {
			return lost
		}
	}
	return out.Since
}

// Away lists the houses that have told their things and cannot be reached now.
func (r *roll) Away(ctx context.Context) []home.Absence {
	var away []home.Absence
	for _, h := range r.Houses(ctx) {
		if !h.Reached && r.rooms.HasTold(h.Server) {
			away = append(away, home.Absence{Server: h.Server, Name: h.Name, Since: h.Since})
		}
	}
	return away
}

// Expects reports whether the user has asked for a Z-Wave house.
func (r *roll) Expects() bool { return r.expects(zwaveServer) }

// Others returns the houses that are not reached, without that of our own Z-Wave server.
func (r *roll) Others(ctx context.Context) (away []mind.AwayHouse) {
	for _, h := range r.Houses(ctx) {
		if h.Server != zwaveServer && !h.Reached {
			away = append(away, mind.AwayHouse{Name: h.Name, Waiting: h.WaitingFor, Fault: h.Fault})
		}
	}
	return away
}

// sayUntold says that nothing is known of any house, and what to look at: behind our own
// Z-Wave server stands zwave-js-ui.
func (r *roll) sayUntold(tellers []string, phrases *reply.Phrases) string {
	if !r.Expects() {
		for _, id := range tellers {
			if id != zwaveServer {
				return phrases.Phrase("house_untold", map[string]any{"house": r.name(id)})
			}
		}
	}
	return phrases.Phrase("no_house", nil)
}

// Untold returns the names of the houses that have not told anything yet, if another house has.
func (r *roll) Untold() (names []string) {
	if r.rooms.House().Empty() {
		return nil
	}
	connected := connectedServers(r.mcp.Status())
	for _, id := range r.tellers() {
		if !r.rooms.HasTold(id) && (r.expects(id) || !slices.Contains(connected, id)) {
			names = append(names, r.name(id))
		}
	}
	return names
}
