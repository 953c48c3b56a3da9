package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/stt"
)

// house is the gateway's model of areas and devices, put together from what the
// MCP servers tell (zwave://home), and everything that follows from it: the
// matcher, the recogniser's grammar, the judgement of H6. Readers never wait: a
// change builds the new understanding aside and swaps it in.
type house struct {
	log  *slog.Logger
	pack *intent.Pack
	base *home.House // known without any server, may be nil

	mu      sync.Mutex
	servers map[string]*home.House
	now     atomic.Pointer[understanding]
	told    chan struct{} // closed and replaced when a server has told of a device
	changed chan struct{} // of size one: the grammar is behind the house
	taught  *understanding
	trouble error         // why the recogniser did not take it
	news    chan struct{} // closed and replaced when taught changes
}

// understanding is one consistent view: the house and what is derived from it.
type understanding struct {
	house   *home.House
	matcher *intent.Matcher
	grammar *grammar.Grammar
}

func newHouse(pack *intent.Pack, base *home.House, log *slog.Logger) (*house, error) {
	h := &house{
		log: log.With("part", "house"), pack: pack, base: base,
		servers: map[string]*home.House{}, told: make(chan struct{}), changed: make(chan struct{}, 1),
		news: make(chan struct{}),
	}
	if err := h.rebuild(); err != nil {
		return nil, err
	}
	return h, nil
}

// IsQuestion says whether a text asks for something and orders nothing.
func (h *house) IsQuestion(text string) bool { return h.pack.IsQuestion(text) }

// tell takes a server's house in; a body that is no house is told in the log and
// changes nothing.
func (h *house) tell(server string, body []byte) {
	var told home.House
	if err := json.Unmarshal(body, &told); err != nil {
		h.log.Warn("house not understood", "server", server, "err", err)
		return
	}
	for i := range told.Entities {
		told.Entities[i].Server = server
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers[server] = &told
	if err := h.rebuild(); err != nil {
		h.log.Warn("house not used", "server", server, "err", err)
		return
	}
	if len(told.Entities) > 0 {
		close(h.told)
		h.told = make(chan struct{})
	}
	h.log.Info("house known", "server", server, "entities", len(told.Entities))
}

// next is closed when the next server has told of a device.
func (h *house) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told
}

// knows says whether a server has told of a device.
func (h *house) knows(server string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.servers[server].Empty()
}

// rebuild derives everything anew. The caller holds mu, or is the only one.
func (h *house) rebuild() error {
	merged := h.merge()
	m, err := intent.New(h.pack, merged)
	if err != nil {
		return fmt.Errorf("preparing the sentences for the house: %w", err)
	}
	g, err := grammar.New(h.pack, merged)
	if err != nil {
		return fmt.Errorf("preparing the grammar for the house: %w", err)
	}
	h.now.Store(&understanding{house: merged, matcher: m, grammar: g})
	select {
	case h.changed <- struct{}{}:
	default:
	}
	return nil
}

// merge joins the houses of all servers in a stable order. What the base names
// and a server controls is the server's; the rest of the base stays known, so
// that the answer about it is honest.
func (h *house) merge() *home.House {
	all := &home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	add := func(part *home.House) {
		for _, f := range part.Floors {
			if !slices.ContainsFunc(all.Floors, func(x home.Floor) bool { return same(x.Name, f.Name) }) {
				all.Floors = append(all.Floors, f)
			}
		}
		for _, a := range part.Areas {
			if !slices.ContainsFunc(all.Areas, func(x home.Area) bool { return same(x.Name, a.Name) }) {
				all.Areas = append(all.Areas, a)
			}
		}
		for _, e := range part.Entities {
			if !slices.ContainsFunc(all.Entities, func(x home.Entity) bool { return same(x.Name, e.Name) && x.Domain == e.Domain && x.Server != e.Server }) {
				all.Entities = append(all.Entities, e)
			}
		}
	}
	names := make([]string, 0, len(h.servers))
	for name := range h.servers {
		names = append(names, name)
	}
	slices.Sort(names)
	if h.base != nil {
		add(&home.House{Floors: h.base.Floors, Areas: h.base.Areas})
	}
	for _, name := range names {
		add(h.servers[name])
	}
	if h.base != nil {
		add(h.base)
		h.keepAliases(all)
	}
	return all
}

// keepAliases gives the servers' entities the other names the base knows for
// them: a device's protocol has no place for aliases.
func (h *house) keepAliases(all *home.House) {
	for i, e := range all.Entities {
		for _, b := range h.base.Entities {
			if e.Server != "" && same(e.Name, b.Name) && e.Domain == b.Domain {
				all.Entities[i].Aliases = slices.Concat(e.Aliases, b.Aliases)
			}
		}
	}
}

func same(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// Match, Judge and House are the turn's view of the house.
func (h *house) Match(text, area string) intent.Decision {
	return h.now.Load().matcher.Match(text, area)
}

// Judge says whether the words so far are a sentence (REQUIREMENTS H6).
func (h *house) Judge(partial string) speech.Completeness {
	return h.now.Load().grammar.Judge(partial)
}

// House is the house as it is known now.
func (h *house) House() *home.House { return h.now.Load().house }

// follow keeps the recogniser's grammar equal to the house (REQUIREMENTS H5).
func (h *house) follow(ctx context.Context, engine grammarSetter) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.changed:
		}
		for h.teach(ctx, engine) != nil {
			again := time.NewTimer(teachAgain)
			select {
			case <-ctx.Done():
				again.Stop()
				return nil
			case <-again.C:
			}
		}
	}
}

// teachAgain is the pause before a grammar that was not taken is offered again.
const teachAgain = 5 * time.Second

type grammarSetter interface {
	SetGrammar(ctx context.Context, g stt.Grammar) (missing []string, err error)
}

// teach gives the recogniser the grammar. Words it can neither find nor
// pronounce fall out with the names that use them, never the whole grammar.
func (h *house) teach(ctx context.Context, engine grammarSetter) error {
	view := h.now.Load()
	g := view.grammar
	var trouble error
	for range 3 {
		missing, err := engine.SetGrammar(ctx, stt.Grammar{JSGF: g.JSGF(), Join: g.Joins(), Words: g.Words(), Names: names(view.house)})
		if trouble = err; err != nil || len(missing) == 0 {
			break
		}
		without, lost := g.Without(missing)
		h.log.Warn("names the recogniser cannot pronounce are not heard; give them another name or a pronunciation (stt.pronunciations)",
			"names", lost, "words", missing)
		g = without
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if trouble != nil && ctx.Err() == nil && (h.trouble == nil || h.trouble.Error() != trouble.Error()) {
		h.log.Warn("recogniser did not take the grammar; it is offered again", "err", trouble)
	}
	h.taught, h.trouble = view, trouble
	close(h.news)
	h.news = make(chan struct{})
	return trouble
}

// inStep waits until the recogniser knows the house as it is now, or has
// refused it.
func (h *house) inStep(ctx context.Context) error {
	for {
		h.mu.Lock()
		done, trouble, news := h.taught == h.now.Load(), h.trouble, h.news
		h.mu.Unlock()
		if done {
			return trouble
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the recogniser to learn the house: %w", ctx.Err())
		}
	}
}

// offered says whether the recogniser has answered about the house at least once.
func (h *house) offered() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.taught != nil
}

// heard says why the recogniser does not know the house, "" when it does.
func (h *house) heard() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trouble == nil {
		return ""
	}
	return h.trouble.Error()
}
