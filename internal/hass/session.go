package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/ground/reconnect"
	"voicegateway/internal/hass/socket"
)

// Pauses of the connection.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
	bannedPause  = 5 * time.Minute
	tokenLook    = 5 * time.Second        // how often a refused token is looked at for a new one
	startLook    = 2 * time.Second        // how often a starting Home Assistant is asked whether it is done
	shapeQuiet   = 200 * time.Millisecond // changes of the structure are taken together
	shapePause   = time.Second            // and at most this often
	shownEvery   = 5 * time.Minute        // what is shown to assistants is not always reported
	readLimit    = time.Minute            // for reading the whole house
)

// stayConnected connects again and again until ctx ends.
func (h *House) stayConnected(ctx context.Context) {
	var refused string // the token that Home Assistant does not take
	reconnect.Loop{
		Pauses: reconnect.Pauses{First: firstPause, Longest: longestPause},
		Spread: 0.25,
		Least: func(err error) time.Duration {
			if errors.Is(err, socket.ErrBanned) {
				return bannedPause
			}
			return 0
		},
		Ended: func(err error, pause time.Duration) {
			h.log.Warn("home assistant is away", "err", err, "again_in", pause)
		},
	}.Run(ctx, func(ctx context.Context) (bool, error) {
		token, err := h.awaitToken(ctx, refused)
		if err != nil {
			h.link.down(err)
			return false, err
		}
		useful, err := h.session(ctx, token)
		if refused = ""; errors.Is(err, socket.ErrToken) {
			refused = token
		}
		h.link.down(err)
		return useful, err
	})
}

// awaitToken reads the token. One that was refused is not tried again, because each attempt
// counts as a failed login, warns the owner, and may ban this machine: it waits for another.
func (h *House) awaitToken(ctx context.Context, refused string) (string, error) {
	t := time.NewTicker(tokenLook)
	defer t.Stop()
	for {
		token, err := h.cfg.Token()
		if token = strings.TrimSpace(token); err == nil && token == "" {
			err = errors.New("the token of Home Assistant is empty")
		}
		if err != nil || token != refused {
			return token, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-t.C:
		}
	}
}

// session is one connection from its beginning to its loss. useful says that the house was
// read.
func (h *House) session(ctx context.Context, token string) (useful bool, err error) {
	conn, err := socket.Dial(ctx, h.cfg.Socket, token)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { ended <- conn.Run(ctx) })
	if err := h.begin(ctx, conn); err != nil {
		select {
		case lost := <-ended: // says more than what it broke
			err = lost
		default:
		}
		return false, err
	}
	h.log.Info("connected to Home Assistant", "version", conn.Version, "devices", len(h.link.model().entities))
	err = h.follow(ctx, conn, ended)
	return true, err
}

// begin subscribes to everything and reads the house.
func (h *House) begin(ctx context.Context, conn *socket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	for _, registry := range []string{"entity", "device", "area", "floor"} {
		rewritten := func(json.RawMessage) {
			h.registry.written.Add(1)
			poke(h.rewritten)
		}
		err := conn.Subscribe(ctx, socket.Command{"type": "subscribe_events", "event_type": registry + "_registry_updated"}, rewritten)
		if _, refused := errors.AsType[*socket.Error](err); err != nil && !refused { // not every release has every registry
			return err
		}
	}
	first, whole := make(chan error, 1), true
	err := conn.Subscribe(ctx, socket.Command{"type": "subscribe_entities"}, func(event json.RawMessage) {
		reshaped, err := h.mirror.apply(event, whole)
		if err != nil {
			h.log.Warn("a change of states cannot be read", "err", err)
		}
		if whole {
			whole = false
			first <- err
		}
		if reshaped {
			poke(h.reshaped)
		}
	})
	if err != nil {
		return fmt.Errorf("subscribing to the states: %w", err)
	}
	select {
	case err := <-first:
		if err != nil {
			return err
		}
	case <-conn.Ended():
		return errors.New("the connection ended before the states came")
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := h.lookWhetherRunning(ctx, conn); err != nil {
		return err
	}
	if _, err := h.rebuild(ctx, conn, nil); err != nil {
		return err
	}
	h.link.up(conn)
	return nil
}

// lookWhetherRunning asks whether Home Assistant has finished starting.
func (h *House) lookWhetherRunning(ctx context.Context, conn *socket.Conn) error {
	body, err := conn.Call(ctx, socket.Command{"type": "get_config"})
	var config struct {
		State string `json:"state"`
	}
	if err == nil {
		err = json.Unmarshal(body, &config)
	}
	if err != nil {
		return fmt.Errorf("asking Home Assistant whether it runs: %w", err)
	}
	h.link.starting(config.State == "NOT_RUNNING" || config.State == "STARTING")
	return nil
}

// rebuild makes the house of what is known now, and tells of it. Without registries it reads
// them first.
func (h *House) rebuild(ctx context.Context, conn *socket.Conn, r *registries) (*registries, error) {
	reads, written := r == nil, h.registry.written.Load()
	if reads {
		var err error
		if r, err = readRegistries(ctx, conn); err != nil {
			return nil, err
		}
		r.scripts = h.cfg.Scripts
	}
	states, shape := h.mirror.snapshot()
	if reads {
		shown := []string{}
		for id := range states {
			class, _ := shape[id]["device_class"].(string)
			if _, known := kinds[domainOf(id)]; known && r.exposes(id, class) {
				shown = append(shown, id)
			}
		}
		if err := r.readAliases(ctx, conn, shown); err != nil {
			return nil, err
		}
	}
	h.adopt(newModel(r, states, shape), states)
	if reads {
		h.registry.read.Store(written)
	}
	return r, nil
}

// adopt makes a model the present one. What has changed since the states that it was made of
// is told, because a thing that is new in it was not watched until now.
func (h *House) adopt(m *model, states map[string]*status) {
	h.chronicle.adopt(m, states)
	h.mirror.tellSince(states)
	h.link.adopt(m)
	poke(h.changed)
}

// follow keeps the house up to date until the connection ends.
func (h *House) follow(ctx context.Context, conn *socket.Conn, ended <-chan error) error {
	var written *registries // nil: they have to be read again
	var due <-chan time.Time
	last := time.Now()
	later := func() {
		if due == nil {
			due = time.After(max(shapeQuiet, time.Until(last.Add(shapePause))))
		}
	}
	look, shown := time.NewTicker(startLook), time.NewTicker(shownEvery)
	defer look.Stop()
	defer shown.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-h.reshaped:
			later()
		case <-h.rewritten:
			written = nil
			later()
		case <-shown.C:
			written = nil
			later()
		case <-look.C:
			if h.link.now().starts {
				if err := h.lookWhetherRunning(ctx, conn); err != nil {
					return err
				}
			}
		case <-due:
			due = nil
			reading, cancel := context.WithTimeout(ctx, readLimit)
			var err error
			written, err = h.rebuild(reading, conn, written)
			cancel()
			if err != nil {
				return err
			}
			last = time.Now()
		}
	}
}
