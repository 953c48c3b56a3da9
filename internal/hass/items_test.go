package hass_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// TestWhatStandsOnAList reads a list, and takes things off it by their words.
func TestWhatStandsOnAList(t *testing.T) {
	for name, tt := range map[string]struct {
		action, item string
		service      string // the last one; "": only the list is read
		named        any    // how the service is told which item is meant
		outcome      tools.Outcome
		reason       tools.Reason
		says         string
	}{
		"done":             {"complete", "MILK", "todo.update_item", "u-1", tools.Confirmed, "", "MILK is done."},
		"taken off":        {"remove", "pommes fruites", "todo.remove_item", "Pommes fruités", tools.Confirmed, "", "is off Shopping List."},
		"not on it":        {"complete", "bread", "", nil, tools.Refused, tools.RefusedItem, "bread is not on Shopping List."},
		"nothing":          {"remove", "", "", nil, tools.Refused, tools.RefusedItem, "is not on"},
		"a lamp has none":  {"complete", "bread", "", nil, tools.Refused, tools.RefusedAction, "cannot hold a list"},
		"a lamp takes non": {"add", "bread", "", nil, tools.Refused, tools.RefusedAction, "cannot hold a list"},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, family(), nil, func(r rig) {
				r.home.OnAsk = func(fake.ServiceCall) any {
					return map[string]any{"items": []any{
						map[string]any{"uid": "u-1", "summary": "Milk", "status": "needs_action"}, map[string]any{"summary": "Pommes fruités", "status": "needs_action"},
					}}
				}
				r.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
					if c.Service != "todo.get_items" {
						r.home.Set(c.Entity, "1", nil, c.Context)
					}
					return nil
				}
				device := "Shopping List"
				if strings.HasPrefix(name, "a lamp") {
					device = "Bulb"
				}
				got := r.do(device, tt.action, tt.item)
				if got.Outcome != tt.outcome || got.Reason != tt.reason || !strings.Contains(got.Message, tt.says) {
					r.Errorf("told: %s, %q, %q; want %s, %q, %q", got.Outcome, got.Reason, got.Message, tt.outcome, tt.reason, tt.says)
				}
				calls := slices.DeleteFunc(r.home.Calls(), func(c fake.ServiceCall) bool { return c.Service == "todo.get_items" })
				switch {
				case tt.service == "" && len(calls) > 0, tt.service != "" && (len(calls) != 1 || calls[0].Service != tt.service):
					r.Errorf("called: %+v, want %q", calls, tt.service)
				case tt.service != "":
					item := calls[0].Data["item"]
					if list, several := item.([]any); several {
						item = list[0]
					}
					if item != tt.named {
						r.Errorf("the item is %v, want %v", item, tt.named)
					}
				}
				wait(10 * time.Second)
			})
		})
	}
}

// TestAListIsRead reads what stands on a list, also when nobody tells.
func TestAListIsRead(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		r.home.OnAsk = func(fake.ServiceCall) any {
			return map[string]any{"items": []any{map[string]any{"summary": "Milk"}, map[string]any{"summary": "Bread"}}}
		}
		text, s, err := r.house.State(r.Context(), "Shopping List")
		items, _ := s.Values["items"].([]string)
		if err != nil || s.State != 2.0 || !slices.Equal(items, []string{"Milk", "Bread"}) || text != "Shopping List: Milk and Bread." {
			r.Errorf("%q, %+v, %v", text, s, err)
		}
		r.home.OnCall = func(fake.ServiceCall) *fake.ServiceError {
			return &fake.ServiceError{Code: "home_assistant_error", Message: "No."}
		}
		if text, s, err = r.house.State(r.Context(), "Shopping List"); err != nil || s.Values["items"] != nil || s.State != 2.0 {
			r.Errorf("untold: %q, %+v, %v", text, s, err)
		}
	})
}

// TestEachItemIsAddedForItself: of two things that are added at the same time none overtakes the
// other, and each is told done by what stands on the list since it was added.
func TestEachItemIsAddedForItself(t *testing.T) {
	at(t, family(), nil, func(r rig) {
		var mu sync.Mutex
		n := 2
		r.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
			<-time.After(200 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			n++
			r.home.Set(c.Entity, strconv.Itoa(n), nil, c.Context)
			return nil
		}
		var wg sync.WaitGroup
		for _, item := range []string{"milk", "bread"} {
			wg.Go(func() {
				got, err := r.house.Control(r.Context(), form.Command{Device: "Shopping List", Action: "add", Value: item}, false)
				if err != nil || got.Outcome != tools.Confirmed || got.Message != item+" is on Shopping List." {
					r.Errorf("%s: %+v, %v", item, got, err)
				}
			})
		}
		wg.Wait()
	})
}
