package zwave

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/zwave/wire"
)

// message is one line of a recording.
type message struct {
	Topic   string          `json:"topic"`
	Retain  bool            `json:"retain"`
	Payload json.RawMessage `json:"payload"`
	Raw     *string         `json:"raw"` // what is no JSON
}

func (m message) body() []byte {
	if m.Raw != nil {
		return []byte(*m.Raw)
	}
	return m.Payload
}

// recording returns the messages of a recorded gateway in their order.
func recording(t *testing.T, file string) []message {
	t.Helper()
	data, err := os.ReadFile(fake.Shared(t, "zwave", "recordings", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []message
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if m.Topic != "" {
			out = append(out, m)
		}
	}
	return out
}

// recordedHouse returns a house with the recorded list of nodes that has received
// a recording; live says that it was connected from the start.
func recordedHouse(t *testing.T, file string, live bool) (*House, []message) {
	t.Helper()
	nodes, _, err := decodeNodes(recordedNodes(t))
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	messages := recording(t, file)
	hear := func() {
		for _, m := range messages {
			h.handle(m.Topic, m.body(), !live && m.Retain)
			h.ledger.cached = time.Time{} // the pauses in which doubts end are not replayed
			clear(h.ledger.doubts)
		}
	}
	hear()
	h.adopt(newModel(0x7e57abcd, nodes, chooseScheme(nodes, h.link.topicsInSight()), nil), h.ledger.tick())
	h.directory.current().controller = 1
	hear()
	return h, messages
}

// unexplained are the recorded topics that no list of nodes explains, with the
// reason.
var unexplained = map[string]string{
	"/user_code/":  "door codes are not kept",
	"/99/":         "door codes are not kept",
	"Desk_Lamp/":   "two nodes share them",
	"/scene/0":     "scenes are in the list after their first use only",
	"Night_Lamp/":  "a name given later",
	"Porch/":       "a name given later",
	"/battery_low": "an event, not a value",
	"/lamp/power":  "configured by the user",
	"climate/temp": "configured by the user",
}

func TestEveryRecordedTopicIsUnderstood(t *testing.T) {
	t.Parallel()
	tests := map[string]wire.Scheme{
		"01-startup-first-interview.jsonl":     {Kind: wire.Named},
		"02-switch-writes.jsonl":               {Kind: wire.Named},
		"03-dimmer-writes.jsonl":               {Kind: wire.Named},
		"04-other-devices-writes.jsonl":        {Kind: wire.Named},
		"05-device-events.jsonl":               {Kind: wire.Named},
		"06-api.jsonl":                         {Kind: wire.Named},
		"07-lifecycle.jsonl":                   {Kind: wire.Named},
		"09-write-status-and-rename.jsonl":     {Kind: wire.Named},
		"10-named-entire-value-object.jsonl":   {Kind: wire.Named},
		"11-named-just-value.jsonl":            {Kind: wire.Named},
		"12-valueid-numeric.jsonl":             {Kind: wire.ByIDAndValue},
		"13-valueid-names-ignoreloc.jsonl":     {Kind: wire.ByIDAndName, IgnoreLocation: true},
		"14-manual.jsonl":                      {Kind: wire.Named},
		"15-named-hass-discovery-events.jsonl": {Kind: wire.Named},
	}
	for file, scheme := range tests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			h, messages := recordedHouse(t, file, true)
			m := h.directory.current()
			if m.topics.scheme != scheme {
				t.Errorf("taken for %+v, want %+v", m.topics.scheme, scheme)
			}
			last := map[string]message{}
			understood := 0
			for _, msg := range messages {
				rest, ours := strings.CutPrefix(msg.Topic, "zwave/")
				if !ours || !isValueTopic(rest) {
					continue
				}
				last[rest] = msg
				if _, known := m.topics.values[rest]; known {
					understood++
				} else if !slices.ContainsFunc(slices.Collect(maps.Keys(unexplained)), func(s string) bool { return strings.Contains(rest, s) }) {
					t.Errorf("%s is not understood", rest)
				}
			}
			t.Logf("%d value messages understood", understood)
			for topic, msg := range last {
				if id, known := m.topics.values[topic]; known {
					h.check(t, id, topic, msg.body())
				}
			}
		})
	}
}

