package ai

import (
	"regexp"
	"strings"
)

// What a model says about its acts is worth nothing without a receipt. These
// patterns find sentences that claim or promise one. They are English and
// narrow: a claim they miss is still no receipt, and a harmless sentence they
// take away costs that sentence.
const (
	past = `(?:turned|switched|set|adjusted|dimmed|brightened|opened|closed|shut|locked|unlocked|started|stopped|changed|activated|deactivated|raised|lowered|muted|unmuted|toggled|enabled|disabled|increased|decreased|reduced|put|made)`
	base = `(?:turn|switch|set|adjust|dim|brighten|open|close|shut|lock|unlock|start|stop|change|activate|deactivate|raise|lower|mute|unmute|toggle|enable|disable|increase|decrease|reduce|put|make|do|get)`
	ing  = `(?:turning|switching|setting|adjusting|dimming|brightening|opening|closing|shutting|locking|unlocking|starting|stopping|changing|activating|deactivating|raising|lowering|muting|unmuting|toggling|enabling|disabling|increasing|decreasing|reducing)`
)

var (
	// Like "I've turned", "I have now set", "I'll close" and "I am turning".
	ownAct = regexp.MustCompile(`(?i)\bI(?:['’]ve| have)?(?: (?:now|just|also|already))? ` + past + `\b` +
		`|\bI(?:['’]ll| will)(?: now)? ` + base + `\b|\bI(?:['’]m| am)(?: now)? ` + ing + `\b`)
	// Like "Done.", "All set!" and "Okay, turning on the lamp.".
	ready = regexp.MustCompile(`(?i)^(?:(?:ok|okay|sure|certainly|of course|yes|great|alright|right)\b[,.!]? )?` +
		`(?:it['’]s done\b|done\b|all (?:set|done)\b|consider it done|` + ing + ` (?:on|off|up|down|the|your|it|all|both)\b)`)
	// Like "It has been turned off.", "The lamp is now on." and "Lamp turned on.".
	changed = regexp.MustCompile(`(?i)\b(?:has|have) been ` + past + `|\b(?:is|are) now\b|\bsuccessfully\b|\b(?:turned|switched) (?:on|off)\b`)
	// Like "The lamp is on.".
	state = regexp.MustCompile(`(?i)(?:\b(?:is|are)|['’]s) (?:already |all )?(?:on|off|` + past + `)\b`)
	// A claim that is denied is none: "I have not turned it off", "I can't open it".
	denial = regexp.MustCompile(`(?i)\b(?:not|never|unable|nothing|cannot)\b|n['’]t\b`)
)

// doubt is how much of what a model says about the house is taken for a claim.
type doubt int

const (
	ofActs    doubt = iota // a question: only "I did" and "done"
	ofChanges              // a command without a receipt: also "it is now on"
	ofStates               // ... and nothing was read either: also "it is on"
)

// claims reports whether a sentence says that something was or will be done.
func claims(sentence string, d doubt) bool {
	if denial.MatchString(sentence) || strings.HasSuffix(sentence, "?") {
		return false
	}
	return ownAct.MatchString(sentence) || ready.MatchString(sentence) ||
		(d >= ofChanges && changed.MatchString(sentence)) ||
		(d >= ofStates && state.MatchString(sentence))
}
