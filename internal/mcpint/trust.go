package mcpint

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Trust says how far the word of a server is believed (REQUIREMENTS M16). It is
// given in the configuration; nothing that a server says changes it.
type Trust string

// The levels, each with all that the ones before it have.
const (
	TrustNone Trust = "none" // its tools are listed and never called
	TrustRead Trust = "read" // tools that call themselves read-only are used; what they answer taints
	TrustAct  Trust = "act"  // also tools that write or say nothing, after a question
	TrustFull Trust = "full" // what it says of its tools is believed, and their answers do not taint
)

// Trusts lists all of them.
func Trusts() []Trust { return []Trust{TrustNone, TrustRead, TrustAct, TrustFull} }

// RiskRules say what tools can do, by their names or patterns of names: read,
// reversible, costly, dangerous, or off for a tool that is not used.
type RiskRules map[string]string

// RiskOff is the rule for a tool that is not used.
const RiskOff = "off"

// Of returns the rule for a tool; ok is false if there is none. A name goes before
// patterns, and a longer pattern before a shorter one.
func (r RiskRules) Of(name string) (rule string, ok bool) {
	if rule, ok = r[name]; ok {
		return rule, true
	}
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }
	for _, pattern := range slices.SortedFunc(maps.Keys(r), longest) {
		if fits, _ := path.Match(pattern, name); fits { // patterns are checked before
			return r[pattern], true
		}
	}
	return "", false
}

// Check says what is wrong with the rules.
func (r RiskRules) Check() error {
	var errs []error
	for _, pattern := range slices.Sorted(maps.Keys(r)) {
		if _, err := path.Match(pattern, ""); err != nil {
			errs = append(errs, fmt.Errorf("%q is no pattern for tool names; expected something like get_* or delete_?", pattern))
		}
		if !slices.Contains([]string{"read", "reversible", "costly", "dangerous", RiskOff}, r[pattern]) {
			errs = append(errs, fmt.Errorf("%q: %q is no risk; expected read, reversible, costly, dangerous or off", pattern, r[pattern]))
		}
	}
	return errors.Join(errs...)
}

// UnusedTool is a tool that a server offers and that the gateway does not use.
type UnusedTool struct {
	Tool  string `json:"tool"`  // its name there, fit to be shown
	Why   string `json:"why"`   // in words
	Allow string `json:"allow"` // the line of the configuration, or the command, that would allow it; "" where nothing does
	Cause Cause  `json:"-"`
	// Resting means that it is trusted far enough, and waits to be accepted.
	Resting bool `json:"resting"`
}

// Cause says why a tool is not used.
type Cause string

// The causes.
const (
	CauseTrust   Cause = "trust"   // the server is not trusted so far
	CauseRisk    Cause = "risk"    // a rule of the configuration
	CauseNew     Cause = "new"     // it appeared later and waits to be accepted
	CauseChanged Cause = "changed" // it is not what was accepted
	CauseUnfit   Cause = "unfit"   // it cannot be called as it is offered
)

// Causes lists all of them.
func Causes() []Cause { return []Cause{CauseTrust, CauseRisk, CauseNew, CauseChanged, CauseUnfit} }

// Unused says for a person which tools of a server are not used and why, with the lines
// that would allow them: one text for each reason.
func (s Status) Unused() []string {
	var whys []string
	of := map[string][]UnusedTool{}
	for _, u := range s.ToolsUnused {
		if len(of[u.Why]) == 0 {
			whys = append(whys, u.Why)
		}
		of[u.Why] = append(of[u.Why], u)
	}
	var all []string
	for _, why := range whys {
		var names, lines []string
		for _, u := range of[why] {
			names = append(names, u.Tool)
			if u.Allow != "" && !slices.Contains(lines, u.Allow) {
				lines = append(lines, u.Allow)
			}
		}
		const shown = 5
		text := fmt.Sprintf("not used, because %s: %s", why, strings.Join(names, ", "))
		if len(lines) > 0 {
			text += "\n    to allow:\n      " + strings.Join(lines[:min(len(lines), shown)], "\n      ")
		}
		all = append(all, text)
	}
	return all
}
