// Package local has the tools that need no server: date and time, web search,
// volume. They answer while every MCP server is away. A new tool is a file
// with a constructor that ends in tools.New, and a line in All. Loudness
// makes what must be heard loud enough, and gives the volume back afterwards.
package local

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"voicegateway/internal/tools"
)

// Config is the tools part of the configuration.
type Config struct {
	Search Search       `yaml:"search"`
	Volume VolumeConfig `yaml:"volume"`
}

// Deps is what the tools need from outside. Log must be given; the zero values of
// the others suit a daemon.
type Deps struct {
	Log       *slog.Logger
	Now       func() time.Time  // nil: the system's clock
	Zone      *time.Location    // nil: the system's zone
	HTTP      http.RoundTripper // nil: the usual one
	SearchKey string            // the search provider's key, for google
}

// Default searches nowhere and finds the volume control by itself.
func Default() Config {
	return Config{Search: Search{Provider: "none", Timeout: 4 * time.Second}, Volume: defaultVolume()}
}

// Validate reports what is wrong with the search and with the volume, each with its
// key and what was expected.
func (c Config) Validate() error { return errors.Join(c.Search.validate(), c.Volume.validate()) }

// All makes the local tools; there is no search without a provider. The Volume is also returned by itself, for the
// commands that change it without a tool call and for the speaker's gain.
func All(cfg Config, deps Deps) ([]tools.Tool, *Volume, error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	if deps.Log == nil {
		return nil, nil, fmt.Errorf("making the local tools: no logger is given")
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	deps.Zone = cmp.Or(deps.Zone, time.Local)
	volume := newVolume(cfg.Volume, deps.Log)
	list := []tools.Tool{newDatetime(deps.Now, deps.Zone), newVolumeTool(volume)}
	if providers[cfg.Search.Provider].ask != nil {
		list = append(list, newSearch(cfg.Search, deps))
	}
	return list, volume, nil
}

// failure is a result that the user can hear.
func failure(format string, args ...any) tools.Result {
	return tools.Result{Failed: true, Text: fmt.Sprintf(format, args...)}
}
