package wire

import (
	"strconv"
	"strings"
	"unicode"
)

// Kind is the gateway type that a user chose in zwave-js-ui, as far as the topics of
// values show it. MANUAL gateways publish none of these topics.
type Kind int

// The topic kinds.
const (
	Named        Kind = iota // Kitchen/Lamp/switch_binary/endpoint_0/currentValue
	ByIDAndName              // Kitchen/Lamp/37/0/currentValue
	ByIDAndValue             // Kitchen/2/37/0/currentValue
)

// Scheme is one way a gateway builds topics.
type Scheme struct {
	Kind           Kind
	IgnoreLocation bool
}

// Schemes returns every scheme, the most common first.
func Schemes() []Scheme {
	return []Scheme{
		{Named, false},
		{Named, true},
		{ByIDAndValue, false},
		{ByIDAndName, false},
		{ByIDAndName, true},
		{ByIDAndValue, true},
	}
}

// Node returns a node's topic below the prefix.
func (s Scheme) Node(id int, name, location string) string {
	level := Sanitise(name)
	switch {
	case s.Kind == ByIDAndValue:
		level = strconv.Itoa(id)
	case name == "":
		level = "nodeID_" + strconv.Itoa(id)
	}
	if location != "" && !s.IgnoreLocation {
		return Sanitise(location) + "/" + level
	}
	return level
}

// Value returns a value's topic below the prefix, given its node's topic.
func (s Scheme) Value(node string, id ValueID) string { return s.value(node, classLevel(id.Class), id) }

// Other returns another topic that a value may have, or an empty one. The gateway's names
// of some classes are not known for certain.
func (s Scheme) Other(node string, id ValueID) string {
	level, has := otherLevels[id.Class]
	if !has || s.Kind != Named {
		return ""
	}
	return s.value(node, level, id)
}

func (s Scheme) value(node, level string, id ValueID) string {
	var b strings.Builder
	b.WriteString(node)
	b.WriteByte('/')
	if s.Kind == Named {
		b.WriteString(level)
		b.WriteString("/endpoint_")
	} else {
		b.WriteString(strconv.Itoa(id.Class))
		b.WriteByte('/')
	}
	b.WriteString(strconv.Itoa(id.Endpoint))
	b.WriteByte('/')
	b.WriteString(sanitiseProperty(id.Property))
	if id.Key != "" {
		b.WriteByte('/')
		b.WriteString(sanitiseProperty(id.Key))
	}
	return b.String()
}

// GatewayLevel returns the topic level under _CLIENTS of the gateway with the
// given name.
func GatewayLevel(name string) string { return GatewayPrefix + Sanitise(name) }

// GatewayPrefix is the beginning of the client level of every zwave-js-ui.
const GatewayPrefix = "ZWAVE_GATEWAY-"

// Sanitise makes topic levels of a name or a location the way the gateway does:
// each white space becomes an underscore, everything but ASCII letters, digits,
// "-", "_", "/" and Latin-1 letters is deleted. The name cannot be read back from
// the result.
func Sanitise(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r) && r != 0x85, r == 0xFEFF: // as JavaScript sees white space
			b.WriteByte('_')
		case keeps(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func sanitiseProperty(s string) string { return Sanitise(strings.ReplaceAll(s, "/", "-")) }

func keeps(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	case r == '-', r == '_', r == '/':
		return true
	default: // U+00D7 and U+00F7 are the signs for times and divided by.
		return r >= 0xC0 && r <= 0xFF && r != 0xD7 && r != 0xF7
	}
}
