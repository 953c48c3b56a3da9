package host

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// offer decides which tools of a server are used, by what the configuration allows,
// how far the server is trusted, and what was accepted (REQUIREMENTS M16, S5).
type offer struct {
	server  mcpint.Server
	command string // as a user calls our program
	log     *slog.Logger

	mu      sync.Mutex // one list is taken over at a time
	pins    pins
	last    client.Listing                                                                   // the list taken over last
	refused map[string]bool                                                                  // the tools that the server of the language model refuses
	told    string                                                                           // what was logged last of unused tools
	apply   func(used []tools.Spec, changed []string, unused []mcpint.UnusedTool, count int) // uses the tools, and shows the others, of which unused may be a part
}

// adopt takes over a list of the server's tools. It returns how many are used, and the
// changed ones that were not reported before.
func (o *offer) adopt(list client.Listing) (count int, untold []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = list
	return o.renew()
}

// accept lets tools be used that rest because they are new or not what they were: one
// by its name, or with "" all of them. It returns their names.
func (o *offer) accept(name string) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var resting []tools.Spec
	for _, spec := range o.last.Tools {
		if o.pins.rests(spec) && (name == "" || name == spec.Name) {
			resting = append(resting, spec)
		}
	}
	if name != "" && len(resting) == 0 {
		return nil, &NotRestingError{Server: o.server.ID, Tool: name}
	}
	o.pins.accept(resting)
	o.renew()
	names := make([]string, 0, len(resting))
	for _, spec := range resting {
		names = append(names, nameText(o.server, spec.Name))
	}
	slices.Sort(names)
	return names, nil
}

// refusedByModel is why a tool is not used that the model cannot be offered.
const refusedByModel = "the server of the language model refuses it"

// refuse shows a tool that the server of the language model refuses. Others can use it.
func (o *offer) refuse(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refused[name] {
		return
	}
	if o.refused == nil {
		o.refused = map[string]bool{}
	}
	o.refused[name] = true
	o.renew()
}

// NotRestingError means that a tool is not waiting to be accepted.
type NotRestingError struct{ Server, Tool string }

func (e *NotRestingError) Error() string {
	return fmt.Sprintf("no tool %q of the MCP server %q waits to be accepted", e.Tool, e.Server)
}

// renew hands over what is used of the last list. The caller holds mu.
func (o *offer) renew() (count int, untold []string) {
	changed, untold := o.pins.check(o.last.Tools)
	var used []tools.Spec
	unused := []mcpint.UnusedTool{}
	for _, skipped := range o.last.Skipped {
		unused = append(unused, mcpint.UnusedTool{Tool: cmp.Or(nameText(o.server, skipped.Tool), "(no name)"), Why: skipped.Why, Choices: []mcpint.Choice{}, Cause: mcpint.CauseUnfit})
	}
	for _, spec := range o.last.Tools {
		if !o.server.Tools.Lets(spec.Name) {
			continue // the person's own choice
		}
		judged, why := o.judge(spec)
		if why == nil {
			used = append(used, judged)
			if !o.refused[spec.Name] {
				continue
			}
			why = &mcpint.UnusedTool{Why: refusedByModel, Choices: []mcpint.Choice{}, Cause: mcpint.CauseUnfit}
		}
		why.Tool = nameText(o.server, spec.Name)
		unused = append(unused, *why)
	}
	slices.SortFunc(unused, func(a, b mcpint.UnusedTool) int { return cmp.Compare(a.Tool, b.Tool) })
	unused = slices.CompactFunc(unused, func(a, b mcpint.UnusedTool) bool { return a.Tool == b.Tool && a.Why == b.Why })
	o.apply(used, changed, unused[:min(len(unused), mcpint.MostUnused)], len(unused))
	o.tell(unused)
	return len(used), untold
}

