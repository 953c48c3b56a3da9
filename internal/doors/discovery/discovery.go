// Package discovery shows the gateway in Home Assistant as one device, by the MQTT
// discovery of that program (REQUIREMENTS L4). It exists so that a family which has
// both need not write topics and templates by hand. It tells only where the gateway's
// own topics are: what Home Assistant does arrives there as any other command, and goes
// through the same guards. To add an entity, add a line to entities and its name to
// words in each language.
package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Config says whether the gateway shows itself to Home Assistant, and below which topic.
type Config struct {
	Enabled bool   `yaml:"enabled"`
	Prefix  string `yaml:"prefix"`
}

// Default tells Home Assistant where it looks by default.
func Default() Config { return Config{Enabled: true, Prefix: "homeassistant"} }

// Validate says what is wrong with the settings.
func (c Config) Validate() error {
	if c.Prefix == "" || strings.ContainsAny(c.Prefix, "+#\x00") || strings.HasPrefix(c.Prefix, "/") || strings.HasSuffix(c.Prefix, "/") || strings.HasPrefix(c.Prefix, "$") {
		return fmt.Errorf("mqtt.discovery.prefix: %q is no topic; write the discovery prefix of Home Assistant's MQTT integration, such as homeassistant", c.Prefix)
	}
	return nil
}

// Bus is the broker.
type Bus interface {
	PublishRetained(ctx context.Context, topic string, payload []byte) error
	Subscribe(ctx context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error
	OnConnection(changed func(up bool))
}

// Memory keeps on disk the topics under which the broker may hold a configuration, so
// that the outdated ones can be removed.
type Memory interface {
	Load(name string, v any) error
	Save(name string, v any) error
}

// topicsFile is the name of the memory in the state directory.
const topicsFile = "discovery"

// shownTopics are the topics under which the broker may hold a configuration of ours.
type shownTopics struct {
	Topics []string `json:"topics"`
}

const (
	sendBudget = 2 * time.Second
	retryPause = 10 * time.Second // after the broker has not taken all, though it is there
)

// Device tells Home Assistant of the gateway.
type Device struct {
	cfg  Config
	own  Identity
	bus  Bus
	open func() (Memory, error) // nil: nothing is remembered
	log  *slog.Logger

	due    chan struct{} // of size one: the configurations are to be published
	forged chan struct{} // of size one: one of them is another's at the broker
}

// New makes the device; it does no I/O. open gives the memory, and is nil without one.
func New(cfg Config, own Identity, bus Bus, open func() (Memory, error), log *slog.Logger) (*Device, error) {
	if own.ID == "" || own.Base == "" || bus == nil || log == nil {
		return nil, errors.New("discovery: the gateway's id and topics, a bus and a logger are needed")
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Device{cfg: cfg, own: own, bus: bus, open: open, log: log.With("part", "discovery"), due: make(chan struct{}, 1), forged: make(chan struct{}, 1)}, nil
}

// Run publishes the configurations at every connection and whenever Home Assistant has
// started, until ctx ends. Where discovery is switched off it removes those of an
// earlier run instead. The configurations stay at the broker when the gateway ends:
// its availability tells that it is away.
func (d *Device) Run(ctx context.Context) error {
	if d.cfg.Enabled {
		if err := d.bus.Subscribe(ctx, d.cfg.Prefix+"/status", d.born); err != nil {
			return fmt.Errorf("subscribing to the start of Home Assistant: %w", err)
		}
		if err := d.watch(ctx); err != nil {
			return err
		}
	}
	d.bus.OnConnection(func(up bool) {
		if up {
			d.tell()
		}
	})
	memory := d.memory()
	var again <-chan time.Time // not nil: the last time was not complete, or was forged since
	var told time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.due:
		case <-again:
		case <-d.forged:
			if again == nil {
				d.log.Warn("another program has written a configuration of the gateway for Home Assistant; ours is published again")
				again = time.After(time.Until(told.Add(retryPause)))
			}
			continue
		}
		again, told = nil, time.Now()
		if err := d.publish(ctx, memory); err != nil && ctx.Err() == nil {
			d.log.Debug("Home Assistant was not told of everything", "err", err)
			again = time.After(retryPause)
		}
	}
}

