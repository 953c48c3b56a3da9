package mcpint

import "time"

// Status is what the outside sees of one server (REQUIREMENTS M4): over HTTP and
// MCP, in the commands and the metrics. What is not known is null in JSON.
type Status struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	Essential bool   `json:"essential"`
	Status    State  `json:"status"`

	// These fields say where the server is in its schedule.
	RetryCount    int        `json:"retryCount"`    // retries since the last stable connection, at most MaxRetries
	MaxRetries    int        `json:"maxRetries"`    // attempts − 1
	RetriesOff    bool       `json:"retriesOff"`    // nothing is tried again without a request
	LastRetryTime *time.Time `json:"lastRetryTime"` // when the last retry, or the last attempt that failed, began
	NextRetryTime *time.Time `json:"nextRetryTime"`
	ErrorMessage  *string    `json:"errorMessage"`
	Fault         *Fault     `json:"fault"` // of the last error, in one word; null without one, or where the error alone says it

	// These fields say how well it answers.
	Health              Health       `json:"health"`
	HealthReason        *string      `json:"healthReason"` // null when healthy
	Breaker             BreakerState `json:"breaker"`
	BreakerSince        *time.Time   `json:"breakerSince"`        // null when it never changed
	BreakerUntil        *time.Time   `json:"breakerUntil"`        // when the pause of an open one ends, else null
	ConsecutiveFailures int          `json:"consecutiveFailures"` // calls, checks and attempts to connect
	LastSuccess         *time.Time   `json:"lastSuccess"`

	// These fields say who it is.
	Tools        *int     `json:"tools"`        // how many it offers
	ImportedFrom *string  `json:"importedFrom"` // the list of another host; null for a server of our own configuration
	PID          *int     `json:"pid"`
	Version      *string  `json:"version"`
	ToolsChanged []string `json:"toolsChanged"` // not what they were at first sight (REQUIREMENTS S5)
	// ToolsUnused are those that it offers and that are not used (REQUIREMENTS M16).
	// The list has at most MostUnused of them, the count has all.
	ToolsUnused      []UnusedTool `json:"toolsUnused"`
	ToolsUnusedCount int          `json:"toolsUnusedCount"`

	Report string `json:"-"` // the report of REQUIREMENTS M2 while the status is failed, else empty
}

// StatusList is the state of all servers.
type StatusList struct {
	Overall Overall  `json:"overall"`
	Servers []Status `json:"servers"` // by id
}

// ListOf sums up the servers.
func ListOf(servers []Status) StatusList {
	if servers == nil {
		servers = []Status{} // a list in JSON, too
	}
	return StatusList{Overall: OverallOf(servers), Servers: servers}
}

// State is what a server's supervisor is doing.
type State string

// The states of REQUIREMENTS M4.
const (
	Disconnected State = "disconnected" // not tried yet, or just lost
	Connecting   State = "connecting"   // an attempt is under way
	Connected    State = "connected"
	Retrying     State = "retrying" // waiting for the next attempt
	Failed       State = "failed"   // the attempts are used up; still tried, slowly
)

// States lists all of them.
func States() []State { return []State{Disconnected, Connecting, Connected, Retrying, Failed} }

// Health is a verdict on a server, derived and never stored.
type Health string

// The verdicts, best first.
const (
	Healthy      Health = "healthy"
	Degraded     Health = "degraded"     // one failure, or a slow last call
	Unresponsive Health = "unresponsive" // two silences in a row
	Dead         Health = "dead"         // no connection
)

// Healths lists all of them.
func Healths() []Health { return []Health{Healthy, Degraded, Unresponsive, Dead} }

// BreakerState says whether calls to a server are made (REQUIREMENTS M9).
type BreakerState string

// The states of a circuit breaker.
const (
	BreakerClosed   BreakerState = "closed"    // calls are made
	BreakerOpen     BreakerState = "open"      // none is made
	BreakerHalfOpen BreakerState = "half-open" // one call is tried
)

// BreakerStates lists all of them.
func BreakerStates() []BreakerState {
	return []BreakerState{BreakerClosed, BreakerOpen, BreakerHalfOpen}
}

// Overall is the state of all servers as one word (REQUIREMENTS M5).
type Overall string

// The words, best first.
const (
	OverallFull         Overall = "full"         // all are connected
	OverallPartial      Overall = "partial"      // the essential ones are, and some of the others
	OverallDegraded     Overall = "degraded"     // only the essential ones are
	OverallDisconnected Overall = "disconnected" // an essential one is not
)

// Overalls lists all of them.
func Overalls() []Overall {
	return []Overall{OverallFull, OverallPartial, OverallDegraded, OverallDisconnected}
}

// OverallOf sums up servers as one word.
func OverallOf(servers []Status) Overall {
	optional, connected := 0, 0
	for _, s := range servers {
		switch up := s.Status == Connected; {
		case s.Essential && !up:
			return OverallDisconnected
		case !s.Essential:
			optional++
			if up {
				connected++
			}
		}
	}
	switch {
	case connected == optional:
		return OverallFull
	case connected > 0:
		return OverallPartial
	}
	return OverallDegraded
}

// CallOutcome is how a tool call ended, for metrics.
type CallOutcome string

// The outcomes.
const (
	CallOK          CallOutcome = "ok"          // answered
	CallFailed      CallOutcome = "failed"      // answered with the tool's or the server's own failure
	CallTimeout     CallOutcome = "timeout"     // sent, and no answer in time
	CallLost        CallOutcome = "lost"        // sent, and the connection ended
	CallCancelled   CallOutcome = "cancelled"   // its caller broke it off
	CallUnavailable CallOutcome = "unavailable" // not sent: no connection
	CallRefused     CallOutcome = "refused"     // not sent: the breaker is open
)

// CallOutcomes lists all of them.
func CallOutcomes() []CallOutcome {
	return []CallOutcome{CallOK, CallFailed, CallTimeout, CallLost, CallCancelled, CallUnavailable, CallRefused}
}
