package mcpint

import "time"

// Status is what the outside sees of one server (REQUIREMENTS M4). What is not
// known is null in JSON.
type Status struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	Essential bool   `json:"essential"`
	Status    State  `json:"status"`
	RetryStatus
	HealthStatus
	PeerStatus
	ToolsChanged []string `json:"toolsChanged"` // not what they were at first sight (REQUIREMENTS S5)
	Report       string   `json:"-"`            // the report of REQUIREMENTS M2 while the status is failed, else empty
}

// RetryStatus is where a server is in its schedule.
type RetryStatus struct {
	RetryCount    int        `json:"retryCount"` // retries since the last stable connection
	MaxRetries    int        `json:"maxRetries"` // attempts − 1
	LastRetryTime *time.Time `json:"lastRetryTime"`
	NextRetryTime *time.Time `json:"nextRetryTime"`
	ErrorMessage  *string    `json:"errorMessage"`
}

// HealthStatus is how well a server answers.
type HealthStatus struct {
	Health              Health     `json:"health"`
	HealthReason        *string    `json:"healthReason"` // null when healthy
	Breaker             string     `json:"breaker"`      // closed, open or half-open
	BreakerSince        *time.Time `json:"breakerSince"` // null when it never changed
	ConsecutiveFailures int        `json:"consecutiveFailures"`
	LastSuccess         *time.Time `json:"lastSuccess"`
}

// PeerStatus is who the server is.
type PeerStatus struct {
	Tools   *int    `json:"tools"` // how many it offers
	PID     *int    `json:"pid"`
	Version *string `json:"version"`
}

// State is what a server's supervisor is at.
type State string

// The states of REQUIREMENTS M4.
const (
	Disconnected State = "disconnected" // not tried yet, or just lost
	Connecting   State = "connecting"   // an attempt is under way
	Connected    State = "connected"
	Retrying     State = "retrying" // waiting for the next attempt
	Failed       State = "failed"   // the attempts are used up; still tried, slowly
)

// Health is a verdict on a server, derived and never stored.
type Health string

// The verdicts, best first.
const (
	Healthy      Health = "healthy"
	Degraded     Health = "degraded"     // one failure, or a slow last call
	Unresponsive Health = "unresponsive" // two silences in a row
	Dead         Health = "dead"         // no connection
)

// Overall sums up servers as one word (REQUIREMENTS M5): full when all are
// connected, disconnected when an essential one is not, else partial when some
// optional one is connected and degraded when only the essential ones are.
func Overall(servers []Status) string {
	optional, connected := 0, 0
	for _, s := range servers {
		switch up := s.Status == Connected; {
		case s.Essential && !up:
			return "disconnected"
		case !s.Essential:
			optional++
			if up {
				connected++
			}
		}
	}
	switch {
	case connected == optional:
		return "full"
	case connected > 0:
		return "partial"
	}
	return "degraded"
}
