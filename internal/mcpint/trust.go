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
	Allow string `json:"allow"` // the command of its first choice; "" where nothing allows it
	// Choices are what would let it be used, the most careful one first.
	Choices []Choice `json:"choices"`
	Cause   Cause    `json:"-"`
	// Resting means that it is trusted far enough, and waits to be accepted.
	Resting bool `json:"resting"`
}

// Choice is a command that lets tools be used.
type Choice struct {
	Level   Level  `json:"level"`
	Command string `json:"command"` // complete, as a shell takes it
}

// Level says which tools a command lets be used.
type Level string

// The levels, the most careful one first.
const (
	LevelRead   Level = "read"   // of a server those that only read
	LevelAct    Level = "act"    // of a server also those that change something, each after a question
	LevelOne    Level = "one"    // the one tool, after a question
	LevelAccept Level = "accept" // the one tool, as it is now
)

var levels = []Level{LevelRead, LevelAct, LevelOne, LevelAccept}

// means says in words what each level allows.
var means = map[Level]string{
	LevelRead: "to use those that only read", LevelAct: "to use also those that change something, each after a question",
	LevelOne: "to use one tool alone, after a question", LevelAccept: "to accept one tool as it is now",
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

// MostUnused bounds how many unused tools a status lists.
const MostUnused = 100

// mostShown bounds the names and the commands in one text for a person; the text says how
// many more there are.
const mostShown = 5

// ExplainUnused says for a person which tools of a server are not used and why, with the commands
// that would allow them: one text for each reason.
func (s Status) ExplainUnused() []string {
	var all []string
	for _, g := range s.unusedGroups() {
		lines := []string{g.text()}
		for _, level := range levels {
			if commands, tools := g.commands(level); tools > 0 {
				lines = append(lines, fmt.Sprintf("    %s (%d):", means[level], tools), "      "+andMore(commands, "\n      "))
			}
		}
		all = append(all, strings.Join(lines, "\n"))
	}
	if more := s.ToolsUnusedCount - len(s.ToolsUnused); more > 0 {
		all = append(all, fmt.Sprintf("%s not used and not listed here", counted(more, "more tool is", "more tools are")))
	}
	return all
}

// Permission is a command that would let tools of a server be used, and in words what it
// would allow.
type Permission struct{ Text, Command string }

// Forbidden are the tools that the configuration keeps from being used, by reason: for each
// the commands that would allow them, those for the whole server if there are any.
func (s Status) Forbidden() []Permission {
	var all []Permission
	for _, g := range s.unusedGroups() {
		if g[0].Resting {
			continue
		}
		before := g.text() + "; "
		for _, level := range []Level{LevelRead, LevelAct, LevelOne} {
			commands, tools := g.commands(level)
			if tools == 0 || level == LevelOne && before == "or " {
				continue
			}
			all = append(all, Permission{fmt.Sprintf("%s%s (%d)", before, means[level], tools), commands[0]})
			before = "or "
		}
	}
	return all
}

// unusedGroup are tools that are not used for one reason; there is at least one.
type unusedGroup []UnusedTool

func (s Status) unusedGroups() []unusedGroup {
	var groups []unusedGroup
	for _, u := range s.ToolsUnused {
		if i := slices.IndexFunc(groups, func(g unusedGroup) bool { return g[0].Why == u.Why }); i >= 0 {
			groups[i] = append(groups[i], u)
		} else {
			groups = append(groups, unusedGroup{u})
		}
	}
	return groups
}

// text says how many tools they are, why they are not used, and their first names.
func (g unusedGroup) text() string {
	names := make([]string, 0, len(g))
	for _, u := range g {
		names = append(names, u.Tool)
	}
	return fmt.Sprintf("%s not used, because %s: %s", counted(len(g), "tool is", "tools are"), g[0].Why, andMore(names, ", "))
}

// commands are those of a level, each once, and how many of the tools they allow.
func (g unusedGroup) commands(level Level) (commands []string, tools int) {
	for _, u := range g {
		for _, c := range u.Choices {
			if c.Level != level {
				continue
			}
			tools++
			if !slices.Contains(commands, c.Command) {
				commands = append(commands, c.Command)
			}
		}
	}
	return commands, tools
}

// andMore joins the first texts of a list, and says how many more there are.
func andMore(list []string, by string) string {
	text := strings.Join(list[:min(len(list), mostShown)], by)
	if more := len(list) - mostShown; more > 0 {
		text += fmt.Sprintf("%sand %d more", strings.Replace(by, ", ", " ", 1), more)
	}
	return text
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
