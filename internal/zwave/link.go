package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// maxTopics bounds what is remembered of other people's topics: 232 nodes with
// some 60 values each stay far below it.
const maxTopics = 50_000

// link is the way to the gateway: which one it is, whether it is there, and its
// API with answers matched to requests.
type link struct {
	prefix string
	want   string // the configured gateway's topic level, or ""
	bus    Bus
	id     string // begins every request id of this process

	mu      sync.Mutex
	online  map[string]bool // gateway level -> its own status
	driver  *bool           // nil: never heard
	next    int
	pending map[string]chan answer
	topics  map[string]bool // node topics seen, below the prefix; true: by a refresh
}

// answer is what an API call brought back; seq orders it among the messages.
type answer struct {
	result json.RawMessage
	err    error
	seq    uint64
}

// apiError is a failure the gateway itself reports.
type apiError struct{ api, message string }

func (e *apiError) Error() string { return e.api + ": " + e.message }

// errNoGateway and its kind say what is being waited for, for people.
var (
	errNoGateway = errors.New("no zwave-js-ui gateway has been seen on the broker yet")
	errNoAnswer  = errors.New("the gateway does not answer")
)

func newLink(cfg Config, bus Bus) *link {
	l := &link{
		prefix:  cfg.Prefix,
		bus:     bus,
		id:      strconv.FormatUint(rand.Uint64(), 36),
		online:  map[string]bool{},
		pending: map[string]chan answer{},
		topics:  map[string]bool{},
	}
	if cfg.Gateway != "" {
		l.want = wire.GatewayLevel(strings.TrimPrefix(cfg.Gateway, wire.GatewayPrefix))
	}
	return l
}

// allowed is every API call this program ever sends; the same API could reset
// the controller (Z5).
func allowed(api string) bool {
	switch api {
	case "getInfo", "getNodes", "writeValue", "pollValue", "refreshValues", "pingNode":
		return true
	default:
		return false
	}
}

// gateway returns the topic level of the gateway to talk to.
func (l *link) gateway() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.want != "" {
		return l.want, nil
	}
	var live, all []string
	for name, on := range l.online {
		all = append(all, name)
		if on {
			live = append(live, name)
		}
	}
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", errNoGateway
	}
	slices.Sort(all)
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], wire.GatewayPrefix)
	}
	return "", fmt.Errorf("there are several Z-Wave gateways (%s); set ZWAVE_GATEWAY_NAME to the right one", strings.Join(all, ", "))
}

// request sends an API call and returns where its answer will arrive; drop gives
// up on it. at is when the request went out.
func (l *link) request(ctx context.Context, api string, args ...any) (got <-chan answer, drop func(), at time.Time, err error) {
	if !allowed(api) {
		return nil, nil, at, fmt.Errorf("the API call %q is not on the allow list", api)
	}
	gateway, err := l.gateway()
	if err != nil {
		return nil, nil, at, err
	}
	if args == nil {
		args = []any{}
	}
	c := make(chan answer, 1)
	l.mu.Lock()
	l.next++
	id := "vg-" + l.id + "-" + strconv.Itoa(l.next)
	l.pending[id] = c
	l.mu.Unlock()
	drop = func() {
		l.mu.Lock()
		delete(l.pending, id)
		l.mu.Unlock()
	}
	body, err := json.Marshal(map[string]any{"args": args, "requestId": id})
	if err == nil {
		at = time.Now()
		err = l.bus.Publish(ctx, l.prefix+"/_CLIENTS/"+gateway+"/api/"+api+"/set", body)
	}
	if err != nil {
		drop()
		return nil, nil, at, fmt.Errorf("asking the gateway for %s: %w", api, err)
	}
	return c, drop, at, nil
}

// call asks and waits for the answer.
func (l *link) call(ctx context.Context, api string, args ...any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	got, drop, _, err := l.request(ctx, api, args...)
	if err != nil {
		return answer{}, err
	}
	defer drop()
	return await(ctx, api, got)
}

func await(ctx context.Context, api string, got <-chan answer) (answer, error) {
	select {
	case a := <-got:
		return a, a.err
	case <-ctx.Done():
		return answer{}, fmt.Errorf("%s: %w", api, errNoAnswer)
	}
}

// gatewayMessage takes a message below _CLIENTS/; true means that the gateway has
// just come (back).
func (l *link) gatewayMessage(rest string, payload []byte, seq uint64) bool {
	level, rest, ok := strings.Cut(rest, "/")
	if !ok || !strings.HasPrefix(level, wire.GatewayPrefix) {
		return false
	}
	switch {
	case rest == "status":
		s, ok := wire.ParseNodeStatus(payload)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.online[level] = ok && s.Available
		return ok && s.Available
	case rest == "version":
		l.mu.Lock()
		defer l.mu.Unlock()
		if _, known := l.online[level]; !known {
			l.online[level] = false
		}
	case strings.HasPrefix(rest, "api/") && !strings.HasSuffix(rest, "/set"):
		l.apiMessage(strings.TrimPrefix(rest, "api/"), payload, seq)
	}
	return false
}

func (l *link) apiMessage(api string, payload []byte, seq uint64) {
	var in struct {
		Success bool            `json:"success"`
		Message string          `json:"message"`
		Result  json.RawMessage `json:"result"`
		Origin  struct {
			RequestID string `json:"requestId"`
		} `json:"origin"`
	}
	if json.Unmarshal(payload, &in) != nil {
		return // another client's answer, whose request was no object
	}
	l.mu.Lock()
	c := l.pending[in.Origin.RequestID]
	delete(l.pending, in.Origin.RequestID)
	l.mu.Unlock()
	if c == nil {
		return
	}
	a := answer{result: in.Result, seq: seq}
	if !in.Success {
		a.err = &apiError{api, in.Message}
	}
	c <- a
}

// driverMessage notes whether the Z-Wave driver is ready; true means it is.
func (l *link) driverMessage(payload []byte) bool {
	s, ok := wire.ParseNodeStatus(payload)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.driver = &s.Available
	return s.Available
}

// connected says whether the broker is there, if the bus can tell.
func (l *link) connected() bool {
	c, tells := l.bus.(interface{ Connected() bool })
	return !tells || c.Connected()
}

// available says whether gateway and driver both claim to be there. A retained
// claim proves little; a getInfo call proves it.
func (l *link) available() (gateway, driver bool) {
	if !l.connected() {
		return false, false
	}
	level, err := l.gateway()
	l.mu.Lock()
	defer l.mu.Unlock()
	on, heard := l.online[level]
	return err == nil && (on || !heard), l.driver == nil || *l.driver
}

// sawTopic notes a node's topic; true means that no refresh has looked at it yet.
func (l *link) sawTopic(topic string) bool {
	if strings.HasPrefix(topic, "Broadcast/") || strings.HasPrefix(topic, strconv.Itoa(wire.Broadcast)+"/") {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	looked, known := l.topics[topic]
	if !known && len(l.topics) < maxTopics {
		l.topics[topic] = false
	}
	return !looked
}

// seenTopics returns the topics by which the gateway's scheme can be told.
func (l *link) seenTopics() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, 0, len(l.topics))
	for t := range l.topics {
		out = append(out, t)
	}
	return out
}

// looked keeps topics that a refresh has seen, explained or not, from asking for
// another one.
func (l *link) looked(topics []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range topics {
		l.topics[t] = true
	}
}
