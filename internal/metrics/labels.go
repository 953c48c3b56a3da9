package metrics

import "slices"

// set is a closed set of label values: what is not in it counts as "other".
type set []string

func (s set) known(value string) string {
	if slices.Contains(s, value) {
		return value
	}
	return "other"
}

// The words of REQUIREMENTS M4, M5 and 2.4.
var (
	serverStates  = set{"connected", "disconnected", "connecting", "retrying", "failed"}
	healthStates  = set{"healthy", "degraded", "unresponsive", "dead"}
	breakerStates = set{"closed", "open", "half-open"}
	overallStates = set{"full", "partial", "degraded", "disconnected"}
	partStates    = set{"ready", "degraded", "starting", "failed"}

	callOutcomes = set{"ok", "failed", "timeout", "lost", "cancelled", "unavailable", "refused"}
	turnSources  = set{"mic", "file", "mqtt", "http", "cli"}
	turnRoutes   = set{"local", "model", "none", "refused"}
	turnOutcomes = set{"done", "failed", "asked", "ignored", "interrupted"}
)
