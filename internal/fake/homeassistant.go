package fake

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// HomeAssistant plays the WebSocket API of Home Assistant, and what a real one cannot be
// made to do: it falls silent, tells several things at once, and answers as a test says. It
// is reached by its Dial alone, in memory, so that tests in virtual time can use it.
type HomeAssistant struct {
	// Coalesce has several messages sent in one frame.
	Coalesce bool
	// OnCall carries out a service, in a goroutine of its own; nil, or an error, is answered.
	OnCall func(c ServiceCall) *ServiceError
	// OnAsk returns what a service answers that was asked for an answer.
	OnAsk func(c ServiceCall) any

	incoming chan net.Conn
	closed   chan struct{}
	server   *http.Server

	mu      sync.Mutex
	token   string
	state   string // of Home Assistant itself
	silent  bool
	things  map[string]Thing
	floors  []any
	areas   []any
	devices []any
	logins  int // attempts to log in
	refused int
	calls   []ServiceCall
	clients map[*hassClient]bool
}

// Thing is an entity of a HomeAssistant.
type Thing struct {
	State      string
	Attributes map[string]any
	Area       string // the id of its area
	Device     string
	Aliases    []any
	Hidden     bool // it is not shown to assistants
	Unlisted   bool // it has no entry in the registry
}

// ServiceCall is a service that a client called.
type ServiceCall struct {
	Service string // light.turn_on
	Entity  string
	Data    map[string]any
	Context string // of the call; states that it causes have it too
}

// ServiceError is how a service was refused.
type ServiceError struct{ Code, Message string }

// HomeAssistantToken is the token that a new HomeAssistant takes.
const HomeAssistantToken = "a-long-lived-access-token"

// NewHomeAssistant starts one with these things, which runs until Close.
func NewHomeAssistant(things map[string]Thing) *HomeAssistant {
	h := &HomeAssistant{
		incoming: make(chan net.Conn), closed: make(chan struct{}), token: HomeAssistantToken, state: "RUNNING",
		things: things, clients: map[*hassClient]bool{},
		floors: []any{map[string]any{"floor_id": "ground", "name": "Ground Floor", "aliases": []string{"downstairs"}}},
	}
	for _, name := range []string{"Kitchen", "Hall", "Garage"} {
		h.areas = append(h.areas, map[string]any{"area_id": strings.ToLower(name), "name": name, "floor_id": "ground", "aliases": []string{}})
	}
	h.server = &http.Server{Handler: http.HandlerFunc(h.serve), ReadHeaderTimeout: time.Minute}
	go func() { _ = h.server.Serve(h) }()
	return h
}

