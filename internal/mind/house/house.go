// Package house merges the houses of the MCP servers into one house, and keeps everything
// derived from it: what a sentence means, whether the words so far are a sentence, the
// grammar of the recogniser, the states of the devices. It exists so that servers may
// come, go and change their houses at any time while readers of the house never wait. To
// derive something else from the house, add a field to understanding and make it in
// rebuild.
package house

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/language/text"
)

// House is the areas and devices of all servers together (zwave://home and its
// like) and what is derived from them. Readers never wait: a change builds a new
// understanding aside and swaps it in.
type House struct {
	log  *slog.Logger
	pack *intent.Pack
	base *home.House // the house known without any server; may be nil
	also Config      // further names that the family gives things

	scale home.Scale // that degrees are spoken of in; "": taken from the house. Guarded by mu

	mu      sync.Mutex
	servers map[string]*home.House
	toldAt  map[string]time.Time // when a server told its house last
	texts   []string             // wordings, which are heard beside the sentences
	twice   []string             // names that several servers know, as they were logged
	current atomic.Pointer[understanding]
	told    chan struct{} // closed and replaced when a server has told of a device

	changed chan struct{}  // of size one: the recogniser's grammar is older than the house
	taught  *understanding // the understanding the recogniser was given last
	trouble error          // why the recogniser refused it; nil if it did not
	learnt  chan struct{}  // closed and replaced when taught changes
}

// understanding is one consistent view: the house and what is derived from it.
type understanding struct {
	house    *home.House
	language string
	matcher  *intent.Matcher
	grammar  *grammar.Grammar
	texts    []string // the wordings, in the form in which they are compared
	bare     func(text string) string
}

// New makes a house before any server has published one. base is a house known from the
// start; it may be nil.
func New(pack *intent.Pack, base *home.House, log *slog.Logger) (*House, error) {
	return NewNamed(pack, base, Config{}, log)
}

// NewNamed makes a house with further names that the family gives things.
func NewNamed(pack *intent.Pack, base *home.House, also Config, log *slog.Logger) (*House, error) {
	h := &House{
		log: log.With("part", "house"), pack: pack, base: base, also: also,
		servers: map[string]*home.House{}, toldAt: map[string]time.Time{}, told: make(chan struct{}),
		changed: make(chan struct{}, 1), learnt: make(chan struct{}),
	}
	if err := h.rebuild(); err != nil {
		return nil, err
	}
	return h, nil
}

// Pack is the sentences of the house.
func (h *House) Pack() *intent.Pack { return h.pack }

// SpeechAct returns what a text does: only some acts may change something.
func (h *House) SpeechAct(text string) intent.SpeechAct {
	return h.current.Load().matcher.SpeechAct(text)
}

// Tell replaces the house of one server. A body that is not a house is logged and changes
// nothing.
func (h *House) Tell(server string, body []byte) {
	var told home.House
	if err := json.Unmarshal(body, &told); err != nil {
		h.log.Warn("house not understood", "server", server, "err", err)
		return
	}
	for i := range told.Entities {
		told.Entities[i].Server = server
	}
	onOneLine(&told)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers[server], h.toldAt[server] = &told, time.Now()
	if err := h.rebuild(); err != nil {
		h.log.Warn("house not used", "server", server, "err", err)
		return
	}
	if len(told.Entities) > 0 {
		close(h.told)
		h.told = make(chan struct{})
	}
	h.log.Info("house known", "server", server, "entities", len(told.Entities))
	h.warnOfNamesakes()
}

// ToldAt returns when a server told its house last; zero: it has not.
func (h *House) ToldAt(server string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.toldAt[server]
}

// Told is closed when the next server has told of a device.
func (h *House) Told() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told
}

// Knows reports whether a server has listed a device.
func (h *House) Knows(server string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.servers[server].Empty()
}

// HasTold reports whether a server has told a house, be it an empty one.
func (h *House) HasTold(server string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers[server] != nil
}

// rebuild derives everything again. The caller holds mu, or has not shared the house yet.
func (h *House) rebuild() error {
	merged := h.merge()
	m, err := intent.New(h.pack, merged)
	if err != nil {
		return fmt.Errorf("preparing the sentences for the house: %w", err)
	}
	g, err := grammar.New(h.pack.Hearing(h.texts), merged)
	if err != nil {
		return fmt.Errorf("preparing the grammar for the house: %w", err)
	}
	h.current.Store(&understanding{house: merged, language: h.pack.Language, matcher: m, grammar: g, texts: h.bare(h.texts), bare: h.Bare})
	select {
	case h.changed <- struct{}{}:
	default:
	}
	return nil
}

