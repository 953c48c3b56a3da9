package sim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const recordedBase = "zwave/_CLIENTS/ZWAVE_GATEWAY-Zwave_MCP"

// said is a message in the form for comparing.
type said struct {
	topic    string
	retained bool
	payload  []byte
	at       int64 // ms
}

// form returns what must agree: topic, retain flag, and the shape of the payload.
func (m said) form() string {
	return fmt.Sprintf("%s retain=%v %s", m.topic, m.retained, shape(m.content()))
}

// content returns the payload without what differs in every run: times, and what
// the recordings left out.
func (m said) content() any {
	if len(m.payload) == 0 {
		return "(empty)"
	}
	var v any
	if err := json.Unmarshal(m.payload, &v); err != nil {
		return string(m.payload)
	}
	o, ok := v.(map[string]any)
	switch {
	case strings.HasSuffix(m.topic, "/lastActive"):
		if ok {
			o["value"] = 0.0
		} else {
			v = 0.0
		}
	case strings.HasSuffix(m.topic, "/nodeinfo"):
		v = pick(o, "id", "name", "loc", "ready", "available", "status", "interviewStage")
	case strings.HasSuffix(m.topic, "/api/getNodes") && o["result"] != nil:
		o["result"] = "nodes"
	case strings.HasSuffix(m.topic, "/api/getInfo") && o["result"] != nil:
		info, _ := o["result"].(map[string]any)
		info["uptime"], info["appVersion"] = 0.0, "11.22.2"
	case strings.Contains(m.topic, "/_EVENTS/"):
		v = event(o)
	}
	if o, ok := v.(map[string]any); ok {
		for _, moment := range []string{"time", "lastUpdate"} {
			if then, has := o[moment].(float64); has {
				o[moment] = m.age(then)
			}
		}
	}
	return v
}

// age returns what must agree about a time: whether it is that of the message, or
// older. On a busy machine two seconds may lie in between.
func (m said) age(then float64) string {
	if float64(m.at)-then < 2000 {
		return "just now"
	}
	return "before"
}

// event returns what must agree about an event: the node, and what happened to
// the value.
func event(o map[string]any) any {
	data, _ := o["data"].([]any)
	out := []any{}
	for _, d := range data {
		o, _ := d.(map[string]any)
		out = append(out, pick(o, "id", "name", "location", "status", "ready", "commandClass", "property", "newValue", "homeid"))
	}
	return out
}

func pick(o map[string]any, keys ...string) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		if v, ok := o[k]; ok {
			out[k] = v
		}
	}
	return out
}

// shape returns the types of a JSON value; all numbers are alike.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for k := range v {
			parts = append(parts, k+":"+shape(v[k]))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = shape(v[i])
		}
		return "[" + strings.Join(slices.Compact(parts), ",") + "]"
	case float64:
		return "number"
	case string:
		return "string"
	case bool:
		return "bool"
	default:
		return "null"
	}
}

// cut removes what the recordings leave out: all but the first two lastActive
// messages and events of a topic, and the named broadcast pseudo-node.
func cut(all []said) []said {
	count := map[string]int{}
	return slices.DeleteFunc(all, func(m said) bool {
		if strings.HasPrefix(m.topic, "zwave/Broadcast/") {
			return true
		}
		if !strings.HasSuffix(m.topic, "/lastActive") && !strings.Contains(m.topic, "/_EVENTS/") {
			return false
		}
		count[m.topic]++
		return count[m.topic] > 2
	})
}

// published returns the gateway's messages in a recording, without those of other
// clients.
func published(lines []line) []said {
	var out []said
	for _, l := range lines {
		if l.Topic != "" && l.Topic != "test/x" && !strings.HasSuffix(l.Topic, "/set") {
			out = append(out, said{l.Topic, l.Retain, l.body(), l.T})
		}
	}
	return out
}

// pair is one place in the comparison of two lists: both messages, or only one of
// them.
type pair struct{ want, got *said }

// align pairs two lists of messages by their longest common subsequence.
func align(want, got []said) []pair {
	forms := func(list []said) []string {
		out := make([]string, len(list))
		for i := range list {
			out[i] = list[i].form()
		}
		return out
	}
	w, g := forms(want), forms(got)
	best := make([][]int, len(w)+1)
	for i := range best {
		best[i] = make([]int, len(g)+1)
	}
	for i, form := range slices.Backward(w) {
		for j := range slices.Backward(g) {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if form == g[j] {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	var out []pair
	i, j := 0, 0
	for i < len(w) || j < len(g) {
		switch {
		case i < len(w) && j < len(g) && w[i] == g[j]:
			out = append(out, pair{&want[i], &got[j]})
			i, j = i+1, j+1
		case j == len(g) || i < len(w) && best[i+1][j] >= best[i][j+1]:
			out = append(out, pair{want: &want[i]})
			i++
		default:
			out = append(out, pair{got: &got[j]})
			j++
		}
	}
	return out
}

// These are the kinds of disagreement.
const (
	missing = "missing" // recorded, not played at this place
	extra   = "extra"   // played, not recorded at this place
	valued  = "value"   // topic, flag, shape and order agree; the value does not
)

// compare counts the messages that agree in everything, and lists the others by
// kind of disagreement.
func compare(want, got []said) (same int, differences map[string][]string) {
	differences = map[string][]string{}
	for _, p := range align(want, got) {
		switch {
		case p.got == nil:
			differences[missing] = append(differences[missing], fmt.Sprintf("%s %.300s", p.want.topic, p.want.payload))
		case p.want == nil:
			differences[extra] = append(differences[extra], fmt.Sprintf("%s %.300s", p.got.topic, p.got.payload))
		case !reflect.DeepEqual(p.want.content(), p.got.content()):
			differences[valued] = append(differences[valued], p.want.topic+" "+unlike(p.want.content(), p.got.content()))
		default:
			same++
		}
	}
	return same, differences
}

// unlike names the members in which two values differ.
func unlike(want, got any) string {
	w, ok1 := want.(map[string]any)
	g, ok2 := got.(map[string]any)
	if !ok1 || !ok2 {
		return fmt.Sprintf("%v, played %v", want, got)
	}
	out := ""
	for k := range w {
		if !reflect.DeepEqual(w[k], g[k]) {
			out += fmt.Sprintf("%s: %v, played %v; ", k, w[k], g[k])
		}
	}
	return out
}

// explain compares the differences with the table of known ones: each must be in
// it, as often as the table says.
func explain(t *testing.T, expected []disagreement, differences map[string][]string) {
	t.Helper()
	seen := make([]int, len(expected))
	for what, list := range differences {
		for _, d := range list {
			topic, _, _ := strings.Cut(d, " ")
			i := slices.IndexFunc(expected, func(e disagreement) bool { return e.what == what && strings.Contains(topic, e.topic) })
			if i < 0 {
				t.Errorf("%s: %s", what, d)
				continue
			}
			seen[i]++
		}
	}
	for i, e := range expected {
		t.Logf("  %d %s …%s: %s", seen[i], e.what, e.topic, e.reason)
		if seen[i] != e.count {
			t.Errorf("%d are %s at …%s, the table says %d (%s)", seen[i], e.what, e.topic, e.count, e.reason)
		}
	}
}