// Accept makes it a net.Listener, with Close and Addr.
func (h *HomeAssistant) Accept() (net.Conn, error) {
	select {
	case c := <-h.incoming:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it with all its connections.
func (h *HomeAssistant) Close() error {
	h.mu.Lock()
	select {
	case <-h.closed:
	default:
		close(h.closed)
	}
	h.mu.Unlock()
	h.Drop()
	return nil
}

// Addr is no address: it is reached by Dial.
func (h *HomeAssistant) Addr() net.Addr { return &net.UnixAddr{Name: "home assistant", Net: "unix"} }

// Dial connects to it.
func (h *HomeAssistant) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case h.incoming <- theirs:
		return ours, nil
	case <-h.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hassClient is one connected client.
type hassClient struct {
	ws       *websocket.Conn
	write    sync.Mutex
	entities int            // the id of its subscription to states; 0: none
	events   map[string]int // its subscriptions to events, by type
}

func (h *HomeAssistant) serve(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.Close() }()
	c := &hassClient{ws: ws, events: map[string]int{}}
	var said struct {
		Token string `json:"access_token"`
	}
	h.tell(c, map[string]any{"type": "auth_required", "ha_version": "2026.9.3"})
	if ws.ReadJSON(&said) != nil {
		return
	}
	h.mu.Lock()
	h.logins++
	right := said.Token == h.token
	if !right {
		h.refused++
	} else {
		h.clients[c] = true
	}
	h.mu.Unlock()
	if !right {
		h.tell(c, map[string]any{"type": "auth_invalid", "message": "Invalid access token or password"})
		return
	}
	h.tell(c, map[string]any{"type": "auth_ok", "ha_version": "2026.9.3"})
	for {
		var m map[string]any
		if ws.ReadJSON(&m) != nil {
			break
		}
		h.answer(c, m)
	}
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
}

// tell sends messages, unless it has fallen silent.
func (h *HomeAssistant) tell(c *hassClient, messages ...any) {
	h.mu.Lock()
	silent := h.silent
	h.mu.Unlock()
	if silent {
		return
	}
	c.write.Lock()
	defer c.write.Unlock()
	if h.Coalesce && len(messages) > 1 {
		_ = c.ws.WriteJSON(messages)
		return
	}
	for _, m := range messages {
		_ = c.ws.WriteJSON(m)
	}
}

// answer answers a command.
func (h *HomeAssistant) answer(c *hassClient, m map[string]any) {
	number, _ := m["id"].(float64)
	id := int(number)
	if m["type"] == "call_service" {
		go h.call(c, id, m)
		return
	}
	if m["type"] == "ping" {
		h.tell(c, map[string]any{"id": id, "type": "pong"})
		return
	}
	h.mu.Lock()
	out := []any{map[string]any{"id": id, "type": "result", "success": true, "result": h.result(m)}}
	switch m["type"] {
	case "subscribe_events":
		name, _ := m["event_type"].(string)
		c.events[name] = id
	case "subscribe_entities":
		c.entities = id
		all := map[string]any{}
		for entity, t := range h.things {
			all[entity] = map[string]any{"s": t.State, "a": t.Attributes, "c": "start", "lc": hassTime()}
		}
		out = append(out, event(id, map[string]any{"a": all}))
	}
	h.mu.Unlock()
	h.tell(c, out...)
}

// result is what a question is answered with. The caller holds mu.
func (h *HomeAssistant) result(m map[string]any) any {
	switch m["type"] {
	case "get_config":
		return map[string]any{"state": h.state, "unit_system": map[string]any{"temperature": "°C"}}
	case "config/floor_registry/list":
		return h.floors
	case "config/area_registry/list":
		return h.areas
	case "config/device_registry/list":
		return append([]any{}, h.devices...)
	case "config/entity_registry/list":
		return h.entries()
	case "config/entity_registry/get_entries":
		entries := map[string]any{}
		ids, _ := m["entity_ids"].([]any)
		for _, entity := range ids {
			name, _ := entity.(string)
			entries[name] = map[string]any{"entity_id": name, "aliases": append([]any{nil}, h.things[name].Aliases...)}
		}
		return entries
	case "homeassistant/expose_entity/list":
		shown := map[string]any{}
		for entity, t := range h.things {
			if !t.Hidden {
				shown[entity] = map[string]any{"conversation": true}
			}
		}
		return map[string]any{"exposed_entities": shown}
	case "homeassistant/expose_new_entities/get":
		return map[string]any{"expose_new": true}
	}
	return nil
}

func event(id int, body any) any { return map[string]any{"id": id, "type": "event", "event": body} }

func hassTime() float64 { return float64(time.Now().UnixMicro()) / 1e6 }

// entries is the entity registry. The caller holds mu.
func (h *HomeAssistant) entries() []any {
	out := []any{}
	for entity, t := range h.things {
		if t.Unlisted {
			continue
		}
		out = append(out, map[string]any{
			"entity_id": entity, "area_id": orNull(t.Area), "device_id": orNull(t.Device), "entity_category": nil, "hidden_by": nil,
			"options": map[string]any{"conversation": map[string]any{"should_expose": !t.Hidden}},
		})
	}
	return out
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (h *HomeAssistant) call(c *hassClient, id int, m map[string]any) {
	target, _ := m["target"].(map[string]any)
	ids, _ := target["entity_id"].([]any)
	data, _ := m["service_data"].(map[string]any)
	domain, _ := m["domain"].(string)
	service, _ := m["service"].(string)
	made := ServiceCall{Service: domain + "." + service, Data: data}
	if len(ids) == 1 {
		made.Entity, _ = ids[0].(string)
	}
	h.mu.Lock()
	made.Context = "ours-" + string(rune('a'+len(h.calls)%26))
	h.calls = append(h.calls, made)
	h.mu.Unlock()
	var refused *ServiceError
	if h.OnCall != nil {
		refused = h.OnCall(made)
	}
	if refused != nil {
		h.tell(c, map[string]any{"id": id, "type": "result", "success": false, "error": map[string]any{"code": refused.Code, "message": refused.Message}})
		return
	}
	result := map[string]any{"context": map[string]any{"id": made.Context, "user_id": "voice"}}
	if m["return_response"] == true && h.OnAsk != nil {
		result["response"] = map[string]any{made.Entity: h.OnAsk(made)}
	}
	h.tell(c, map[string]any{"id": id, "type": "result", "success": true, "result": result})
}

// Set changes the state of a thing and those of its attributes that are named; nil takes one
// away. context is what caused it; nil: the device itself.
func (h *HomeAssistant) Set(id, state string, attributes map[string]any, context any) {
	h.mu.Lock()
	t := h.things[id]
	more, less := map[string]any{}, []string{}
	now := maps.Clone(t.Attributes)
	if now == nil {
		now = map[string]any{}
	}
	for name, v := range attributes {
		switch {
		case v == nil:
			delete(now, name)
			less = append(less, name)
		case !reflect.DeepEqual(now[name], v):
			now[name], more[name] = v, v
		}
	}
	plus := map[string]any{"lu": hassTime(), "a": more}
	if state != t.State {
		plus["s"], plus["lc"] = state, hassTime()
	}
	if plus["c"] = context; context == nil {
		plus["c"] = map[string]any{"id": "device", "user_id": nil}
	}
	t.State, t.Attributes = state, now
	h.things[id] = t
	h.mu.Unlock()
	h.toAll(func(c *hassClient) any {
		return event(c.entities, map[string]any{"c": map[string]any{id: map[string]any{"+": plus, "-": map[string]any{"a": less}}}})
	})
}

// Add adds a thing, or changes what it is.
func (h *HomeAssistant) Add(id string, t Thing) {
	h.mu.Lock()
	h.things[id] = t
	h.mu.Unlock()
	h.toAll(func(c *hassClient) any {
		return event(c.entities, map[string]any{"a": map[string]any{id: map[string]any{"s": t.State, "a": t.Attributes, "c": "new", "lc": hassTime()}}})
	})
	h.rewritten()
}

// Remove takes a thing away.
func (h *HomeAssistant) Remove(id string) {
	h.mu.Lock()
	delete(h.things, id)
	h.mu.Unlock()
	h.toAll(func(c *hassClient) any { return event(c.entities, map[string]any{"r": []string{id}}) })
	h.rewritten()
}

// Hide says whether a thing is shown to assistants. Of one without an entry in the registry
// nobody is told.
func (h *HomeAssistant) Hide(id string, yes bool) {
	h.mu.Lock()
	t := h.things[id]
	t.Hidden = yes
	h.things[id] = t
	h.mu.Unlock()
	if !t.Unlisted {
		h.rewritten()
	}
}

// rewritten tells that the entity registry has changed.
func (h *HomeAssistant) rewritten() {
	h.toAll(func(c *hassClient) any {
		return event(c.events["entity_registry_updated"], map[string]any{"data": map[string]any{"action": "update"}})
	})
}

func (h *HomeAssistant) toAll(message func(*hassClient) any) {
	h.mu.Lock()
	var all []*hassClient
	for c := range h.clients {
		if c.entities != 0 {
			all = append(all, c)
		}
	}
	h.mu.Unlock()
	for _, c := range all {
		h.tell(c, message(c))
	}
}

// Calls are the services that were called.
func (h *HomeAssistant) Calls() []ServiceCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// Logins are how often somebody tried to log in, and how often with a wrong token.
func (h *HomeAssistant) Logins() (all, refused int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logins, h.refused
}

// Drop ends all connections.
func (h *HomeAssistant) Drop() {
	h.mu.Lock()
	all := slices.Collect(maps.Keys(h.clients))
	h.mu.Unlock()
	for _, c := range all {
		_ = c.ws.Close()
	}
}

// Take makes another token the one that it takes. Those who came with the one before are
// thrown out.
func (h *HomeAssistant) Take(token string) {
	h.mu.Lock()
	h.token = token
	h.mu.Unlock()
	h.Drop()
}

// Silence has it read and say nothing, as behind a connection that nobody has closed.
func (h *HomeAssistant) Silence(yes bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = yes
}

// Be makes it be in a state such as STARTING or RUNNING.
func (h *HomeAssistant) Be(state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = state
}
