package host

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func TestToolsThatAreLetThrough(t *testing.T) {
	names := []string{"get_state", "get_list", "set_state", "delete_all"}
	tests := map[string]struct {
		rules mcpint.ToolRules
		want  []string
	}{
		"no rules":       {mcpint.ToolRules{}, names},
		"allowed ones":   {mcpint.ToolRules{Allow: []string{"get_*"}}, names[:2]},
		"denied ones":    {mcpint.ToolRules{Deny: []string{"delete_*", "set_state"}}, names[:2]},
		"both":           {mcpint.ToolRules{Allow: []string{"*_state"}, Deny: []string{"set_?????"}}, names[:1]},
		"nothing at all": {mcpint.ToolRules{Allow: []string{"nothing"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := &fakeServer{}
				for _, n := range names {
					fake.specs = append(fake.specs, tools.Spec{Name: n, Remote: n})
				}
				b := runWith(t, fake, func(c *Config) { c.Servers[0].Tools = tt.rules })
				defer b.stop()
				pass(time.Second)
				var got []string
				for _, s := range b.reg.Specs() {
					got = append(got, s.Name)
				}
				slices.Sort(got)
				want := slices.Sorted(slices.Values(tt.want))
				if !slices.Equal(got, want) || *b.status().Tools != len(want) {
					t.Errorf("offered %q, want %q; the status counts %d", got, want, *b.status().Tools)
				}
				for _, n := range names {
					_, err := b.reg.Call(t.Context(), tools.Call{Server: "zwave", Tool: n})
					if errors.Is(err, tools.ErrUnknownTool) == slices.Contains(want, n) {
						t.Errorf("calling %s: %v", n, err)
					}
				}
			})
		})
	}
}

func TestRulesAreChecked(t *testing.T) {
	for name, rules := range map[string]mcpint.Server{
		"pattern":     {Tools: mcpint.ToolRules{Allow: []string{"get_["}}},
		"deny":        {Tools: mcpint.ToolRules{Deny: []string{"[a-"}}},
		"requirement": {Requires: []string{"coffee"}},
	} {
		rules.ID, rules.Command = "x", "x"
		_, err := New(Config{Servers: []mcpint.Server{rules}, Retry: DefaultRetry()}, tools.NewRegistry(), quiet())
		if err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
