package zwave

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// userCode is the command class of door codes. Door codes are never kept, so that
// they can neither be listed nor logged.
const userCode = 99

// text is a JSON string, or another scalar spelled as text: one odd member must
// not hide a device.
type text string

// UnmarshalJSON takes any scalar.
func (t *text) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(t))
	case data[0] == '{', data[0] == '[', string(data) == "null":
		*t = ""
	default:
		*t = text(data)
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

// amount is a number; n is nil where the JSON has something else.
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
	ID          int                    `json:"id"`
	Name        text                   `json:"name"`
	Loc         text                   `json:"loc"`
	Status      text                   `json:"status"`
	Available   *flag                  `json:"available"`
	Ready       *flag                  `json:"ready"`
	Virtual     flag                   `json:"virtual"`
	Controller  flag                   `json:"isControllerNode"`
	Always      flag                   `json:"isListening"`
	Frequently  flag                   `json:"isFrequentListening"`
	Class       lenient[rawKind]       `json:"deviceClass"`
	Endpoints   lenient[[]rawEndpoint] `json:"endpoints"`
	Label       text                   `json:"productLabel"`
	Description text                   `json:"productDescription"`
	Values      rawValues              `json:"values"`
}

type rawKind struct {
	Generic  int `json:"generic"`
	Specific int `json:"specific"`
}

type rawEndpoint struct {
	Index int  `json:"index"`
	Label text `json:"label"`
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
	Type      text                 `json:"type"`
	Readable  flag                 `json:"readable"`
	Writeable flag                 `json:"writeable"`
	Label     text                 `json:"label"`
	Unit      text                 `json:"unit"`
	Min       amount               `json:"min"`
	Max       amount               `json:"max"`
	States    lenient[[]rawChoice] `json:"states"`
	Free      flag                 `json:"allowManualEntry"`
	Value     any                  `json:"value"`
	Updated   amount               `json:"lastUpdate"`
}

type rawChoice struct {
	Text  text `json:"text"`
	Value any  `json:"value"`
}

// rawValues is a list or an object of values; it counts the members that cannot
// be read as values.
type rawValues struct {
	list []rawValue
	odd  []error
}

// UnmarshalJSON reads value by value, so that an odd one is the only one lost.
func (r *rawValues) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	var byKey map[string]json.RawMessage
	if data[0] == '[' {
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
	} else if err := json.Unmarshal(data, &byKey); err == nil {
		for _, body := range byKey {
			list = append(list, body)
		}
	}
	for _, body := range list {
		var v rawValue
		if err := json.Unmarshal(body, &v); err != nil || v.Class <= 0 || wire.Text(v.Property) == "" {
			r.odd = append(r.odd, fmt.Errorf("a value of command class %d cannot be read (%w)", v.Class, errors.Join(err, errOddValue)))
			continue
		}
		r.list = append(r.list, v)
	}
	return nil
}

var errOddValue = errors.New("expected a command class and a property")

// decodeNodes reads the result of getNodes. What cannot be read is left out and
// reported in skipped, so that one odd node does not hide the house.
func decodeNodes(result json.RawMessage) (nodes map[int]*node, skipped []error, err error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(result, &raw); err != nil {
		return nil, nil, fmt.Errorf("reading the answer of getNodes: %w", err)
	}
	nodes = make(map[int]*node, len(raw))
	texts := interner{}
	for _, body := range raw {
		var r rawNode
		if err := json.Unmarshal(body, &r); err != nil {
			skipped = append(skipped, fmt.Errorf("reading a node: %w", err))
			continue
		}
		if r.ID <= 0 {
			skipped = append(skipped, errors.New("a node without an id"))
			continue
		}
		for _, odd := range r.Values.odd {
			skipped = append(skipped, fmt.Errorf("node %d: %w", r.ID, odd))
		}
		if bool(r.Virtual) || bool(r.Controller) || r.ID == wire.Broadcast {
			continue
		}
		nodes[r.ID] = r.node(texts)
	}
	return nodes, skipped, nil
}

// node makes a node from what was read. Where the gateway does not say whether it
// is available or ready, it counts as both.
func (r *rawNode) node(texts interner) *node {
	n := &node{
		ID: r.ID, Name: string(r.Name), Loc: string(r.Loc), Status: string(r.Status),
		Available: r.Available == nil || bool(*r.Available), Ready: r.Ready == nil || bool(*r.Ready),
		Class:     deviceClass(r.Class.v),
		Listening: listeningInfo{bool(r.Always), bool(r.Frequently)},
		Product:   strings.ToLower(string(r.Label) + " " + string(r.Description)),
		values:    make(map[wire.ValueID]*value, len(r.Values.list)),
	}
	for _, e := range r.Endpoints.v {
		n.Endpoints = append(n.Endpoints, endpoint{e.Index, string(e.Label)})
	}
	for _, raw := range r.Values.list {
		if raw.Class == userCode {
			continue
		}
		v := raw.value(r.ID, texts)
		n.values[v.Address] = v
	}
	return n
}

func (r *rawValue) value(node int, texts interner) *value {
	v := &value{
		Address: wire.ValueID{
			Node: node, Class: r.Class,
			Property: texts.one(wire.Text(r.Property)), Key: texts.one(wire.Text(r.Key)),
		},
		Type: texts.one(string(r.Type)), Readable: bool(r.Readable), Writeable: bool(r.Writeable),
		Label: texts.one(string(r.Label)), Unit: texts.one(unitOf(string(r.Unit))),
		Min: r.Min.n, Max: r.Max.n, FreeStates: bool(r.Free), Value: r.Value,
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
// one is none: whoever described the device may have written anything there.
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
