// Package host keeps MCP servers connected and their tools in the registry (Host). Each
// server has a supervisor of its own: one goroutine that owns the server's state and its
// schedule of attempts, while all others read a copy and send it requests.
//
// It exists because a server is a foreign program that may be late, die, hang, or change
// its tools, and the user must hear no more of that than one honest sentence: retry,
// health, circuit breaker, pinned tools and reports are here. A new state or event is a
// row in the table of state.go; a new fact that health depends on is a field of vitals; a
// new kind of news is a func of Observer. Whether what a server needs is there is found out
// from signs, such as a port or a program (signs.go): a service that comes up late is seen
// sooner so than by trying the server now and then.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// Config is the part's configuration.
type Config struct {
	Command string // how a user calls our program, with the flags that name the configuration; empty: voice-gateway
	Servers []mcpint.Server
	Retry   Retry
	Health  HealthCheck    // zero means the defaults of REQUIREMENTS 2.5
	Breaker BreakerConfig  // zero means the defaults of REQUIREMENTS 2.5
	MQTT    func() bool    // whether the gateway is connected to its broker, for Requires; nil counts as true
	Options client.Options // Notify and Log are set by the host
	// Pins keeps what tools looked like at first sight; nil: it is kept in memory
	// only.
	Pins     PinStore
	Observer Observer // told what happens to the servers
}

// Attempt is one try to connect to a server.
type Attempt struct {
	Server string
	Number int           // from 1, since the last stable connection or forced retry
	After  time.Duration // when it began, since the start of Run
	Delay  time.Duration // the wait before it
	Err    error         // nil: it succeeded
}

// Host keeps MCP servers connected and their tools in the registry.
type Host struct {
	cfg          Config
	reg          *tools.Registry
	log          *slog.Logger
	supervisors  []*supervisor // sorted by id; guarded by mu, the list itself never changes
	changes      chan change   // to Run
	dial         func(ctx context.Context, s mcpint.Server, o client.Options) (client.Session, error)
	probe        func(ctx context.Context, need string) error
	random       func() float64 // [0, 1), for jitter
	announcement announcement
	mu           sync.Mutex
	watches      []resourceWatch
	started      time.Time
}

// resourceWatch is a function that wants the resources whose URI has a suffix.
type resourceWatch struct {
	suffix string
	fn     func(server string, body []byte)
}

// New checks the configuration and announces every server to the registry, so
// that its Await waits for them from here on. Nothing is started.
func New(cfg Config, reg *tools.Registry, log *slog.Logger) (*Host, error) {
	cfg.Health.Interval = cmp.Or(cfg.Health.Interval, defaultHealthInterval)
	cfg.Health.Timeout = cmp.Or(cfg.Health.Timeout, defaultHealthTimeout)
	h := &Host{cfg: cfg, reg: reg, log: log, dial: client.Dial, random: rand.Float64, changes: make(chan change)}
	h.probe = func(ctx context.Context, need string) error { return Probe(ctx, need, cfg.MQTT) }
	supervisors, err := h.supervise(cfg.Servers)
	if err != nil {
		return nil, err
	}
	h.use(supervisors, cfg.Servers)
	for _, s := range supervisors {
		s.toolsArrived = reg.Expect(s.srv.ID)
	}
	return h, nil
}

// supervisorOf makes the supervisor of a server.
func (h *Host) supervisorOf(s mcpint.Server) (*supervisor, error) {
	if err := client.Check(s); err != nil {
		return nil, err
	}
	s = s.WithDefaults()
	retry := Retry{Enabled: h.cfg.Retry.Enabled, Schedule: s.Retry.Over(h.cfg.Retry.Schedule)}
	if err := retry.check(); err != nil {
		return nil, fmt.Errorf("MCP server %q: %w", s.ID, err)
	}
	return newSupervisor(h, s, retry), nil
}

// Run keeps the servers connected until ctx ends, then stops them all at once and
// returns nil when no process is left. It may be called once.
func (h *Host) Run(ctx context.Context) error {
	h.mu.Lock()
	if !h.started.IsZero() {
		h.mu.Unlock()
		return errors.New("running the MCP host: it has been run already")
	}
	h.started = time.Now()
	h.mu.Unlock()
	for _, s := range h.all() {
		h.reg.Remember(s.srv.ID, s.earlierTools()...)
	}
	var running sync.WaitGroup
	defer running.Wait()
	for _, s := range h.all() {
		h.begin(ctx, &running, s)
	}
	running.Go(func() { h.announce(ctx) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-h.changes:
			c.reply <- h.apply(ctx, &running, c.servers)
		}
	}
}

// Status lists the servers by id.
func (h *Host) Status() []mcpint.Status {
	list := []mcpint.Status{}
	for _, s := range h.all() {
		list = append(list, s.status())
	}
	return list
}

