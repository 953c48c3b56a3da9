package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Payload is how a gateway writes the messages of its topics. The numbers are
// those of zwave-js-ui's own settings.
type Payload int

// The payload types.
const (
	TimeValue    Payload = iota // {"time":…,"value":…}
	EntireObject                // with all the metadata of the value
	JustValue                   // the bare value, an empty payload when it is unknown
)

// Settings are the choices that a user makes in zwave-js-ui, except names and the topic
// scheme. The zero value is a gateway as most people run it, except for NodeDetails.
type Settings struct {
	Payload     Payload
	Manual      bool           // only the values in Values have topics
	Values      []GatewayValue // topics that the user gave to values, in any gateway type
	NoRetain    bool           // nothing is retained
	NodeDetails bool           // publish nodeinfo beside every status
	NodeNames   bool           // put nodeName and nodeLocation into time-value payloads
	Events      bool           // send Z-Wave events
	Driver      time.Duration  // from the MQTT connection to the driver being ready
	Node        time.Duration  // from one node being ready to the next; 0: all at once
	ReadyOrder  []int          // which nodes answer first; the others follow by id
	Age         time.Duration  // how old the values are that the gateway knows at the start

	answers map[int]time.Duration // when each node answers after the driver is ready, where a test knows it
}

// GatewayValue is a value with a topic that the user gave it.
type GatewayValue struct {
	Node  int    `yaml:"node"`
	Value string `yaml:"value"`     // value id without node
	Topic string `yaml:"topic"`     // below the node's topic
	NoRet bool   `yaml:"no_retain"` // never retained
}

// Recorded pauses of a start with a cached network.
const (
	RecordedDriver = 2100 * time.Millisecond
	RecordedNode   = 73 * time.Millisecond
)

func (s Settings) validate() error {
	switch {
	case s.Payload < TimeValue || s.Payload > JustValue:
		return fmt.Errorf("the payload type is %d; use 0 (time and value), 1 (entire value) or 2 (just the value)", s.Payload)
	case s.Driver < 0 || s.Node < 0 || s.Age < 0:
		return errors.New("the pauses of the start and the age of the values cannot be negative")
	}
	for _, v := range s.Values {
		if _, ok := wire.ParseValueID(v.Node, v.Value); !ok || v.Topic == "" {
			return fmt.Errorf("the gateway value %q of node %d needs a value such as 37-0-currentValue and a topic", v.Value, v.Node)
		}
	}
	return nil
}

// find returns the entry with the topic that the user gave to a value, nil if there
// is none.
func (s Settings) find(id wire.ValueID) *GatewayValue {
	for i, v := range s.Values {
		if v.Node == id.Node && v.Value == id.String() {
			return &s.Values[i]
		}
	}
	return nil
}

// GatewaySpec is the part of a house file that says how its gateway is set.
// Everything left out stays as in Config. The types have the names they have in
// zwave-js-ui.
type GatewaySpec struct {
	Name           string         `yaml:"name"`
	Prefix         string         `yaml:"prefix"`
	Type           string         `yaml:"type"`            // NAMED, VALUEID or MANUAL
	NodeNames      *bool          `yaml:"node_names"`      // VALUEID: names instead of ids
	IgnoreLocation bool           `yaml:"ignore_location"` // leave the location out of topics
	Payload        string         `yaml:"payload"`         // time-value, entire or just-value; or 0, 1, 2
	Retain         *bool          `yaml:"retain"`
	NodeDetails    *bool          `yaml:"node_details"`
	NodeInfo       bool           `yaml:"node_info"` // name and location in payloads
	Events         bool           `yaml:"events"`
	Values         []GatewayValue `yaml:"values"`
	Start          *StartSpec     `yaml:"start"`
}

// StartSpec says how a gateway comes up.
type StartSpec struct {
	Driver time.Duration `yaml:"driver"`
	Node   time.Duration `yaml:"node"`
	Order  []int         `yaml:"order"`
	Age    time.Duration `yaml:"age"`
}

// Apply puts what the house file says about its gateway into cfg.
func (g GatewaySpec) Apply(cfg *Config) error {
	if g.Name != "" {
		cfg.Gateway = g.Name
	}
	if g.Prefix != "" {
		cfg.Prefix = g.Prefix
	}
	if err := errors.Join(g.setType(cfg), g.setPayload(cfg)); err != nil {
		return err
	}
	if g.Retain != nil {
		cfg.Settings.NoRetain = !*g.Retain
	}
	if g.NodeDetails != nil {
		cfg.Settings.NodeDetails = *g.NodeDetails
	}
	if s := g.Start; s != nil {
		cfg.Settings.Driver, cfg.Settings.Node, cfg.Settings.ReadyOrder, cfg.Settings.Age = s.Driver, s.Node, s.Order, s.Age
	}
	cfg.Settings.NodeNames = cfg.Settings.NodeNames || g.NodeInfo
	cfg.Settings.Events = cfg.Settings.Events || g.Events
	cfg.Settings.Values = append(slices.Clone(cfg.Settings.Values), g.Values...)
	return cfg.Settings.validate()
}

// setType chooses the gateway type; where it is left out the type stays.
func (g GatewaySpec) setType(c *Config) error {
	c.Scheme.IgnoreLocation = c.Scheme.IgnoreLocation || g.IgnoreLocation
	switch strings.ToUpper(g.Type) {
	case "":
	case "NAMED":
		c.Scheme.Kind, c.Settings.Manual = wire.Named, false
	case "VALUEID":
		c.Scheme.Kind, c.Settings.Manual = wire.ByIDAndName, false
		if g.NodeNames != nil && !*g.NodeNames {
			c.Scheme.Kind = wire.ByIDAndValue
		}
	case "MANUAL":
		c.Scheme.Kind, c.Settings.Manual = wire.Named, true
	default:
		return fmt.Errorf("the gateway type is %q; use NAMED, VALUEID or MANUAL", g.Type)
	}
	return nil
}

// setPayload chooses the payload type; where it is left out the type stays.
func (g GatewaySpec) setPayload(c *Config) error {
	switch strings.ToLower(g.Payload) {
	case "":
	case "0", "time-value":
		c.Settings.Payload = TimeValue
	case "1", "entire":
		c.Settings.Payload = EntireObject
	case "2", "just-value":
		c.Settings.Payload = JustValue
	default:
		return fmt.Errorf("the payload type is %q; use time-value (0), entire (1) or just-value (2)", g.Payload)
	}
	return nil
}
