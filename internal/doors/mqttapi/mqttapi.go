// Package mqttapi is the gateway's MQTT interface: it publishes state, turns and
// replies and takes commands (REQUIREMENTS 2.3). It is separate from the MQTT
// client so that the contract is in one place. Its commands are the operations of the
// table of package doors that have a verb; add one there.
package mqttapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/ear/wakes"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

// Bus is the broker.
type Bus interface {
	Publish(ctx context.Context, topic string, payload []byte) error
	PublishRetained(ctx context.Context, topic string, payload []byte) error
	Subscribe(ctx context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error
}

// waiting is how many commands may be queued, waitingMost how many turns may wait for
// something slow, and remembered how many used ids are remembered. outgoing has room for
// the answers: a question makes three messages, and even of a thousand questions in a row
// none may be lost.
const (
	waiting     = 1024
	waitingMost = 256
	remembered  = 1024
	outgoing    = 4 * waiting
	sendBudget  = 2 * time.Second
)

// Base returns the beginning of all topics of a gateway.
func Base(id string) string { return "voice/" + id }

// Availability is the topic that says whether the gateway is there; the MQTT
// client's last will goes to it.
func Availability(id string) string { return Base(id) + "/availability" }

// API publishes what happens in a gateway and carries out commands.
type API struct {
	base string
	bus  Bus
	log  *slog.Logger
	now  func() time.Time

	// The lines are long and mostly empty, so they hold pointers.
	asks  chan *Command // what becomes a turn, in order of arrival: on and off must not change places
	sets  chan *Command // what else acts, such as the volume and timers, which wait for the questions that came before them
	quick chan *Command // everything else: a stop neither waits for answers nor overtakes
	lines *order.Lines
	slow  chan struct{} // a place for each turn that waits for something slow
	out   chan *message

	forged chan struct{} // of size one: a retained word of ours is another's at the broker

	mu       sync.Mutex
	standing map[string]string   // the retained words, by topic below base
	echoes   map[string][]string // the retained words that were sent and have not come back, by topic below base
	wrong    map[string]bool     // the topics below base that have another's word
	usedIDs  map[string]bool
	order    []string
}

type message struct {
	topic    string
	payload  []byte
	retained bool
}

// New makes the interface of the gateway with the given id; it does no I/O. Commands
// wait for their turn in lines, with all others that act.
func New(id string, bus Bus, lines *order.Lines, log *slog.Logger) (*API, error) {
	if id == "" || bus == nil || lines == nil || log == nil {
		return nil, errors.New("mqtt interface: a gateway id, a bus, lines and a logger are needed")
	}
	return &API{
		base: Base(id), bus: bus, log: log.With("part", "mqttapi"), now: time.Now,
		lines: lines,
		asks:  make(chan *Command, waiting), sets: make(chan *Command, waiting), quick: make(chan *Command, waiting), slow: make(chan struct{}, waitingMost),
		out:      make(chan *message, outgoing),
		forged:   make(chan struct{}, 1),
		standing: map[string]string{"/state": "idle"}, usedIDs: map[string]bool{},
		echoes: map[string][]string{}, wrong: map[string]bool{},
	}, nil
}

// Run subscribes and has the parts of a gateway carry out commands until ctx ends; then it
// publishes that the gateway is offline. The code that acts finds the place of its command
// in the queue in its context (order.From), waits for it and may pass it on before it
// returns. A turn has waited already.
func (a *API) Run(ctx context.Context, parts doors.Parts) error {
	if err := a.bus.Subscribe(ctx, a.base+"/cmd/#", a.receive); err != nil {
		return fmt.Errorf("subscribing to the commands: %w", err)
	}
	for _, topic := range retainedTopics {
		// A broker may refuse the subscription; then forged messages are not noticed.
		if err := a.bus.Subscribe(ctx, a.base+topic, a.overhear); err != nil && ctx.Err() == nil {
			a.log.Debug("a topic of the gateway is not watched", "topic", a.base+topic, "err", err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { a.lane(ctx, a.asks, func(c Command) { a.ask(ctx, &parts, &wg, c) }) })
	for _, line := range []chan *Command{a.sets, a.quick} {
		wg.Go(func() { a.lane(ctx, line, func(c Command) { a.do(ctx, &parts, c) }) })
	}
	var mend <-chan time.Time // not nil: forged messages are replaced then
	var mended time.Time
	for {
		select {
		case m := <-a.out:
			a.send(ctx, *m)
		case <-a.forged:
			if mend == nil {
				mend = time.After(time.Until(mended.Add(mendPause)))
			}
		case <-mend:
			mend, mended = nil, time.Now()
			a.putRight()
		case <-ctx.Done():
			wg.Wait()
			a.flush(ctx)
			return nil
		}
	}
}

// lane carries out commands one after the other.
func (a *API) lane(ctx context.Context, commands <-chan *Command, do func(Command)) {
	for {
		select {
		case c := <-commands:
			do(*c)
		case <-ctx.Done():
			return
		}
	}
}

// ask has the gateway answer one question. It returns when the turn has ended, or earlier
// when the turn waits for something slow, so that the next question can be answered. A
// question that waited in the queue for too long is refused.
func (a *API) ask(ctx context.Context, parts *doors.Parts, wg *sync.WaitGroup, c Command) {
	defer c.place.Pass()
	if c.place.Await(ctx) != nil {
		return // the gateway ends
	}
	if waited := a.now().Sub(c.At); waited > maxAge {
		a.refuse(c.Topic, c.ID, fmt.Errorf("the command waited %s behind others; at most %s is taken", waited.Round(time.Second), maxAge))
		return
	}
	told, waits := make(chan struct{}), make(chan struct{})
	var once sync.Once
	wg.Go(func() {
		defer close(told)
		c.In.(doors.Turn).Came(c.ID, c.At, func() {
			once.Do(func() {
				select {
				case a.slow <- struct{}{}:
					close(waits)
				default: // too many turns are waiting already: this one holds up the line
				}
			})
		})
		a.run(ctx, parts, c)
		select {
		case <-waits:
			<-a.slow
		default:
		}
	})
	select {
	case <-told:
	case <-waits:
	}
}

// flush sends, after the end of ctx, the waiting messages and the offline state.
func (a *API) flush(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
	defer cancel()
	for {
		select {
		case m := <-a.out:
			a.send(last, *m)
		default:
			a.send(last, message{a.base + "/availability", []byte("offline"), true})
			return
		}
	}
}

// Connected publishes that the gateway is online, and all retained words again.
// It is called at each connection, because the broker may have lost them.
func (a *API) Connected() {
	a.mu.Lock()
	standing := maps.Clone(a.standing)
	clear(a.echoes)
	a.mu.Unlock()
	a.put(message{a.base + "/availability", []byte("online"), true})
	for _, topic := range slices.Sorted(maps.Keys(standing)) {
		a.put(message{a.base + topic, []byte(standing[topic]), true})
	}
}

// State publishes the gateway's state.
func (a *API) State(s string) { a.stand("/state", s) }

// Servers publishes the state of all MCP servers as one word (REQUIREMENTS M5).
func (a *API) Servers(overall mcpint.Overall) { a.stand("/servers", string(overall)) }

// Recorder publishes whether the recorder keeps what is said: on or off
// (REQUIREMENTS H10).
func (a *API) Recorder(state string) { a.stand("/recorder", state) }

// Muted publishes whether the microphone is closed: on or off.
func (a *API) Muted(on bool) {
	if on {
		a.standAnew("/muted", "on")
	} else {
		a.standAnew("/muted", "off")
	}
}

// Volume publishes the volume in percent.
func (a *API) Volume(level int) { a.standAnew("/volume", strconv.Itoa(level)) }

// standAnew does what stand does, unless the message is the one that was published last.
func (a *API) standAnew(topic, word string) {
	a.mu.Lock()
	last, told := a.standing[topic]
	a.mu.Unlock()
	if !told || last != word {
		a.stand(topic, word)
	}
}

// Timers publishes all timers.
func (a *API) Timers(list []timers.Timer) {
	text, err := json.Marshal(list)
	if err != nil {
		a.log.Error("message not published", "topic", "/timers", "err", err)
		return
	}
	a.stand("/timers", string(text))
}

// Wakes publishes what is known of the wake words: false wakes, thresholds.
func (a *API) Wakes(state wakes.State) {
	text, err := json.Marshal(state)
	if err != nil {
		a.log.Error("message not published", "topic", "/wakes", "err", err)
		return
	}
	a.stand("/wakes", string(text))
}

// stand publishes a retained word and remembers it for the next connection.
func (a *API) stand(topic, word string) {
	a.mu.Lock()
	a.standing[topic] = word
	a.mu.Unlock()
	a.put(message{a.base + topic, []byte(word), true})
}

// Turn publishes the record of a turn.
func (a *API) Turn(r record.Record) { a.putJSON("/turn", r) }

// Reply publishes the answer of a turn.
func (a *API) Reply(turn, text string) {
	a.putJSON("/reply", map[string]string{"turn": turn, "text": text})
}

// Announce publishes what is said of a device without being asked.
func (a *API) Announce(x record.Announcement) { a.putJSON("/announce", x) }

// Event is a press of a button of the house.
type Event struct {
	Kind  string    `json:"kind"`  // button
	Thing string    `json:"thing"` // its name
	Press string    `json:"press"` // pressed, double, held …
	Time  time.Time `json:"time"`
}

// Event publishes a press of a button, which is not retained.
func (a *API) Event(e Event) { a.putJSON("/event", e) }

// Transcript publishes what was heard.
func (a *API) Transcript(turn, text string) {
	a.putJSON("/transcript", map[string]string{"turn": turn, "text": text})
}

func (a *API) putJSON(topic string, v any) {
	payload, err := json.Marshal(v)
	if err != nil {
		a.log.Error("message not published", "topic", topic, "err", err)
		return
	}
	a.put(message{topic: a.base + topic, payload: payload})
}

// put queues a message. It never blocks, because a broker that is away must not
// hold up a turn.
func (a *API) put(m message) {
	select {
	case a.out <- &m:
	default:
		a.log.Warn("message dropped: too many are waiting for the broker", "topic", m.topic)
	}
}

func (a *API) send(ctx context.Context, m message) {
	ctx, cancel := context.WithTimeout(ctx, sendBudget)
	defer cancel()
	publish := a.bus.Publish
	if m.retained {
		publish = a.bus.PublishRetained
		a.expectEcho(m)
	}
	if err := publish(ctx, m.topic, m.payload); err != nil {
		a.log.Debug("message not published", "topic", m.topic, "err", err)
	}
}

// receive handles one command message.
func (a *API) receive(topic string, payload []byte, retained bool) {
	verb, below := strings.CutPrefix(topic, a.base+"/cmd/")
	if !below || verb == "error" { // "#" is also the level above
		return
	}
	c, err := Parse(verb, payload, retained, a.now())
	c.Topic = topic
	if err == nil {
		err = a.accept(c)
	}
	if err != nil {
		a.refuse(topic, c.ID, err)
	}
}

// accept puts a command in line, unless its id was used before.
func (a *API) accept(c Command) error {
	line, place := a.quick, c.operation.Describe().Line
	if _, turn := c.In.(doors.Turn); turn {
		line = a.asks
	} else if place == order.Acts {
		line = a.sets
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.usedIDs[c.ID] {
		return fmt.Errorf("the id %q was used before; give every command an id of its own", c.ID)
	}
	if place != "" {
		c.place = a.lines.Take(place)
	}
	select {
	case line <- &c:
	default:
		c.place.Pass()
		return errors.New("too many commands are waiting; try again in a moment")
	}
	a.usedIDs[c.ID] = true
	a.order = append(a.order, c.ID)
	if len(a.order) > remembered {
		delete(a.usedIDs, a.order[0])
		a.order = a.order[1:]
	}
	return nil
}

// do has the gateway carry out a command.
func (a *API) do(ctx context.Context, parts *doors.Parts, c Command) {
	defer c.place.Pass()
	a.run(order.With(ctx, c.place), parts, c)
}

// run has the gateway carry out a command, and tells its sender what went wrong.
func (a *API) run(ctx context.Context, parts *doors.Parts, c Command) {
	answer, err := c.operation.Run(ctx, parts, c.In)
	if err == nil && answer.Flaw != "" {
		err = errors.New(answer.Flaw)
	}
	if err != nil {
		a.refuse(c.Topic, c.ID, doors.Cause(err))
	}
}

func (a *API) refuse(topic, id string, err error) {
	a.putJSON("/cmd/error", map[string]string{"topic": topic, "id": id, "error": err.Error()})
}
