package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/doors"
	"voicegateway/internal/home"
	"voicegateway/internal/mcpint"
)

// checkServers is what a gateway that runs says of its MCP servers.
func (v *visit) checkServers(ctx context.Context) []Finding {
	var list mcpint.StatusList
	if err := v.Ask(ctx, doors.ListServers.Path(), &list); err != nil {
		return []Finding{{State: Ill, Text: err.Error()}}
	}
	var all []Finding
	for _, s := range list.Servers {
		part := "server " + s.ID
		if s.Status != mcpint.Connected {
			why := string(s.Status)
			if s.ErrorMessage != nil {
				why += ": " + *s.ErrorMessage
			}
			all = append(all, v.explainDisconnection(part, s, why))
			continue
		}
		all = append(all, Finding{Part: part, State: Well, Text: "connected"})
		for _, u := range s.ToolsUnused {
			if u.Resting {
				all = append(all, Finding{Part: part, State: Poor, Text: u.Tool + " is not used: " + u.Why, Mend: u.Allow})
			}
		}
		for _, c := range s.Forbidden() {
			all = append(all, Finding{Part: part, State: Well, Text: c.Text, Mend: c.Command})
		}
	}
	return all
}

// launcherSocket is where the packaged units let the gateway reach the service for servers
// of others.
const launcherSocket = "/run/voice-gateway-servers.socket"

// explainDisconnection says why a server is not connected, and what to do; why is its error.
func (v *visit) explainDisconnection(part string, s mcpint.Status, why string) Finding {
	f := Finding{Part: part, State: Ill, Text: why, Mend: v.Command + " servers retry " + s.ID}
	obstacle, found := mcpint.ObstacleIn(why)
	is := func(fault mcpint.Fault) bool { return s.Fault != nil && *s.Fault == fault }
	switch {
	case found && obstacle.Mend != "":
		f.Mend = obstacle.Mend
	case found && installedUnit("voice-gateway-servers.socket"):
		f.Mend = v.set("mcp.launcher", launcherSocket)
	case found:
		f.Mend, f.Do = "", "Install the units again (sudo apt-get install --reinstall voice-gateway, or sudo make install)."
	case is(mcpint.FaultNotFound):
		f.Mend, f.Do = "", "Install the program, or do without the server: "+v.set("mcp.servers."+s.ID, "null")
	case is(mcpint.FaultNotExecutable):
		f.Mend, f.Do = "", "The gateway's user must be allowed to start the program (chmod +x), and it must be made for this machine."
	case is(mcpint.FaultEnded):
		f.Do = "What it wrote before it ended says why."
	case is(mcpint.FaultNotMCP) && s.Transport == "stdio":
		f.Mend, f.Do = "", "Look at the command and the arguments under mcp.servers."+s.ID+" in the configuration."
	case s.Transport != "stdio" && mcpint.LacksKey(why):
		f.Mend, f.Do = v.mendKey(s)
	}
	return f
}

// mendKey says how a server gets another key, as a command or in words.
func (v *visit) mendKey(s mcpint.Status) (mend, do string) {
	const again = "; when the gateway has read it again (a restart, or SIGHUP), the new one is used."
	server := v.MCP.Servers[s.ID]
	switch {
	case s.ImportedFrom != nil:
		return "", "Correct the key in " + *s.ImportedFrom + again
	case server.Auth.PrivateKeyFile != "":
		return v.config("secret", "mcp.servers."+s.ID+".auth.private_key"), ""
	case server.Auth.IsSet():
		return v.config("secret", "mcp.servers."+s.ID+".auth.client_secret"), ""
	}
	return v.config("secret", "mcp.servers."+s.ID+".headers.Authorization"), ""
}

// house is what is wrong with the house of a gateway that runs: things that do not answer.
func (v *visit) house(ctx context.Context) []Finding {
	if !v.runs {
		return nil
	}
	var house home.Snapshot
	if err := v.Ask(ctx, doors.House.Path(), &house); err != nil {
		return []Finding{{State: Ill, Text: err.Error()}}
	}
	var away []string
	for _, e := range house.Entities {
		if e.Reachable != nil && !*e.Reachable {
			away = append(away, e.Name)
		}
	}
	all := well("%d things in %d rooms", len(house.Entities), len(house.Areas))
	if len(house.Entities) == 0 {
		all = []Finding{{State: Poor, Text: "no server tells of a house", Do: "Look at the servers above; a house that has just been connected takes a moment."}}
		if why := v.outage(); why != "" {
			all = []Finding{{State: Ill, Text: "nothing is known of the house", Do: why}}
		}
	}
	switch slices.Sort(away); {
	case len(away) > 0 && len(away) == len(house.Entities):
		all = append(all, Finding{State: Ill, Text: "nothing of it is reached", Do: cmp.Or(v.outage(), "Look at zwave-js-ui and at the servers above.")})
	case len(away) > 0:
		shown := away[:min(len(away), 5)]
		all = append(all, Finding{State: Poor, Text: "not reached: " + strings.Join(shown, ", ") + more(len(away)-len(shown)), Do: "Check that they have power, or a battery."})
	}
	return all
}

// outage is what keeps the servers of a gateway that runs from their devices, and what to
// do about it; "" if nothing is known.
func (v *visit) outage() string {
	for _, p := range v.ready.Parts {
		if p.Name == "mcp" && !v.lacksOnlyOthers(p.Why) {
			return p.Why
		}
	}
	return ""
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
