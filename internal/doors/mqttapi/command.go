package mqttapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"voicegateway/internal/doors"
	"voicegateway/internal/ground/order"
)

// Bounds of a command (REQUIREMENTS 2.3).
const (
	maxPayload = 16 << 10
	maxID      = 128
	maxAge     = 5 * time.Second
)

// Command is one accepted command.
type Command struct {
	Verb  string // its name in the table of package doors
	ID    string
	In    any // the input of its operation
	Topic string
	At    time.Time // when it arrived

	operation doors.Doable
	place     *order.Place // among what acts; nil: it waits for nothing
}

// verbs are the operations that MQTT offers, by the names of their commands.
var verbs, verbNames = func() (map[string]doors.Doable, []string) {
	byName, names := map[string]doors.Doable{}, []string{}
	for _, op := range doors.Doables() {
		if name := op.Describe().Verb.Name; name != "" {
			byName[name], names = op, append(names, name)
		}
	}
	return byName, names
}()

// wire are the members of a command as they are decoded, each a pointer that is nil if
// the member is missing. Errors about them call them by the name of this type.
type wire map[string]reflect.Value

// wireType is the struct that is decoded: every member that a command may carry, so that a
// member of another command is told from a strange one.
var wireType = func() reflect.Type {
	text := reflect.TypeFor[*string]()
	fields := []reflect.StructField{{Name: "ID", Type: text, Tag: `json:"id"`}, {Name: "Time", Type: text, Tag: `json:"time"`}}
	known := map[string]bool{}
	for _, name := range verbNames {
		verb, members := verbs[name].Describe().Verb, doors.Members(verbs[name].Input())
		for member := range strings.FieldsSeq(verb.Must + " " + verb.May) {
			if !known[member] {
				known[member] = true
				fields = append(fields, reflect.StructField{Name: members[member].Name, Type: wireTypeOf(members[member]), Tag: reflect.StructTag(fmt.Sprintf("json:%q", member))})
			}
		}
	}
	return reflect.StructOf(fields)
}()

// wireTypeOf is the type as which a member is decoded.
func wireTypeOf(member reflect.StructField) reflect.Type {
	kind := member.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch {
	case isPercent(member):
		return reflect.TypeFor[*float64]()
	case kind.Kind() == reflect.String:
		return reflect.TypeFor[*string]()
	}
	return reflect.PointerTo(kind)
}

// isPercent reports whether a member is a number from 0 to 100, which may have a fraction.
func isPercent(member reflect.StructField) bool { return member.Tag.Get("mqtt") == "percent" }

// decode decodes one JSON object; more reports whether something follows it.
func decode(payload []byte) (w wire, more bool, err error) {
	members := reflect.New(wireType)
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(members.Interface())
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if own := reflect.TypeFor[wire](); wrong.Field != "" {
			wrong.Struct = own.Name()
		} else {
			wrong.Type = own
		}
	}
	if err != nil {
		return nil, false, err
	}
	_, end := decoder.Token()
	w = wire{}
	for i := range wireType.NumField() {
		if value := members.Elem().Field(i); !value.IsNil() {
			w[wireType.Field(i).Tag.Get("json")] = value.Elem()
		}
	}
	return w, !errors.Is(end, io.EOF), nil
}

// Parse checks one command. With an error it still returns the id, if it could be read,
// so that the sender can learn which command was refused.
func Parse(verb string, payload []byte, retained bool, now time.Time) (c Command, err error) {
	operation, known := verbs[verb]
	switch {
	case !known:
		last := len(verbNames) - 1
		return Command{ID: idOf(payload)}, fmt.Errorf("the command %q is not known here; expected %s or %s", verb, strings.Join(verbNames[:last], ", "), verbNames[last])
	case len(payload) > maxPayload:
		return c, fmt.Errorf("the command has %d bytes; at most %d are taken", len(payload), maxPayload)
	}
	entry := operation.Describe()
	must, may := strings.TrimSpace("id "+entry.Verb.Must), strings.TrimSpace(entry.Verb.May+" time")
	if !utf8.Valid(payload) {
		return c, fmt.Errorf("the command is not UTF-8 text; expected the JSON object {%s}", must)
	}
	w, more, err := decode(payload)
	if err != nil {
		return c, fmt.Errorf("the command is not the JSON object that was expected, {%s}: %w", must, err)
	}
	if more {
		return c, errors.New("there is something after the JSON object; send one object a message")
	}
	c = Command{Verb: verb, At: now, ID: w.text("id"), In: operation.Input(), operation: operation}
	if retained {
		return c, errors.New("the command was retained; a retained command would be done again at every connection, so send it with retain off")
	}
	if err := w.check(must, may); err != nil {
		return c, err
	}
	if err := w.fill(c.In); err != nil {
		return c, err
	}
	if err := operation.FitMQTT(c.In); err != nil {
		return c, err
	}
	return c, fresh(w, now)
}

// text is a member that is a text, "" if it is missing.
func (w wire) text(member string) string {
	if value, there := w[member]; there {
		return value.String()
	}
	return ""
}

// idOf reads the id of a command whose other members are not known, "" if it has
// none.
func idOf(payload []byte) string {
	var w struct {
		ID string `json:"id"`
	}
	if len(payload) > maxPayload || json.Unmarshal(payload, &w) != nil || len(w.ID) > maxID {
		return ""
	}
	return w.ID
}

// check demands the members in must, refuses members in neither list, and bounds
// the id.
func (w wire) check(must, may string) error {
	if w.text("id") == "" {
		delete(w, "id")
	}
	if strings.TrimSpace(w.text("text")) == "" {
		delete(w, "text")
	}
	for m := range strings.FieldsSeq(must) {
		if _, there := w[m]; !there {
			return fmt.Errorf("%s is missing or empty; expected {%s} and perhaps %s", m, must, may)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(w)) {
		if !strings.Contains(" "+must+" "+may+" ", " "+m+" ") {
			return fmt.Errorf("%s does not belong to this command; expected {%s} and perhaps %s", m, must, may)
		}
	}
	if id := w.text("id"); len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("id must be plain text of at most %d bytes", maxID)
	}
	return nil
}

// fill sets the members of the input of an operation.
func (w wire) fill(in any) error {
	for name, field := range doors.Members(in) {
		value, there := w[name]
		if !there {
			continue
		}
		switch {
		case name == "text":
			value = reflect.ValueOf(strings.TrimSpace(value.String()))
		case isPercent(field) && (value.Float() < 0 || value.Float() > 100):
			return fmt.Errorf("%s is %g; expected 0 to 100", name, value.Float())
		}
		to := reflect.ValueOf(in).Elem().FieldByIndex(field.Index)
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		to.Set(value.Convert(to.Type()))
	}
	return nil
}

// fresh refuses a command that was on its way for too long: a lamp must not be switched
// on by a command from before an outage. A time ahead of ours is refused as well: such a
// command would stay fresh for as long as the clocks differ.
func fresh(w wire, now time.Time) error {
	if _, stamped := w["time"]; !stamped {
		return nil
	}
	stamp := w.text("time")
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return fmt.Errorf("time %q is not RFC 3339, such as %s", stamp, now.UTC().Format(time.RFC3339))
	}
	switch age := now.Sub(t); {
	case age > maxAge:
		return fmt.Errorf("the command is %s old; at most %s is taken", age.Round(time.Second), maxAge)
	case age < -maxAge:
		return fmt.Errorf("time %q is %s ahead of this gateway's clock; at most %s is taken, so set both clocks", stamp, (-age).Round(time.Second), maxAge)
	}
	return nil
}
