package metrics

import (
	"slices"

	"voicegateway/internal/mcpint"
)

// set is a closed set of label values; any other value counts as "other".
type set []string

func setOf[T ~string](words []T) set {
	var s set
	for _, word := range words {
		s = append(s, string(word))
	}
	return s
}

func (s set) known(value string) string {
	if slices.Contains(s, value) {
		return value
	}
	return "other"
}

// The words of servers, parts and turns.
var (
	serverStates  = setOf(mcpint.States())
	healthStates  = setOf(mcpint.Healths())
	breakerStates = setOf(mcpint.BreakerStates())
	overallStates = setOf(mcpint.Overalls())
	callOutcomes  = setOf(mcpint.CallOutcomes())
	partStates    = set{"ready", "degraded", "starting", "failed"}

	toolCauses = setOf(mcpint.Causes())

	turnSources  = set{"mic", "file", "mqtt", "http", "cli", "mcp", "page", "timer", "button"}
	turnRoutes   = set{"local", "model", "none", "refused"}
	turnOutcomes = set{"done", "accepted", "failed", "asked", "ignored", "interrupted"}
	turnRisks    = set{"none", "read", "reversible", "costly", "dangerous"}

	wakeReasons    = set{"nothing_said", "no_command"}
	workerNames    = set{"audio", "stt", "stt-moonshine", "wake"}
	restartReasons = set{"ended", "refused"}
)
