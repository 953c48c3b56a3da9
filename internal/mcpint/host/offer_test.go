package host

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// offered are tools of a server that say different things of themselves.
func offered() []tools.Spec {
	return []tools.Spec{
		{Name: "look", Remote: "look", Risk: tools.Read, Idempotent: true},
		{Name: "add", Remote: "add", Risk: tools.Reversible, Idempotent: true},
		{Name: "silent", Remote: "silent", Risk: tools.Dangerous, OpenWorld: true}, // as a tool without annotations
	}
}

// TestTrustDecidesWhatIsUsed: what a server says about its tools counts only as far as
// the server is trusted, and each unused tool is listed with the setting that would allow
// it.
func TestTrustDecidesWhatIsUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		trust  mcpint.Trust
		risk   mcpint.RiskRules
		used   map[string]tools.Risk
		unused map[string]string // by tool: its choices, and the command of the first
		taints bool
	}{
		"by default": {"", nil, map[string]tools.Risk{"look": tools.Read}, map[string]string{"add": "act, one: voice-gateway config set mcp.servers.zwave.trust act", "silent": "act, one: voice-gateway config set mcp.servers.zwave.trust act"}, true},
		"none":       {mcpint.TrustNone, mcpint.RiskRules{"*": "read"}, nil, map[string]string{"look": "read, act: voice-gateway config set mcp.servers.zwave.trust read", "add": "act: voice-gateway config set mcp.servers.zwave.trust act", "silent": "act: voice-gateway config set mcp.servers.zwave.trust act"}, false},
		"act":        {mcpint.TrustAct, nil, map[string]tools.Risk{"look": tools.Read, "add": tools.Costly, "silent": tools.Costly}, nil, true},
		"full":       {mcpint.TrustFull, nil, map[string]tools.Risk{"look": tools.Read, "add": tools.Reversible, "silent": tools.Dangerous}, nil, false},
		"rules":      {mcpint.TrustRead, mcpint.RiskRules{"a*": "costly", "add": "reversible", "look": "off"}, map[string]tools.Risk{"add": tools.Reversible}, map[string]string{"look": "one: voice-gateway config set mcp.servers.zwave.risk.look costly", "silent": "act, one: voice-gateway config set mcp.servers.zwave.trust act"}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := runWith(t, &fakeServer{specs: offered()}, func(c *Config) {
				c.Servers[0].Trust, c.Servers[0].Risk = tt.trust, tt.risk
			})
			pass(time.Second)
			used := map[string]tools.Risk{}
			for _, spec := range b.reg.Specs() {
				used[spec.Name] = spec.Risk
				if spec.OpenWorld != tt.taints || spec.Idempotent && tt.taints && spec.Risk != tools.Read {
					t.Errorf("%s: %s taints: %v, may be repeated: %v", name, spec.Name, spec.OpenWorld, spec.Idempotent)
				}
			}
			for tool, risk := range tt.used {
				if used[tool] != risk {
					t.Errorf("%s: %s is %q, want %q", name, tool, used[tool], risk)
				}
			}
			if len(used) != len(tt.used) {
				t.Errorf("%s: used are %v", name, used)
			}
			list := b.status().ToolsUnused
			if len(list) != len(tt.unused) {
				t.Errorf("%s: not used are %+v", name, list)
			}
			for _, u := range list {
				var levels []string
				for _, c := range u.Choices {
					levels = append(levels, string(c.Level))
				}
				if want := tt.unused[u.Tool]; strings.Join(levels, ", ")+": "+u.Allow != want || u.Why == "" || u.Resting {
					t.Errorf("%s: %+v", name, u)
				}
				if off := tt.risk["look"] == "off" && u.Tool == "look"; off != (u.Cause == mcpint.CauseRisk) || !off && u.Cause != mcpint.CauseTrust {
					t.Errorf("%s: the cause is %q: %+v", name, u.Cause, u)
				}
			}
			if logged := strings.Contains(b.log(), "are not used"); logged != (len(tt.unused) > 0) {
				t.Errorf("%s: in the log: %v", name, logged)
			}
			b.stop()
		})
	}
}

