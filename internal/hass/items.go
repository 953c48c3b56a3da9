package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// The acts on what stands on a list.
const (
	actionAdd      = "add"
	actionComplete = "complete"
	actionRemove   = "remove"
)

// longestItem is how many bytes an item of a list may have.
const longestItem = 250

// item is what stands on a list.
type item struct {
	UID     string `json:"uid"`
	Summary string `json:"summary"`
}

// readItems asks for what stands on a list and is not done yet. Home Assistant shows only
// how much that is without being asked.
func readItems(ctx context.Context, c *socket.Conn, list string) ([]item, error) {
	body, err := c.Call(ctx, socket.Command{
		"type": "call_service", "domain": "todo", "service": "get_items", "return_response": true,
		"target": map[string]any{"entity_id": []string{list}}, "service_data": map[string]any{"status": []string{"needs_action"}},
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Response map[string]struct {
			Items []item `json:"items"`
		} `json:"response"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("reading a list of Home Assistant: %w", err)
	}
	return answer.Response[list].Items, nil
}

// summaries returns the items in words, never nil.
func summaries(items []item) []string {
	out := make([]string, 0, len(items))
	for _, i := range items {
		out = append(out, i.Summary)
	}
	return out
}

// findItem returns the item of a list that is meant by its words, whatever their case. One
// that is not on it is refused.
func (c *commander) findItem(ctx context.Context, e *entity, value any) (item, error) {
	conn := c.link.now().conn
	if conn == nil {
		return item{}, nil // the command finds that out
	}
	items, err := readItems(ctx, conn, e.ID)
	if _, refused := errors.AsType[*socket.Error](err); refused {
		return item{}, form.Refuse("%s cannot be read, so nothing on it can be changed.", e.Name)
	}
	if err != nil {
		return item{}, form.RefuseFor(tools.Silent, "Home Assistant has not told what is on %s.", e.Name)
	}
	said, _ := value.(string)
	key := form.PlainName(said)
	i := slices.IndexFunc(items, func(i item) bool { return form.PlainName(i.Summary) == key && key != "" })
	if i < 0 {
		return item{}, form.RefuseFor(tools.RefusedItem, "%s is not on %s.", strings.TrimSpace(said), e.Name)
	}
	return items[i], nil
}

// planItem makes a step that changes a list. That it is done is shown by how much stands on
// it afterwards, besides the end of the service.
func (r request) planItem(action string) (step, error) {
	e := r.entity
	if err := r.able(home.List, "hold a list"); err != nil {
		return step{}, err
	}
	need := map[string]int{actionAdd: listAdd, actionComplete: listUpdate, actionRemove: listRemove}[action]
	if !e.has(need) {
		return step{}, form.Refuse("%s does not take that.", e.Name)
	}
	said, _ := r.value.(string)
	said = strings.Join(strings.Fields(said), " ")
	if said == "" || len(said) > longestItem {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s needs an item of a few words.", e.Name)
	}
	before, known := e.say(r.now).(float64)
	done := func(fits func(now float64) bool) func(*status) bool {
		return func(s *status) bool {
			now, ok := e.say(s).(float64)
			return ok && known && fits(now)
		}
	}
	less := done(func(now float64) bool { return now < before })
	var s step
	switch action {
	case actionAdd:
		s = r.call("add_item", home.List, done(func(now float64) bool { return now > before }), map[string]any{"item": said})
		s.told = said + " is on " + e.Name + "."
	case actionComplete:
		s = r.call("update_item", home.List, less, map[string]any{"item": r.item.key(said), "status": "completed"})
		s.told = said + " is done."
	default:
		s = r.call("remove_item", home.List, less, map[string]any{"item": []string{r.item.key(said)}})
		s.told = said + " is off " + e.Name + "."
	}
	s.fresh = true
	return s, nil
}

// key is what names an item in services: its id where it has one, else its words.
func (i item) key(said string) string {
	switch {
	case i.UID != "":
		return i.UID
	case i.Summary != "":
		return i.Summary
	}
	return said
}
