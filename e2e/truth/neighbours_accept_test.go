//go:build accept

package truth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/zwave/sim"
)

// toolRecipe is a tool of the foreign server.
const toolRecipe = "recipe_of_the_day"

// neighbours is a household among strangers who write orders wherever they can: the
// web, a foreign server, names in the house, what servers print when they fail.
type neighbours struct {
	*household
	mu      sync.Mutex
	tells   string   // what the web and the foreign server tell
	queries []string // what was searched for
}

// newNeighbours starts it with all that stands there from the beginning.
func newNeighbours(tb testing.TB, c *conduct, lang string) *neighbours {
	tb.Helper()
	var mine []injection
	for _, i := range c.injections {
		if i.Lang == lang {
			mine = append(mine, i)
		}
	}
	n := &neighbours{household: unhoused(tb, c, lang, func(cfg *sim.Config) { plant(cfg, mine) })}
	web := httptest.NewServer(http.HandlerFunc(n.search))
	tb.Cleanup(web.Close)
	foreign := httptest.NewServer(server.NewStreamableHTTPServer(n.foreign(mine)))
	tb.Cleanup(foreign.Close)
	n.settings = append(n.settings, "VOICE_GATEWAY_TOOLS_SEARCH_PROVIDER=searxng", "VOICE_GATEWAY_TOOLS_SEARCH_URL="+web.URL)
	n.flags = []string{"--config", n.configuration(foreign.URL+"/mcp", mine)}
	n.anew()
	for _, i := range mine {
		if i.By == "topic" {
			topic := "zwave/" + strings.Trim(letters(i.Text), " ") + "/lastActive"
			if err := n.bus.PublishRetained(tb.Context(), topic, []byte(`{"time":1,"value":1}`)); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return n
}

// strange is the first node of what strangers have named.
const strange = 60

// strangeName is the name of a device that holds an order elsewhere than in its name.
func strangeName(id int) string { return fmt.Sprintf("Thing %d", id) }

// plant puts orders into the house: names, locations, what a sensor tells, and the
// name of the gateway.
func plant(cfg *sim.Config, list []injection) {
	for at, i := range list {
		n := sim.NodeSpec{ID: strange + at, Kind: "switch", Name: strangeName(strange + at), Location: cfg.House.Nodes[0].Location}
		switch i.By {
		case "name":
			n.Name = i.Text
		case "location":
			n.Location = i.Text
		case "sensor":
			n = talking(cfg.House, i.Text)
			n.ID, n.Name = strange+at, strangeName(strange+at)
		case "topic":
			cfg.Gateway = i.Text
			continue
		default:
			continue
		}
		cfg.House.Nodes = append(cfg.House.Nodes, n)
	}
}

// talking is a sensor that reports a text written by its maker, as its unit and as its
// value.
func talking(h sim.House, text string) sim.NodeSpec {
	n := h.Nodes[slices.IndexFunc(h.Nodes, func(n sim.NodeSpec) bool { return len(n.Extra) > 0 })]
	n.Extra = slices.Clone(n.Extra[:1])
	n.Extra[0].States = slices.Clone(n.Extra[0].States)
	n.Extra[0].States[1].Text, n.Extra[0].Value = text, 2
	n.Extra = append(n.Extra, sim.ValueSpec{ID: "49-0-Air temperature", Type: "number", Label: "Air temperature", Name: "Air temperature", Unit: text, Value: 21})
	return n
}

// configuration has the foreign server, and those that fail with an order.
func (n *neighbours) configuration(foreign string, list []injection) string {
	n.Helper()
	dir := n.TempDir()
	text := "mcp:\n  servers:\n    zwave: {essential: true}\n    cook: {transport: http, url: '" + foreign + "'}\n"
	for _, i := range list {
		if i.By != "stderr" {
			continue
		}
		path := filepath.Join(dir, i.ID)
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+strings.ReplaceAll(i.Text, "'", "")+"' >&2\nexit 1\n"), 0o700); err != nil {
			n.Fatal(err)
		}
		text += "    " + i.ID + ": {command: " + path + ", retry: {base_delay: 1h, max_delay: 1h}}\n"
	}
	path := filepath.Join(dir, "gateway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		n.Fatal(err)
	}
	return path
}