func isValueTopic(rest string) bool {
	for _, prefix := range []string{"_", "driver/", "Broadcast/", "255/"} {
		if strings.HasPrefix(rest, prefix) {
			return false
		}
	}
	for _, suffix := range []string{"/lastActive", "/nodeinfo", "/status", "/set"} {
		if strings.HasSuffix(rest, suffix) {
			return false
		}
	}
	return true
}

// check compares the state of a value with the last recorded payload, read here
// in another way than the program does.
func (h *House) check(t *testing.T, id wire.ValueID, topic string, payload []byte) {
	t.Helper()
	var got, want any
	if len(payload) > 0 {
		if err := json.Unmarshal(payload, &want); err != nil {
			t.Fatal(err)
		}
	}
	if o, ok := want.(map[string]any); ok {
		_, timed := o["time"]
		text, whole := o["id"].(string)
		if timed || whole {
			want = o["value"]
		}
		if _, own, _ := strings.Cut(text, "-"); whole && own != id.String() {
			t.Errorf("%s is taken for %s, the payload says %s", topic, id, text)
		}
	}
	if got = h.ledger.read(id).value; !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %v, recorded was %v", topic, got, want)
	}
}

// TestWhatTopicsDoNotTellIsNotTrusted checks that no reading of a MANUAL gateway
// or of a topic of two nodes is trusted, and that the value id in a payload is.
func TestWhatTopicsDoNotTellIsNotTrusted(t *testing.T) {
	t.Parallel()
	h, _ := recordedHouse(t, "14-manual.jsonl", true)
	m := h.directory.current()
	lamp := m.exact("Kitchen Lamp")[0]
	if h.devices.trusted(m, lamp.main, h.ledger.read(lamp.main)) {
		t.Error("a MANUAL gateway's list is taken for the state of now")
	}
	h, _ = recordedHouse(t, "11-named-just-value.jsonl", true)
	m = h.directory.current()
	if r := h.ledger.read(lamp.main); !h.devices.trusted(m, lamp.main, r) {
		t.Errorf("the state %+v of a NAMED gateway is not trusted", r)
	}
	desk := m.nodes[14].find(wire.BinarySwitch, 0, "currentValue", "").Address
	if h.devices.trusted(m, desk, h.ledger.read(desk)) {
		t.Error("a topic of two nodes is trusted")
	}
	h, _ = recordedHouse(t, "10-named-entire-value-object.jsonl", true)
	if r := h.ledger.read(desk); r.source != sourceReport {
		t.Errorf("the payload says which node it is of, and is not heard: %+v", r)
	}
}

func TestRetainedTopicsOfOldSettingsDoNotMislead(t *testing.T) {
	t.Parallel()
	nodes, _, err := decodeNodes(recordedNodes(t))
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range recording(t, "11-named-just-value.jsonl") {
		h.handle(m.Topic, m.body(), true) // left over from before
	}
	for _, m := range recording(t, "12-valueid-numeric.jsonl")[:200] {
		h.handle(m.Topic, m.body(), false)
	}
	if got := chooseScheme(nodes, h.link.topicsInSight()); got.Kind != wire.ByIDAndValue {
		t.Errorf("taken for %+v by topics that nobody publishes any more", got)
	}
}

func TestDoorCodesAreNotKept(t *testing.T) {
	t.Parallel()
	h, _ := recordedHouse(t, "10-named-entire-value-object.jsonl", true)
	for id, r := range h.ledger.readings {
		if id.Class == userCode || r.value == "9876" {
			t.Errorf("%v is kept: %v", id, r.value)
		}
	}
}
