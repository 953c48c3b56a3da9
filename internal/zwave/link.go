package zwave

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// maxTopics bounds how many topics are remembered, because any client can publish some:
// 232 nodes with some 60 values each stay far below it.
const maxTopics = 50_000

// link is the connection to the gateway: it knows which one it is and whether it
// is there, and matches the answers of its API to requests.
type link struct {
	prefix     string
	configured string // the configured gateway's topic level, or ""
	bus        Bus
	id         string // begins every request id of this process

	mu          sync.Mutex
	online      map[string]bool // gateway level -> its own status
	proven      string          // the level of the only gateway that answered; valid until another one answers, too
	driverUp    *bool           // nil: never heard
	stick       stick
	listsLost   int // in a row, while the gateway answered
	requests    int // sent so far
	pending     map[string]pending
	topics      map[string]sighting // node topics seen, below the prefix
	reconnected chan struct{}       // closed when broker or gateway come back: requests sent before are lost
}

// pending is a request without an answer yet; settled runs when the answer
// arrives, in the order of the messages.
type pending struct {
	answer  chan<- answer
	settled func()
}

// sighting is what is remembered of a topic.
type sighting struct {
	examined bool // a refresh has tried to explain it
	live     bool // it was published since the gateway came; otherwise it may be left over
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

// These errors say, in words for people, what is being waited for.
var (
	errNoGateway = errors.New("no zwave-js-ui gateway has been seen on the broker yet")
	errNoAnswer  = errors.New("the gateway does not answer")
)

func newLink(cfg Config, bus Bus) *link {
	l := &link{
		prefix:      cfg.Prefix,
		bus:         bus,
		id:          strconv.FormatUint(rand.Uint64(), 36),
		online:      map[string]bool{},
		pending:     map[string]pending{},
		topics:      map[string]sighting{},
		reconnected: make(chan struct{}),
	}
	if cfg.Gateway != "" {
		l.configured = wire.GatewayLevel(strings.TrimPrefix(cfg.Gateway, wire.GatewayPrefix))
	}
	return l
}

// allowed reports whether an API call is one of those that this program may send;
// others could even reset the controller (Z5).
func allowed(api string) bool {
	switch api {
	case "getInfo", "getNodes", "writeValue", "pollValue", "refreshValues", "pingNode":
		return true
	default:
		return false
	}
}

// send sends an API call whose answer may take hours, and does not wait for it.
func (l *link) send(ctx context.Context, api string, args ...any) error {
	level, err := l.gateway()
	if err != nil {
		return err
	}
	_, drop, _, err := l.requestTo(ctx, level, outgoing{api: api, args: args})
	if err == nil {
		drop()
	}
	return err
}

// outgoing is a request that has not been sent yet.
type outgoing struct {
	api     string
	args    []any
	begun   func(id string) // runs before it is published
	settled func(id string) // runs when its answer arrives, in the order of the messages
}

// requestTo sends an API call and returns the channel on which its answer will
// arrive; drop stops waiting for it. at is when the request was sent.
func (l *link) requestTo(ctx context.Context, level string, o outgoing) (got <-chan answer, drop func(), at time.Time, err error) {
	if !allowed(o.api) {
		return nil, nil, at, fmt.Errorf("the API call %q is not on the allow list", o.api)
	}
	if o.args == nil {
		o.args = []any{}
	}
	c := make(chan answer, 1)
	l.mu.Lock()
	l.requests++
	id := "vg-" + l.id + "-" + strconv.Itoa(l.requests)
	p := pending{answer: c}
	if o.settled != nil {
		p.settled = func() { o.settled(id) }
	}
	l.pending[id] = p
	l.mu.Unlock()
	drop = func() {
		l.mu.Lock()
		delete(l.pending, id)
		l.mu.Unlock()
	}
	if o.begun != nil {
		o.begun(id)
	}
	body, err := json.Marshal(map[string]any{"args": o.args, "requestId": id})
	if err == nil {
		at = time.Now()
		err = l.bus.Publish(ctx, l.prefix+"/_CLIENTS/"+level+"/api/"+o.api+"/set", body)
	}
	if err != nil {
		drop()
		return nil, nil, at, fmt.Errorf("asking the gateway for %s: %w", o.api, err)
	}
	return c, drop, at, nil
}

// call sends an API call and waits for the answer.
func (l *link) call(ctx context.Context, api string, args ...any) (answer, error) {
	level, err := l.gateway()
	if err != nil {
		return answer{}, err
	}
	return l.callTo(ctx, level, api, args...)
}

func (l *link) callTo(ctx context.Context, level, api string, args ...any) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	got, drop, _, err := l.requestTo(ctx, level, outgoing{api: api, args: args})
	if err != nil {
		return answer{}, err
	}
	defer drop()
	return await(ctx, api, got)
}

// ping reports whether a node answers.
func (l *link) ping(ctx context.Context, node int) bool {
	a, err := l.call(ctx, "pingNode", node)
	return err == nil && string(a.result) == "true"
}

func await(ctx context.Context, api string, got <-chan answer) (answer, error) {
	select {
	case a := <-got:
		return a, a.err
	case <-ctx.Done():
		return answer{}, fmt.Errorf("%s: %w", api, errNoAnswer)
	}
}

// relabels reports whether a message below _CLIENTS/ is the gateway's answer to a client
// that has named or moved a node: no other message reports that.
func relabels(rest string, payload []byte) bool {
	_, api, _ := strings.Cut(rest, "/")
	return (api == "api/setNodeName" || api == "api/setNodeLocation") && !bytes.Contains(payload, []byte(`"success":false`))
}

