package zwave

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// pageSize is how many devices one page lists; a language model reads them all.
const pageSize = 50

type listArgs struct {
	Area string `json:"area"`
	Type string `json:"type"`
	Page int    `json:"page"`
}

type listed struct {
	Name      string         `json:"name"`
	ID        string         `json:"id"`
	Area      string         `json:"area"`
	Type      string         `json:"type"`
	Abilities []home.Ability `json:"abilities"`
	State     any            `json:"state"`
	Values    map[string]any `json:"values"`
	Age       int64          `json:"age_seconds"`
	Stale     bool           `json:"stale"`
	Reachable bool           `json:"reachable"`
	Reason    tools.Reason   `json:"reason"`
}

func (i *inspector) listTool() tools.Tool {
	return tool[listArgs]{tools.Spec{
		Name:        toolList,
		Title:       "List the devices",
		Description: "The devices of the Z-Wave house with area, type, abilities and last reported state, 50 a page.",
		Input: json.RawMessage(`{"type":"object","properties":{
"area":{"type":"string","description":"only this room, such as Kitchen"},
"type":{"type":"string","description":"only this type: light, switch, fan, cover, lock, climate, valve, sensor or binary_sensor"},
"page":{"type":"integer","minimum":1,"description":"from 1"}},"additionalProperties":false}`),
		Output: json.RawMessage(`{"type":"object","properties":{"total":{"type":"integer"},"page":{"type":"integer"},"pages":{"type":"integer"},
"devices":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"id":{"type":"string"},"area":{"type":"string"},
"type":{"type":"string"},"abilities":{"type":["array","null"],"items":{"type":"string"}},"state":` + anyScalar + `,
"values":{"type":"object","description":"its values by ability, in percent and degrees"},"age_seconds":{"type":"integer"},` + trustProps + `},
"required":["name","id","area","type","state","values","age_seconds",` + trustRequired + `]}}},"required":["total","page","pages","devices"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}, i.list}
}

// list waits for the gateway once, whatever of it does not answer, so that a caller
// hears in time what is known.
func (i *inspector) list(ctx context.Context, a listArgs) (tools.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, nameMissWait)
	defer cancel()
	m, err := i.directory.ready(ctx)
	if err != nil {
		return tools.Result{}, err
	}
	area, kind, err := m.filters(a)
	if err != nil {
		return tools.Result{}, err
	}
	wanted := func(e *entity) bool {
		return (area == "" || area == e.node.area()) && (kind == "" || kind == e.Domain)
	}
	i.readBacks.settleAll(ctx, wanted)
	m, fresh := i.devices.listed(ctx, m, wanted)
	var all []listed
	for _, e := range m.entities {
		if !wanted(e) {
			continue
		}
		f := i.devices.lastFound(m, e, fresh)
		all = append(all, listed{
			Name: e.Name, ID: e.ID, Area: e.node.area(), Type: e.Domain, Abilities: e.abilities,
			State: i.devices.state(m, e, f.value), Values: m.values(e, i.devices.told(f)), Age: age(f.reading), Stale: f.stale, Reachable: f.reachable, Reason: f.reason,
		})
	}
	page := max(a.Page, 1)
	pages := max(1, (len(all)+pageSize-1)/pageSize)
	from, to := min((page-1)*pageSize, len(all)), min(page*pageSize, len(all))
	if page > pages { // also keeps the product above from overflowing
		from, to = len(all), len(all)
	}
	out := struct {
		Total   int      `json:"total"`
		Page    int      `json:"page"`
		Pages   int      `json:"pages"`
		Devices []listed `json:"devices"`
	}{len(all), page, pages, append([]listed{}, all[from:to]...)}
	var text strings.Builder
	fmt.Fprintf(&text, "%d devices, page %d of %d.", len(all), page, pages)
	for _, d := range out.Devices {
		fmt.Fprintf(&text, "\n%s (%s): %s", d.Name, strings.Trim(d.Type+", "+d.Area, ", "), d.sayState())
	}
	return result(text.String(), out)
}

// sayState says a device's state, and whether that is only its last report.
func (l listed) sayState() string {
	switch {
	case l.Reachable || l.State == nil && l.Reason == sharedTopics:
		return sayState(l.State, "")
	case l.State == nil:
		return "cannot be reached"
	default:
		return "cannot be reached, last reported " + sayState(l.State, "")
	}
}

// filters reads the filters of a list as people and models write them. A filter
// that fits nothing is refused with a list of what exists.
func (m *model) filters(a listArgs) (area, kind string, err error) {
	if key := fold(a.Area); key != "" {
		if area = m.areas[key]; area == "" {
			return "", "", refuse("There is no area called %q. The areas are %s.", a.Area, strings.Join(slices.Sorted(maps.Values(m.areas)), ", "))
		}
	}
	key := strings.ReplaceAll(fold(a.Type), " ", "_")
	domains := domains()
	switch kind, isGroup := typeOf(key); {
	case key == "" || slices.Contains(domains, key):
		return area, key, nil
	case isGroup:
		return area, kind, nil
	case slices.Contains(domains, strings.TrimSuffix(key, "s")):
		return area, strings.TrimSuffix(key, "s"), nil
	default:
		return "", "", refuse("There is no type %q. The types are %s.", a.Type, strings.Join(domains, ", "))
	}
}

func (i *inspector) verifyTool() tools.Tool {
	return tool[nameArgs]{tools.Spec{
		Name:        toolVerify,
		Title:       "Check a device name",
		Description: "Says whether a device of that name exists and suggests the most similar ones if not.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"exists":{"type":"boolean"},"name":{"type":"string"},"id":{"type":"string"},
"area":{"type":"string"},"type":{"type":"string"},"suggestions":{"type":"array","items":{"type":"string"}}},"required":["exists","suggestions"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}, i.verify}
}

func (i *inspector) verify(ctx context.Context, a nameArgs) (tools.Result, error) {
	type answer struct {
		Exists      bool     `json:"exists"`
		Name        string   `json:"name,omitempty"`
		ID          string   `json:"id,omitempty"`
		Area        string   `json:"area,omitempty"`
		Type        string   `json:"type,omitempty"`
		Suggestions []string `json:"suggestions"`
	}
	m, e, near, err := i.directory.resolve(ctx, a.Device)
	switch {
	case m == nil:
		return tools.Result{}, err
	case err != nil:
		return result(err.Error(), answer{Suggestions: append([]string{}, near...)})
	}
	text := fmt.Sprintf("%s exists: a %s.", e.Name, strings.ReplaceAll(e.Domain, "_", " "))
	if area := e.node.area(); area != "" {
		text = fmt.Sprintf("%s exists: a %s in the area %s.", e.Name, strings.ReplaceAll(e.Domain, "_", " "), area)
	}
	return result(text, answer{true, e.Name, e.ID, e.node.area(), e.Domain, []string{}})
}