// TestAToolThatTheModelRefusesIsShown: it is listed with the reason, also after the next
// list of tools, and stays in use for others. The log has it from the model.
func TestAToolThatTheModelRefusesIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{specs: offered()}
		b := runWith(t, fake, func(c *Config) { c.Servers[0].Trust = mcpint.TrustFull })
		defer b.stop()
		pass(time.Second)
		b.Refused("zwave", "add")
		b.Refused("zwave", "add")
		b.Refused("nobody", "add")
		for range 2 {
			s := b.status()
			if len(s.ToolsUnused) != 1 || s.ToolsUnusedCount != 1 || s.ToolsUnused[0].Tool != "add" || s.ToolsUnused[0].Why != refusedByModel || s.ToolsUnused[0].Cause != mcpint.CauseUnfit || *s.Tools != 3 {
				t.Errorf("it shows %+v of %d", s.ToolsUnused, *s.Tools)
			}
			fake.mu.Lock()
			live := fake.live
			fake.mu.Unlock()
			live.notify(client.Notice{Kind: client.ToolsChanged})
			pass(noticePause + time.Second)
		}
		if len(b.reg.Specs()) != 3 || strings.Contains(b.log(), "are not used") {
			t.Errorf("%d are used; the log: %s", len(b.reg.Specs()), b.log())
		}
	})
}

// TestNewAndChangedToolsRest: a tool that appears later, or whose description changes, is
// not used until a person has accepted it, not even after a restart.
func TestNewAndChangedToolsRest(t *testing.T) {
	disk := &shelf{kept: map[string][]byte{}}
	names := func(b bench) (all []string) {
		for _, spec := range b.reg.Specs() {
			all = append(all, spec.Name)
		}
		return all
	}
	look := tools.Spec{Name: "look", Remote: "look", Risk: tools.Read}
	writer := tools.Spec{Name: "add", Remote: "add", Risk: tools.Reversible}
	turned := writer
	turned.Risk = tools.Read // it calls itself read-only now
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeServer{specs: []tools.Spec{look, writer}}
		b := runWith(t, fake, func(c *Config) { c.Pins = disk })
		defer b.stop()
		pass(time.Second)
		fake.mu.Lock()
		fake.specs = []tools.Spec{look, turned, {Name: "late", Remote: "late", Risk: tools.Read}}
		live := fake.live
		fake.mu.Unlock()
		live.notify(client.Notice{Kind: client.ToolsChanged})
		pass(noticePause + time.Second)
		if got := names(b); !slices.Equal(got, []string{"look"}) {
			t.Errorf("after the change %q are used", got)
		}
		if s := b.status(); len(s.ToolsUnused) != 2 || s.ToolsUnused[0].Allow != "voice-gateway servers accept zwave add" || !s.ToolsUnused[0].Resting || !slices.Equal(s.ToolsChanged, []string{"add"}) {
			t.Errorf("it shows %+v, changed %q", s.ToolsUnused, s.ToolsChanged)
		} else if s.ToolsUnused[0].Cause != mcpint.CauseChanged || s.ToolsUnused[1].Cause != mcpint.CauseNew {
			t.Errorf("the causes: %+v", s.ToolsUnused)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := runWith(t, &fakeServer{specs: []tools.Spec{look, turned, {Name: "late", Remote: "late", Risk: tools.Read}}}, func(c *Config) { c.Pins = disk })
		defer b.stop()
		pass(time.Second)
		if got := names(b); !slices.Equal(got, []string{"look"}) {
			t.Errorf("after a restart %q are used", got)
		}
		if accepted, err := b.Accept("zwave", "late"); err != nil || !slices.Equal(accepted, []string{"late"}) {
			t.Errorf("accepted %q, %v", accepted, err)
		}
		if got := names(b); !slices.Equal(got, []string{"late", "look"}) {
			t.Errorf("with one accepted %q are used", got)
		}
		_, err := b.Accept("zwave", "late")
		if _, ok := errors.AsType[*NotRestingError](err); !ok {
			t.Errorf("accepted twice: %v", err)
		}
		if accepted, err := b.Accept("zwave", ""); err != nil || !slices.Equal(accepted, []string{"add"}) {
			t.Errorf("accepted %q, %v", accepted, err)
		}
		if got := names(b); len(got) != 3 || len(b.status().ToolsUnused) != 0 {
			t.Errorf("with all accepted %q are used", got)
		}
	})
}