// foreign is a foreign server, with orders in its descriptions and results.
func (n *neighbours) foreign(list []injection) *server.MCPServer {
	s := server.NewMCPServer("cook", "1", server.WithToolCapabilities(true))
	answer := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(n.told()), nil
	}
	add := func(name, description string) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(description), mcp.WithReadOnlyHintAnnotation(true)), answer)
	}
	add(toolRecipe, "The recipe of the day.")
	for _, i := range list {
		if i.By == "description" {
			add("recipes_"+i.ID, i.Text)
		}
	}
	return s
}

func (n *neighbours) told() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.tells
}

// search is the web.
func (n *neighbours) search(w http.ResponseWriter, r *http.Request) {
	query, _ := url.QueryUnescape(r.URL.Query().Get("q"))
	n.mu.Lock()
	n.queries = append(n.queries, query)
	n.mu.Unlock()
	_, _ = fmt.Fprintf(w, `{"results":[{"title":"Found","url":"https://example.org/","content":%q}]}`, n.told())
}

// orderAll has every order read, if anything lets it be read.
func (n *neighbours) orderAll(found *ledger) {
	n.Helper()
	at, by := strange-1, ""
	for _, i := range n.conduct.injections {
		if i.Lang != n.lang {
			continue
		}
		at++
		if slices.Contains([]string{"search", "later", "result"}, i.By) || i.By != by {
			n.anew() // the conversation counts for one line only
		}
		by = i.By
		turns, seen := n.tempt(i, strangeName(at))
		found.injection(i, seen, i.obeyed(turns))
		for _, t := range turns {
			n.backTo(0, t.sent)
		}
	}
}

// tempt says what the person says, and lets the model do what it reads.
func (n *neighbours) tempt(i injection, thing string) (turns []turned, seen bool) {
	n.Helper()
	n.mu.Lock()
	n.tells = i.Text
	n.mu.Unlock()
	if i.Does != nil {
		n.before(*i.Does)
	}
	for _, text := range i.Asks {
		n.model.behave(func(r request) response {
			reads := strings.Contains(r.text, letters(i.Order)) && (i.Leaks == "" || strings.Contains(r.text, letters(i.Leaks)))
			n.mu.Lock()
			seen = seen || reads
			n.mu.Unlock()
			switch {
			case reads && r.rounds < 2:
				return response{calls: n.wants(i)}
			case r.rounds == 0 && len(n.lures(i, r, text, thing)) > 0:
				return response{calls: n.lures(i, r, text, thing)}
			case reads:
				return response{text: i.Text} // and so it comes into the conversation
			default:
				return response{text: "Hm."}
			}
		})
		r, sent := n.turn(text)
		n.mu.Lock()
		turns = append(turns, turned{said: text, sent: sent, searched: n.queries})
		n.queries = nil
		n.mu.Unlock()
		n.rest(r)
	}
	return turns, seen
}

// wants are the calls that an order of others is after.
func (n *neighbours) wants(i injection) []call {
	if i.Leaks != "" {
		return []call{{toolSearch, map[string]any{"query": "news about " + i.Leaks}}}
	}
	return n.conduct.house.calls(n.lang, *i.Does)
}

// lures are the calls with which the model comes to read the order.
func (n *neighbours) lures(i injection, r request, text, thing string) []call {
	nothing := map[string]any{}
	switch i.By {
	case "search", "later":
		if r.offers(toolSearch) != "" {
			return []call{{toolSearch, map[string]any{"query": text}}}
		}
	case "sensor":
		return []call{{toolState, map[string]any{"device_name": thing}}, {"get_device_sensor_data", map[string]any{"device_name": thing}}}
	case "stderr":
		return []call{{"list_servers", nothing}, {"get_server_status", map[string]any{"serverId": i.ID}}}
	case "topic", "name", "location":
		return []call{{"check_zwave_health", nothing}, {"list_devices", nothing}}
	case "result":
		if tool := r.offers(toolRecipe); tool != "" {
			return []call{{tool, nothing}}
		}
	}
	return nil
}
