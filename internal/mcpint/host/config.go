package host

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"voicegateway/internal/mcpint"
)

// Settings is the mcp part of the configuration.
type Settings struct {
	Retry   Retry                    `yaml:"retry"`
	Breaker BreakerConfig            `yaml:"breaker"`
	Health  HealthCheck              `yaml:"health"`
	Import  []string                 `yaml:"import"` // files with the servers of other hosts
	Servers map[string]mcpint.Server `yaml:"servers"`
	// Launcher is the socket of the service that starts the servers of others; "": we
	// start them ourselves. See process.Launch.
	Launcher string `yaml:"launcher"`
}

// Retry says whether and when a server is tried again; a server's own schedule
// overrides it.
type Retry struct {
	Enabled         bool `yaml:"enabled"` // false: one attempt, and no timer ever starts another
	mcpint.Schedule `yaml:",inline"`
}

// BreakerConfig says when calls to a server that does not answer are refused
// (REQUIREMENTS M9).
type BreakerConfig struct {
	Threshold int           `yaml:"threshold"` // calls without an answer in a row; zero means 3
	Recovery  time.Duration `yaml:"recovery"`  // how long calls are refused before a trial; zero means 60 s
}

// HealthCheck says when a connected server is asked for a sign of life
// (REQUIREMENTS M8).
type HealthCheck struct {
	Interval time.Duration `yaml:"interval"` // between two checks; after a call without an answer one comes at once
	Timeout  time.Duration `yaml:"timeout"`  // how long the sign may take
}

const (
	defaultThreshold      = 3
	defaultRecovery       = time.Minute
	defaultHealthInterval = 30 * time.Second
	defaultHealthTimeout  = 5 * time.Second
)

// Default returns the recommended settings, without any servers.
func Default() Settings {
	return Settings{
		Retry:   DefaultRetry(),
		Breaker: BreakerConfig{Threshold: defaultThreshold, Recovery: defaultRecovery},
		Health:  HealthCheck{Interval: defaultHealthInterval, Timeout: defaultHealthTimeout},
		Import:  []string{},
		Servers: map[string]mcpint.Server{},
	}
}

// DefaultRetry waits 0, 2 and 4 s before the first three attempts, then longer
// each time up to 60 s.
func DefaultRetry() Retry {
	return Retry{Enabled: true, Schedule: mcpint.Schedule{
		Attempts: 3, BaseDelay: 2 * time.Second, Multiplier: 2, MaxDelay: time.Minute, SlowInterval: time.Minute,
	}}
}

// Config returns the configuration of a host for these servers, in the order of the
// file.
func (s Settings) Config() Config {
	c := Config{Retry: s.Retry, Breaker: s.Breaker, Health: s.Health}
	for _, id := range slices.Sorted(maps.Keys(s.Servers)) {
		server := s.Servers[id]
		server.ID = id
		c.Servers = append(c.Servers, server)
	}
	slices.SortStableFunc(c.Servers, func(a, b mcpint.Server) int { return cmp.Compare(a.Place, b.Place) })
	return c
}

// Houses are the ids of the servers that may tell a house, in their stable order.
func (s Settings) Houses() []string {
	var ids []string
	for id, server := range s.Servers {
		if server.House {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Validate says everything that is wrong, each with the key and what would be
// right.
func (s Settings) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcp."+key+": "+format, args...))
	}
	if s.Retry.Attempts < 1 {
		bad("retry.attempts", "%d is too small; expected 1 or more", s.Retry.Attempts)
	}
	if s.Retry.Multiplier < 1 {
		bad("retry.multiplier", "%g is too small; expected 1 or more", s.Retry.Multiplier)
	}
	for key, d := range map[string]time.Duration{
		"retry.base_delay": s.Retry.BaseDelay, "retry.max_delay": s.Retry.MaxDelay,
		"retry.slow_interval": s.Retry.SlowInterval, "health.interval": s.Health.Interval,
		"health.timeout": s.Health.Timeout, "breaker.recovery": s.Breaker.Recovery,
	} {
		if d <= 0 {
			bad(key, "%s is not a waiting time; expected something like 2s", d)
		}
	}
	if s.Breaker.Threshold < 1 {
		bad("breaker.threshold", "%d is too small; expected 1 or more calls", s.Breaker.Threshold)
	}
	for _, server := range s.Config().Servers {
		errs = append(errs, server.Validate())
	}
	return errors.Join(errs...)
}
