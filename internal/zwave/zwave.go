// Package zwave turns the Z-Wave house behind zwave-js-ui's MQTT gateway into tools:
// list, verify, control, read. It exists because a spoken command must end in a fact, so
// every write is followed until the device itself reports (see write.go), and because
// names, topics and gateway settings change at any time, so devices are identified by
// home id, node id and value id only (see model.go).
//
// Messages from the broker are taken in intake.go, the list of nodes in nodelist.go,
// which bounds it. Both are remembered in ledger.go (the last reading of every value),
// link.go and sightings.go (the gateway and its topics). gateways.go decides which
// gateway is ours; find.go, nameindex.go, wholenode.go and group.go decide which device a
// name means. House keeps the model up to date; the tools look things up in it through
// directory.go and devices.go, and trouble.go puts into words what went wrong. Changes in
// the house are reported in chronicle.go; watched.go says of which states.
//
// A new kind of device is a builder in kinds.go and its actions in plan.go; a new tool is
// a file of its own and a line in Tools.
package zwave

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
)

// Bus is the broker as this package needs it. The handler is called in the order
// of arrival and must not be called twice at the same time.
type Bus interface {
	Publish(ctx context.Context, topic string, payload []byte) error
	Subscribe(ctx context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error
}

// Config says where the house is and what may be done to it.
type Config struct {
	Prefix         string              // the gateway's MQTT prefix
	Gateway        string              // its name; empty: found automatically when there is only one
	AllowDangerous bool                // offer operate_dangerous_device
	Aliases        map[string][]string // other names of devices, by device name
	Patience       time.Duration       // how long a call for a device may take, all in all
}

// DefaultConfig returns the settings of an untouched zwave-js-ui.
func DefaultConfig() Config {
	return Config{Prefix: "zwave", Patience: form.Patience}
}

// Validate says what is wrong with the settings.
func (c Config) Validate() error {
	switch {
	case c.Prefix == "" || strings.ContainsAny(c.Prefix, "+#") || strings.HasPrefix(c.Prefix, "/") || strings.HasSuffix(c.Prefix, "/"):
		return errors.New(`the Z-Wave topic prefix must be a plain topic such as "zwave", as set in zwave-js-ui under Settings, MQTT, prefix`)
	case c.Patience <= 0:
		return errors.New("the patience of a control call must be more than 0, such as 4.5s")
	}
	return nil
}

// House is the live model of the Z-Wave network.
type House struct {
	cfg          Config
	bus          Bus
	log          *slog.Logger
	link         *link
	ledger       *ledger
	chronicle    *chronicle
	directory    *directory
	devices      *devices
	commander    *commander
	inspector    *inspector
	restructured chan struct{} // the structure changed
	changed      chan struct{} // the same, debounced
}

// New checks the settings; Run connects the house.
func New(cfg Config, bus Bus, log *slog.Logger) (*House, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	log = log.With("part", "zwave")
	l, values := newLink(cfg, bus), newLedger()
	known := newDirectory(l, values)
	asked := &devices{link: l, ledger: values, directory: known, log: log, polls: newPolls()}
	back := newReadBacks(asked, values, log)
	return &House{
		cfg:          cfg,
		bus:          bus,
		log:          log,
		link:         l,
		ledger:       values,
		chronicle:    values.told,
		directory:    known,
		devices:      asked,
		commander:    &commander{cfg: cfg, log: log, link: l, ledger: values, directory: known, devices: asked, commands: newCommandOrder(), readBacks: back},
		inspector:    &inspector{link: l, ledger: values, directory: known, devices: asked, readBacks: back},
		restructured: make(chan struct{}, 1),
		changed:      make(chan struct{}, 1),
	}, nil
}

// Home returns the structure of the house: areas, entities, abilities. States are not in
// it; they are read by tool, with their age.
func (h *House) Home() home.House { return h.directory.current().home }

// Changed receives after the structure of the house has changed, at most once a
// second. It has one reader.
func (h *House) Changed() <-chan struct{} { return h.changed }

// Loaded is closed when the house is known for the first time.
func (h *House) Loaded() <-chan struct{} { return h.directory.loaded }

// Run follows the house until ctx ends. Broker, gateway and driver may start in
// any order, and come and go.
func (h *House) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { h.subscribe(ctx) })
	wg.Go(func() { h.announce(ctx) })
	wg.Go(func() { h.chronicle.run(ctx) })
	wg.Go(func() { h.lookAfter(ctx) })
	wg.Go(func() { h.prove(ctx) })
	wg.Go(func() { h.commander.readBacks.run(ctx) })
	if c, ok := h.bus.(interface{ OnConnection(changed func(up bool)) }); ok {
		c.OnConnection(func(up bool) {
			if up {
				h.link.noteReconnect()
				h.directory.askRefresh() // reports may have been missed meanwhile
			}
		})
	}
	h.keepFresh(ctx)
	wg.Wait()
	return nil
}

// subscribe tries until the broker accepts the subscription. One filter for
// everything keeps values and answers in their order of arrival, because telling
// a claim from a fact depends on that order.
func (h *House) subscribe(ctx context.Context) {
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := h.bus.Subscribe(ctx, h.cfg.Prefix+"/#", h.handle)
		if err == nil || ctx.Err() != nil {
			return
		}
		h.log.Warn("subscribing to the Z-Wave topics", "err", err)
		if !sleep(ctx, wait) {
			return
		}
	}
}

// poke leaves a message in a channel with room for one, unless one is there already.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sleep waits for d; false means that ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