// connectedBeside lists the servers other than one that are connected, with the number of
// their tools: "music (8 tools)".
func (h *Host) connectedBeside(id string) []string {
	var list []string
	for _, s := range h.supervisors {
		if s.srv.ID == id {
			continue
		}
		if st := s.status(); st.Status == mcpint.Connected && st.Tools != nil {
			list = append(list, fmt.Sprintf("%s (%d %s)", st.ID, *st.Tools, plural("tool", *st.Tools)))
		}
	}
	return list
}

// Overall returns the state of all servers as one word.
func (h *Host) Overall() mcpint.Overall { return mcpint.OverallOf(h.Status()) }

// Retry starts afresh with one server: its count is reset and it is tried at
// once. It returns within a fraction of a second, when the attempt has begun or
// is sure to begin, and does not wait for its end. A connected server keeps its
// connection: it is asked for a sign of life, and an open breaker lets a call
// through.
func (h *Host) Retry(ctx context.Context, id string) error {
	return h.retry(ctx, id, false)
}

// Reconnect does what Retry does, and also ends an existing connection.
func (h *Host) Reconnect(ctx context.Context, id string) error {
	return h.retry(ctx, id, true)
}

func (h *Host) retry(ctx context.Context, id string, renew bool) error {
	s, err := h.find(id)
	if err != nil {
		return err
	}
	return s.requestRetry(ctx, renew)
}

// CheckHealth asks a connected server for a sign of life now, waits for it for as
// long as the configuration says, and returns the status after it.
func (h *Host) CheckHealth(ctx context.Context, id string) (mcpint.Status, error) {
	s, err := h.find(id)
	if err != nil {
		return mcpint.Status{}, err
	}
	session, generation := s.session()
	if asked, ok := session.(client.Pingable); ok && !(checker{s, asked, generation}).check(ctx, false) {
		s.requestCheck()
	}
	return s.status(), ctx.Err()
}

func (h *Host) find(id string) (*supervisor, error) {
	for _, s := range h.all() {
		if s.srv.ID == id {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownServer, id)
}

// ErrUnknownServer means that no server with that id is configured.
var ErrUnknownServer = errors.New("there is no such MCP server")

// Accept lets tools of a server be used that rest because they are new or not what they
// were (REQUIREMENTS S5): one by its name, or with "" all of them. It returns their
// names; the error for a tool that does not rest is a *NotRestingError.
func (h *Host) Accept(id, tool string) ([]string, error) {
	s, err := h.find(id)
	if err != nil {
		return nil, err
	}
	return s.offer.accept(tool)
}

// Refused notes that the server of the language model refuses a tool, by its name on its
// own server. It stays in use for everybody else.
func (h *Host) Refused(id, tool string) {
	if s, err := h.find(id); err == nil { // one that has just been taken away shows nothing
		s.offer.refuse(tool)
	}
}

// Stderr returns the end of what a server's process wrote to its stderr: of the one that
// runs, else of the one that ended last. It is text of others, cleaned and bounded.
func (h *Host) Stderr(id string) (string, error) {
	s, err := h.find(id)
	if err != nil {
		return "", err
	}
	if session, _ := s.session(); session != nil {
		if talkative, ok := session.(client.Talkative); ok {
			return talkative.Words(), nil
		}
	}
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	return s.view.said, nil
}

// RetryAll does what Retry does for every server at the same time, so that all
// together take no longer than one.
func (h *Host) RetryAll(ctx context.Context) error {
	all := h.all()
	errs := make([]error, len(all))
	var forcing sync.WaitGroup
	for i, s := range all {
		forcing.Go(func() { errs[i] = s.requestRetry(ctx, false) })
	}
	forcing.Wait()
	return errors.Join(errs...)
}

// WakeAll says that something servers depend on, such as the broker, is back:
// servers that are not connected are tried at once, unless retries are switched off
// for them. It does not block.
func (h *Host) WakeAll() {
	for _, s := range h.all() {
		if s.plan.retry.Enabled { // this part of the plan never changes
			s.requests.wakeUp()
		}
	}
}

// Wake says that a server is needed: if it is not connected, it is tried at once. An id
// that is not configured is ignored.
func (h *Host) Wake(id string) {
	if s, err := h.find(id); err == nil {
		s.requests.wakeUp()
	}
}

// Watch hands over every resource whose URI ends with suffix of the servers that may
// tell of a house, once per connection and again whenever its server says that it
// changed. fn is called from one
// goroutine per server and must be registered before Run.
func (h *Host) Watch(suffix string, fn func(server string, body []byte)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watches = append(h.watches, resourceWatch{suffix, fn})
}

// watchersOf returns the functions that want a resource.
func (h *Host) watchersOf(uri string) []func(string, []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []func(string, []byte)
	for _, w := range h.watches {
		if strings.HasSuffix(uri, w.suffix) {
			list = append(list, w.fn)
		}
	}
	return list
}