// gatewayMessage takes a message below _CLIENTS/; true means that the gateway has
// just appeared, perhaps again.
func (l *link) gatewayMessage(rest string, payload []byte, seq uint64) bool {
	level, rest, ok := strings.Cut(rest, "/")
	if !ok || !strings.HasPrefix(level, wire.GatewayPrefix) || !l.hasRoomFor(level) {
		return false
	}
	switch {
	case rest == "status":
		s, ok := wire.ParseNodeStatus(payload)
		if !ok {
			return false // an unreadable message says nothing about the gateway
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.online[level] = s.Available
		return s.Available
	case rest == "version":
		l.mu.Lock()
		defer l.mu.Unlock()
		if _, known := l.online[level]; !known {
			l.online[level] = false
		}
	case strings.HasPrefix(rest, "api/") && !strings.HasSuffix(rest, "/set"):
		api := strings.TrimPrefix(rest, "api/")
		if api == "getNodes" && l.isOurs(payload) {
			l.noteLists(0) // it comes through, even if it comes too late
		}
		if l.apiMessage(api, payload, seq) && api == "getNodes" {
			l.noteWorking(level)
		}
		return l.noteGateway(level)
	}
	return false
}

// maxGateways bounds how many gateways we remember, because any client of the broker can
// announce some.
const maxGateways = 64

// hasRoomFor reports whether a gateway is known or there is room for another.
func (l *link) hasRoomFor(level string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.online[level]
	return known || len(l.online) < maxGateways
}

// noteGateway records a gateway that was not announced by a retained message; true means
// that it is the first one. A gateway whose retain setting is off shows itself only by
// events and by its answers to other clients.
func (l *link) noteGateway(level string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.online[level]; known || len(l.online) >= maxGateways {
		return false
	}
	l.online[level] = true
	return len(l.online) == 1
}

// isOurs reports whether a payload holds a request id of this process.
func (l *link) isOurs(payload []byte) bool { return bytes.Contains(payload, []byte(l.id)) }

// apiMessage takes an answer; true means that it is ours and a success.
func (l *link) apiMessage(api string, payload []byte, seq uint64) bool {
	if !l.isOurs(payload) {
		return false // an answer to another client, which may have megabytes
	}
	var in struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
		Origin  struct {
			RequestID string `json:"requestId"`
		} `json:"origin"`
	}
	if json.Unmarshal(payload, &in) != nil {
		return false // not an answer to us after all
	}
	l.mu.Lock()
	p, ours := l.pending[in.Origin.RequestID]
	delete(l.pending, in.Origin.RequestID)
	l.mu.Unlock()
	if !ours {
		return false
	}
	if p.settled != nil {
		p.settled()
	}
	a := answer{result: resultOf(api, payload), seq: seq}
	if !in.Success {
		a.err = &apiError{api, in.Message}
	}
	p.answer <- a
	return in.Success
}

// resultOf returns the result of an answer that is valid JSON. The result of getNodes,
// which may have megabytes, is not copied, so the rest of the answer follows it.
func resultOf(api string, payload []byte) json.RawMessage {
	if api != "getNodes" {
		var in struct {
			Result json.RawMessage `json:"result"`
		}
		_ = json.Unmarshal(payload, &in) // it was read before
		return in.Result
	}
	dec := json.NewDecoder(bytes.NewReader(payload))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var key json.Token
		if key, err = dec.Token(); key == "result" {
			return bytes.TrimLeft(payload[dec.InputOffset():], ": \t\r\n")
		}
		var other json.RawMessage
		err = cmp.Or(err, dec.Decode(&other))
	}
	return nil
}

// noteWorking records that a gateway and its driver have proved to be there,
// whatever messages were missed or are retained about them.
func (l *link) noteWorking(level string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.online[level] = true
	if level == l.configured || level == l.proven || len(l.online) == 1 {
		yes := true
		l.driverUp = &yes
	}
}

// driverMessage records whether the Z-Wave driver is ready; true means that it
// is.
func (l *link) driverMessage(payload []byte) bool {
	s, ok := wire.ParseNodeStatus(payload)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.driverUp = &s.Available
	if s.Available {
		l.stick.prove()
	}
	return s.Available
}

// connected reports whether the broker is there; true where the bus cannot tell.
func (l *link) connected() bool {
	c, tells := l.bus.(interface{ Connected() bool })
	return !tells || c.Connected()
}

// available reports whether the gateway and the driver claim to be there. A
// retained claim proves little; a getInfo call proves it. With several gateways
// under the prefix it is unknown whose driver/status it is, so that status is
// ignored.
func (l *link) available() (gateway, driver bool) {
	if !l.connected() {
		return false, false
	}
	level, err := l.gateway()
	l.mu.Lock()
	defer l.mu.Unlock()
	on, heard := l.online[level]
	driverUp := l.driverUp == nil || *l.driverUp || len(l.online) > 1
	return err == nil && (on || !heard), driverUp && !l.stick.lost
}

// whenReconnected returns a channel that is closed when the broker or the gateway come
// back after having been away.
func (l *link) whenReconnected() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reconnected
}

// noteReconnect tells those who wait for an answer that it will not come.
func (l *link) noteReconnect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.reconnected)
	l.reconnected = make(chan struct{})
}