// merge joins the houses of all servers in a stable order. An entity that is in the base
// and on a server is the server's, because the server controls it. The rest of the base
// stays, so that an answer about it is honest. If two servers use the same name, these
// are two things, and the user is asked which one is meant.
func (h *House) merge() *home.House {
	all := &home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	var parts []part
	if h.base != nil {
		parts = append(parts, part{"", &home.House{Floors: h.base.Floors, Areas: h.base.Areas}})
	}
	for _, name := range slices.Sorted(maps.Keys(h.servers)) {
		parts = append(parts, part{name, h.servers[name]})
		all.Entities = append(all.Entities, h.servers[name].Entities...)
	}
	if h.base != nil {
		for _, e := range h.base.Entities {
			if !slices.ContainsFunc(all.Entities, func(x home.Entity) bool { return text.Same(x.Name, e.Name) && x.Domain == e.Domain && x.Server != "" }) {
				all.Entities = append(all.Entities, e)
			}
		}
		h.keepAliases(all)
	}
	h.joinAreas(all, parts)
	joinFloors(all, parts)
	callHouses(all, parts)
	makeUnique(all)
	h.also.Name(all)
	nameContents(all)
	makeSayable(all)
	h.setScale(all)
	return all
}

// keepAliases gives the servers' entities the aliases that the base knows for them:
// a device's protocol has no place for aliases.
func (h *House) keepAliases(all *home.House) {
	for i, e := range all.Entities {
		for _, b := range h.base.Entities {
			if e.Server != "" && text.Same(e.Name, b.Name) && e.Domain == b.Domain {
				all.Entities[i].Aliases = slices.Concat(e.Aliases, b.Aliases)
			}
		}
	}
}

// Match returns what a text means when it is said in an area. What can be said here is
// filled in, also for who asks what there is without saying or having a room.
func (h *House) Match(text, area string) intent.Decision {
	now := h.current.Load()
	d := now.matcher.Match(text, area)
	if len(d.Actions) == 1 && (d.Actions[0].Intent == catalogue.Help || d.Actions[0].Intent == catalogue.ListDevices && d.Actions[0].Slots["area"] == nil && d.Actions[0].Slots["kind"] == nil && area == "") {
		said := intent.Tour(now.matcher, h.pack.Language, now.house, area)
		d.Actions[0].Intent, d.Actions[0].Slots = catalogue.Help, map[string]any{"sentences": strings.Join(said, "; ")}
		d.NeedHouse = len(now.house.Entities) == 0
	}
	return d
}

// Suggest returns three sentences that are understood in this house, those about things of
// an area first.
func (h *House) Suggest(area string) []string {
	now := h.current.Load()
	return intent.FindExamplesWith(now.matcher, h.pack.Language, now.house, area, nil)
}

// Respelt returns the corrections of a typed text with misspelt words.
func (h *House) Respelt(text string) []string { return h.current.Load().matcher.Respelt(text) }

// short is the matcher for short sentences.
func (h *House) short() intent.Short { return intent.Short{Matcher: h.current.Load().matcher} }

// After returns what a text means that needs the sentence before it.
func (h *House) After(text, area string) intent.Decision {
	return h.short().After(text, area)
}

// About returns what a text means if its pronoun stands for some of the given things.
func (h *House) About(text, area string, things []string) (d intent.Decision, several bool) {
	return h.short().About(text, area, things)
}

// Elsewhere returns what an action would be in another area.
func (h *House) Elsewhere(a intent.Action, area string) intent.Decision {
	return h.short().Elsewhere(a, area)
}

// Led takes the words off a text by which it goes on from the sentence before.
func (h *House) Led(text string) (rest string, no, ok bool) { return h.short().Led(text) }

// Judge reports whether the words so far are a sentence (REQUIREMENTS H6).
func (h *House) Judge(partial string) speech.Completeness {
	return h.current.Load().grammar.Judge(partial)
}

// Begins reports whether a sentence begins with a text and is not over with it.
func (h *House) Begins(text string) bool { return h.current.Load().grammar.Begins(text) }

// House is the house as it is currently known.
func (h *House) House() *home.House { return h.current.Load().house }