// judge returns a tool as it may be used, or why it is not used. Only a trusted server
// decides what its tools may do; a tool of another server counts as costly, so that the
// user is asked first, and its answers count as text from outside.
func (o *offer) judge(spec tools.Spec) (tools.Spec, *mcpint.UnusedTool) {
	if o.server.Trust == mcpint.TrustNone {
		choices := []mcpint.Choice{o.trust(mcpint.LevelAct)}
		if spec.Risk == tools.Read {
			choices = []mcpint.Choice{o.trust(mcpint.LevelRead), choices[0]}
		}
		return spec, unused("nothing of this server is called (trust: none)", mcpint.CauseTrust, choices...)
	}
	rule, ruled := o.server.Risk.Of(spec.Name)
	rests, changed := o.pins.rests(spec), o.pins.changed(spec)
	switch {
	case rule == mcpint.RiskOff:
		return spec, unused("it is off (risk)", mcpint.CauseRisk, o.one(spec))
	case ruled:
		spec.Risk = tools.Risk(rule)
	case o.server.Trust == mcpint.TrustRead && spec.Risk != tools.Read:
		return spec, unused("it writes, or does not say that it only reads", mcpint.CauseTrust, o.trust(mcpint.LevelAct), o.one(spec))
	case o.server.Trust == mcpint.TrustAct && spec.Risk != tools.Read:
		spec.Risk = tools.Costly
	}
	if rests {
		why, cause := "it is new", mcpint.CauseNew
		if changed {
			why, cause = "it is not what it was when it was accepted", mcpint.CauseChanged
		}
		resting := unused(why, cause, mcpint.Choice{Level: mcpint.LevelAccept, Command: o.run("servers", "accept", o.server.ID, nameText(o.server, spec.Name))})
		resting.Resting = true
		return spec, resting
	}
	believed := o.server.Trust == mcpint.TrustFull
	spec.Believed, spec.OpenWorld, spec.Idempotent = believed, !believed, spec.Idempotent && (believed || spec.Risk == tools.Read)
	return spec, nil
}

// unused is a tool that is not used, without its name.
func unused(why string, cause mcpint.Cause, choices ...mcpint.Choice) *mcpint.UnusedTool {
	return &mcpint.UnusedTool{Why: why, Cause: cause, Allow: choices[0].Command, Choices: choices}
}

// trust is the choice to trust the whole server so far.
func (o *offer) trust(level mcpint.Level) mcpint.Choice {
	return mcpint.Choice{Level: level, Command: o.run("config", "set", config.KeyPath("mcp", "servers", o.server.ID, "trust"), string(level))}
}

// one is the choice to use one tool, after a question.
func (o *offer) one(spec tools.Spec) mcpint.Choice {
	key := config.KeyPath("mcp", "servers", o.server.ID, "risk", nameText(o.server, spec.Name))
	return mcpint.Choice{Level: mcpint.LevelOne, Command: o.run("config", "set", key, string(tools.Costly))}
}

// run is a command of our program, as a shell takes it. What follows -- is no flag.
func (o *offer) run(words ...string) string {
	line := cmp.Or(o.command, "voice-gateway")
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }) {
		line, words = line+" "+words[0]+" "+words[1]+" --", words[2:]
	}
	for _, w := range words {
		line += " " + process.ShellWord(w)
	}
	return line
}

// tell logs which tools are not used, once for each list of them.
func (o *offer) tell(unused []mcpint.UnusedTool) {
	byWhy := map[string][]string{}
	for _, u := range unused {
		if u.Why != refusedByModel { // that is logged with what the model's server says
			byWhy[u.Why] = append(byWhy[u.Why], u.Tool)
		}
	}
	said := fmt.Sprint(byWhy)
	if said == o.told {
		return
	}
	o.told = said
	for _, why := range slices.Sorted(maps.Keys(byWhy)) {
		of := byWhy[why]
		first := unused[slices.IndexFunc(unused, func(u mcpint.UnusedTool) bool { return u.Why == why })]
		const shown = 10
		log := o.log
		if first.Allow != "" {
			log = log.With("allow", first.Allow)
		}
		if more := len(of) - shown; more > 0 {
			log = log.With("more", more)
		}
		log.Warn("tools of an MCP server are not used", "why", why, "count", len(of), "tools", of[:min(len(of), shown)])
	}
}
