package mcpint

import "time"

// Status is what the outside sees of one server (DESIGN M4). What is not known is
// null in JSON.
type Status struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	Essential bool   `json:"essential"`
	Status    State  `json:"status"`
	RetryStatus
	HealthStatus
	PeerStatus
	ToolsChanged []string `json:"toolsChanged"` // not what they were at first sight (DESIGN S5)
	Failure      *Failure `json:"-"`            // set while the status is failed; see FailureText
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

// Overall sums up servers as one word (DESIGN M5): full when all are connected,
// disconnected when an essential one is not, else partial when some optional one
// is connected and degraded when only the essential ones are.
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

// known returns a pointer to v, or nil for the zero value, which stands for unknown.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// moment is a time for a status: null when unknown, to the millisecond in UTC.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}