// memory opens the memory, nil where there is none.
func (d *Device) memory() Memory {
	if d.open == nil {
		return nil
	}
	memory, err := d.open()
	if err != nil {
		d.log.Warn("what Home Assistant is told cannot be remembered", "err", err)
		return nil
	}
	return memory
}

// born hears that Home Assistant has started and may have forgotten us.
func (d *Device) born(_ string, payload []byte, _ bool) {
	if string(payload) == "online" {
		d.tell()
	}
}

// watch has a configuration published again that another program has overwritten. One
// that was removed stays so until the next connection or start of Home Assistant: a
// person who deletes the device there removes it.
func (d *Device) watch(ctx context.Context) error {
	current, err := d.own.messages(d.cfg.Prefix)
	if err != nil {
		return err
	}
	own := map[string]string{}
	for _, m := range current {
		own[m.topic] = string(m.payload)
	}
	err = d.bus.Subscribe(ctx, d.cfg.Prefix+"/+/"+d.own.node()+"/+/config", func(topic string, payload []byte, retained bool) {
		if right, known := own[topic]; !known || retained || len(payload) == 0 || string(payload) == right {
			return
		}
		select {
		case d.forged <- struct{}{}:
		default:
		}
	})
	if err != nil && ctx.Err() == nil {
		d.log.Debug("what Home Assistant is told is not watched", "err", err) // a broker may forbid it
	}
	return nil
}

// tell has the configurations published. It does not block.
func (d *Device) tell() {
	select {
	case d.due <- struct{}{}:
	default: // they are about to be published already
	}
}

// publish sends the configurations, and removes outdated ones of earlier runs. It stores
// each topic before it publishes to it.
func (d *Device) publish(ctx context.Context, memory Memory) error {
	var current []message
	if d.cfg.Enabled {
		var err error
		if current, err = d.own.messages(d.cfg.Prefix); err != nil {
			return err
		}
	}
	var topics []string
	for _, m := range current {
		topics = append(topics, m.topic)
	}
	earlier := d.listRemembered(memory)
	gone := slices.DeleteFunc(slices.Clone(earlier), func(topic string) bool { return slices.Contains(topics, topic) })
	d.remember(memory, earlier, slices.Concat(topics, gone))
	for _, topic := range gone {
		if err := d.send(ctx, message{topic: topic}); err != nil {
			return err
		}
	}
	for _, m := range current {
		if err := d.send(ctx, m); err != nil {
			return err
		}
	}
	d.remember(memory, slices.Concat(topics, gone), topics)
	if len(gone) > 0 {
		d.log.Info("removed from Home Assistant what is not told any more", "topics", len(gone))
	}
	return nil
}

func (d *Device) send(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, sendBudget)
	defer cancel()
	return d.bus.PublishRetained(ctx, m.topic, m.payload)
}

// listRemembered lists the topics of earlier runs. Only topics in the form that we publish
// are removed from the broker, whatever the file holds.
func (d *Device) listRemembered(memory Memory) []string {
	var last shownTopics
	if memory == nil {
		return nil
	}
	if err := memory.Load(topicsFile, &last); err != nil {
		d.log.Warn("what Home Assistant was told by an earlier run is not known", "err", err)
		return nil
	}
	return slices.DeleteFunc(last.Topics, func(topic string) bool { return !ours(topic) })
}

// ours reports whether a topic has the form of those that we publish configurations on.
func ours(topic string) bool {
	levels := strings.Split(topic, "/")
	n := len(levels)
	return n >= 5 && levels[n-1] == "config" && strings.HasPrefix(levels[n-3], "voice_gateway_") && !strings.ContainsAny(topic, "+#\x00")
}

// remember writes the topics down if they are not those that stand there.
func (d *Device) remember(memory Memory, written, topics []string) {
	if memory == nil || slices.Equal(slices.Sorted(slices.Values(written)), slices.Sorted(slices.Values(topics))) {
		return
	}
	if err := memory.Save(topicsFile, shownTopics{topics}); err != nil {
		d.log.Warn("what Home Assistant is told cannot be remembered", "err", err)
	}
}
