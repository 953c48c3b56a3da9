package zwave

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// userCode is the command class of door codes. Door codes are never kept, so that
// they can neither be listed nor logged.
const userCode = 99

// scalarText is a JSON string, or another scalar spelled as text: one odd member must
// not hide a device.
type scalarText string

// UnmarshalJSON takes any scalar.
func (t *scalarText) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(t))
	case data[0] == '{', data[0] == '[', string(data) == "null":
		*t = ""
	default:
		*t = scalarText(data)
	}
	return nil
}

// flag is any JSON value, read as true or false as a JavaScript condition would:
// zwave-js sends isFrequentListening as false or as "1000ms".
type flag bool

// UnmarshalJSON takes anything.
func (f *flag) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "false", "null", "0", `""`:
		*f = false
	default:
		*f = true
	}
	return nil
}

// amount is a number; n is nil if the JSON has something else.
type amount struct{ n *float64 }

// UnmarshalJSON takes anything.
func (a *amount) UnmarshalJSON(data []byte) error {
	if n, err := strconv.ParseFloat(string(data), 64); err == nil {
		a.n = &n
	}
	return nil
}

// rawNode is a node of a getNodes answer as the gateway writes it.
type rawNode struct {
	ID          int
	Name        scalarText
	Loc         scalarText
	Status      scalarText
	Available   *flag
	Ready       *flag
	Virtual     flag
	Controller  flag
	Always      flag
	Frequently  flag
	Class       lenient[rawKind]
	Endpoints   lenient[[]rawEndpoint]
	Label       scalarText
	Description scalarText
}

// member returns where a member of a node is decoded to; nil for those that are not
// needed. The values are decoded one by one.
func (r *rawNode) member(name string) any {
	switch name {
	case "id":
		return &r.ID
	case "name":
		return &r.Name
	case "loc":
		return &r.Loc
	case "status":
		return &r.Status
	case "available":
		return &r.Available
	case "ready":
		return &r.Ready
	case "virtual":
		return &r.Virtual
	case "isControllerNode":
		return &r.Controller
	case "isListening":
		return &r.Always
	case "isFrequentListening":
		return &r.Frequently
	}
	return r.description(name)
}

// description is member for what describes the device.
func (r *rawNode) description(name string) any {
	switch name {
	case "deviceClass":
		return &r.Class
	case "endpoints":
		return &r.Endpoints
	case "productLabel":
		return &r.Label
	case "productDescription":
		return &r.Description
	}
	return nil
}

type rawKind struct {
	Generic  int `json:"generic"`
	Specific int `json:"specific"`
}

type rawEndpoint struct {
	Index int        `json:"index"`
	Label scalarText `json:"label"`
}

// lenient is a T, or its zero value where the JSON has another shape.
type lenient[T any] struct{ v T }

// UnmarshalJSON takes anything.
func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &l.v) != nil {
		var zero T
		l.v = zero
	}
	return nil
}

// rawValue is a value with its metadata.
type rawValue struct {
	Class     int                  `json:"commandClass"`
	Endpoint  amount               `json:"endpoint"`
	Property  any                  `json:"property"`
	Key       any                  `json:"propertyKey"`
	Type      scalarText           `json:"type"`
	Readable  flag                 `json:"readable"`
	Writeable flag                 `json:"writeable"`
	Label     scalarText           `json:"label"`
	Unit      scalarText           `json:"unit"`
	Min       amount               `json:"min"`
	Max       amount               `json:"max"`
	States    lenient[[]rawChoice] `json:"states"`
	Free      flag                 `json:"allowManualEntry"`
	Value     state                `json:"value"`
	Updated   amount               `json:"lastUpdate"`
}

// state is what a value is: a scalar, or a small list or object. A larger one is nothing
// that a device has.
type state struct{ v any }

// UnmarshalJSON takes anything.
func (s *state) UnmarshalJSON(data []byte) error {
	if (data[0] == '[' || data[0] == '{') && len(data) > maxNested {
		return nil
	}
	return json.Unmarshal(data, &s.v)
}

type rawChoice struct {
	Text  scalarText `json:"text"`
	Value any        `json:"value"`
}

var errOddValue = errors.New("expected a command class and a property")

// node makes a node without values from what was read. Where the gateway does not say whether it
// is available or ready, it counts as both.
func (r *rawNode) node() *node {
	n := &node{
		ID: r.ID, Name: string(r.Name), Loc: string(r.Loc), Status: string(r.Status),
		Available: r.Available == nil || bool(*r.Available), Ready: r.Ready == nil || bool(*r.Ready),
		Class:     deviceClass(r.Class.v),
		Listening: listeningInfo{bool(r.Always), bool(r.Frequently)},
		Product:   strings.ToLower(string(r.Label) + " " + string(r.Description)),
	}
	for _, e := range r.Endpoints.v {
		n.Endpoints = append(n.Endpoints, endpoint{e.Index, string(e.Label)})
	}
	return n
}

// value makes a value from what was read; its node is not known yet.
func (r *rawValue) value(texts interner) *value {
	v := &value{
		Address: wire.ValueID{
			Class:    r.Class,
			Property: texts.one(wire.Text(r.Property)), Key: texts.one(wire.Text(r.Key)),
		},
		Type: texts.one(string(r.Type)), Readable: bool(r.Readable), Writeable: bool(r.Writeable),
		Label: texts.one(string(r.Label)), Unit: texts.one(unitOf(string(r.Unit))),
		Min: r.Min.n, Max: r.Max.n, FreeStates: bool(r.Free), Value: r.Value.v,
	}
	if r.Endpoint.n != nil {
		v.Address.Endpoint = int(*r.Endpoint.n)
	}
	if r.Updated.n != nil {
		v.LastUpdate = *r.Updated.n
	}
	for _, s := range r.States.v {
		v.States = append(v.States, choice{texts.one(string(s.Text)), s.Value})
	}
	return v
}

// unitOf is a unit as it may stand behind a number in a sentence: "cubic feet". A longer
// text is not used: the author of the device's description may have written anything
// there.
func unitOf(text string) string {
	const words, length = 2, 20 // the most it has; in bytes
	if fields := strings.Fields(text); len(fields) <= words && len(text) <= length {
		return strings.Join(fields, " ")
	}
	return ""
}

// interner keeps one copy of each text: thousands of values share some dozens.
type interner map[string]string

func (t interner) one(s string) string {
	if known, ok := t[s]; ok {
		return known
	}
	t[s] = s
	return s
}
