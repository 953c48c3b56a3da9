// Package hass turns a house behind Home Assistant into the tools that every house of ours
// offers (package home/form): list, verify, control, read. It exists because no answer of
// Home Assistant proves that anything has happened: a call succeeds for a lamp without
// power too. So every act is followed until the state of the thing itself shows it (see
// follow.go), and states are read from a mirror that Home Assistant keeps up to date, so
// that a question costs no way there and back.
//
// session.go keeps a connection and fills the mirror (mirror.go) and the registries
// (registry.go); link.go knows how it stands. model.go makes the house out of both,
// kinds.go says what each kind of thing is and can, plan.go how it is commanded.
// commander.go takes commands, read.go answers questions, chronicle.go reports what changes
// by itself, and trouble.go puts into words what went wrong.
//
// Only what Home Assistant shows to its assistants is named or acted on, always by exact
// entity ids. A new kind of thing is a line in kinds and a case in plan.go.
package hass

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// Prefix is how the tools of this house are told from those of others.
const Prefix = "homeassistant"

// Config says where the house is and what may be done to it.
type Config struct {
	Socket socket.Config
	// Token reads the long-lived access token. It is called before each attempt to connect,
	// so that a new one is taken without a restart.
	Token          func() (string, error)
	AllowDangerous bool          // offer the tool for dangerous acts
	Scripts        []string      // entity ids of the scripts that are run without asking; a script may do anything
	HostAsks       bool          // the host asks a person before it says that a command is confirmed; else nothing is
	Patience       time.Duration // how long a call for a thing may take, all in all
}

// DefaultConfig returns the settings of a Home Assistant that is found by its usual name.
func DefaultConfig() Config {
	return Config{Socket: socket.Config{URL: "http://homeassistant.local:8123"}, Patience: form.Patience}
}

// Validate says what is wrong with the settings.
func (c Config) Validate() error {
	for _, id := range c.Scripts {
		if !strings.HasPrefix(id, "script.") {
			return errors.New("the scripts that run without asking are named by their entity ids, such as script.good_night")
		}
	}
	switch {
	case c.Token == nil:
		return errors.New("a token of Home Assistant is needed: in your profile there, under Security, make a long-lived access token")
	case c.Patience <= 0:
		return errors.New("the patience of a control call must be more than 0, such as 4.5s")
	}
	return c.Socket.Validate()
}

// House is the live house. It is a form.House.
type House struct {
	cfg       Config
	log       *slog.Logger
	link      *link
	mirror    *mirror
	chronicle *chronicle
	commander *commander
	registry  *freshness
	changed   chan struct{}
	reshaped  chan struct{} // the structure may have changed
	rewritten chan struct{} // the registries have
}

// New checks the settings; Run connects the house.
func New(cfg Config, log *slog.Logger) (*House, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	log = log.With("part", "hass")
	h := &House{
		cfg: cfg, log: log, link: newLink(), chronicle: newChronicle(), registry: &freshness{},
		changed: make(chan struct{}, 1), reshaped: make(chan struct{}, 1), rewritten: make(chan struct{}, 1),
	}
	h.mirror = newMirror(h.chronicle.note)
	h.commander = &commander{cfg: cfg, log: log, link: h.link, mirror: h.mirror, chronicle: h.chronicle, running: map[string]*follower{}, registry: h.registry, rewritten: h.rewritten}
	return h, nil
}

// Run follows the house until ctx ends. Home Assistant may start, stop and restart at any
// time.
func (h *House) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { h.chronicle.run(ctx) })
	h.stayConnected(ctx)
	wg.Wait()
	return nil
}

// Home returns the structure of the house.
func (h *House) Home() home.House { return h.link.model().home }

// Loaded is closed when the house is known for the first time.
func (h *House) Loaded() <-chan struct{} { return h.link.loaded }

// Changed receives after the structure of the house has changed, at most once a second. It
// has one reader.
func (h *House) Changed() <-chan struct{} { return h.changed }

// Events returns the newest of what the house told by itself.
func (h *House) Events() form.Events { return h.chronicle.read() }

// Told receives after there is a new event. It has one reader.
func (h *House) Told() <-chan struct{} { return h.chronicle.changed }

// Control carries out a command; it ends with a receipt.
func (h *House) Control(ctx context.Context, c form.Command, mayBeDangerous bool) (tools.Receipt, error) {
	return h.commander.command(ctx, c, mayBeDangerous)
}
