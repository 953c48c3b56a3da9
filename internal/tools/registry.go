package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/language/text"
)

// ErrUnknownTool matches the error of a Call for a name that no tool has; the error
// itself is an *UnknownToolError.
var ErrUnknownTool = errors.New("unknown tool")

// UnknownToolError says which tool was asked for and which tools have similar
// names.
type UnknownToolError struct {
	Server string // the server asked for; "" for any
	Name   string
	Near   []string // names of tools that are offered, nearest first, at most three
}

func (e *UnknownToolError) Error() string {
	text := fmt.Sprintf("there is no tool %q", e.Name)
	if e.Server != "" {
		text += fmt.Sprintf(" on the server %q", e.Server)
	}
	if len(e.Near) > 0 {
		text += "; the nearest are " + strings.Join(e.Near, ", ")
	}
	return text
}

// Is makes errors.Is(err, ErrUnknownTool) true.
func (e *UnknownToolError) Is(target error) bool { return target == ErrUnknownTool }

// Registry offers local and discovered tools through one path. It is safe for
// concurrent use, does no I/O and starts nothing. Tools of a server stay listed
// while the server is away, so that a call can bring it back.
type Registry struct {
	mu      sync.RWMutex
	byName  map[string]*entry
	byPlace map[place]*entry
	arrived map[string]chan struct{} // by announced source; closed when it has arrived or given up
	claims  claims

	translate Translator // nil: nothing is translated
}

// place is where a discovered tool lives.
type place struct{ server, remote string }

// entry is a tool under the name it is offered by. Its schema is compiled when it
// is first needed, so that a start does not wait for the schemas of every tool.
type entry struct {
	tool  Tool
	spec  Spec
	check func() *checker
}

// NewRegistry returns an empty registry that waits for nothing.
func NewRegistry() *Registry {
	return &Registry{byName: map[string]*entry{}, byPlace: map[place]*entry{}, arrived: map[string]chan struct{}{}, claims: newClaims()}
}

// Add registers all of the local tools or, on an error, none: a name that no model
// accepts and a name that is taken are errors.
func (r *Registry) Add(ts ...Tool) error {
	entries := make([]*entry, 0, len(ts))
	names := map[string]bool{}
	for _, t := range ts {
		spec := t.Spec()
		if !validName(spec.Name) {
			return fmt.Errorf("adding the tool %q: a name is 1 to %d letters, digits, _ or -", spec.Name, maxName)
		}
		if names[spec.Name] {
			return fmt.Errorf("adding the tool %q: the name is given twice", spec.Name)
		}
		names[spec.Name] = true
		entries = append(entries, newEntry(t, spec))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		if other, taken := r.byName[e.spec.Name]; taken {
			return fmt.Errorf("adding the tool %q: the name is taken by %s", e.spec.Name, other.origin())
		}
	}
	for _, e := range entries {
		r.byName[e.spec.Name] = e
	}
	return nil
}

func newEntry(t Tool, spec Spec) *entry {
	return &entry{tool: t, spec: spec, check: sync.OnceValue(func() *checker { return newChecker(spec.Input) })}
}

// offer is the Spec that others see. A schema that does not compile is offered as
// any object, because a model's provider would refuse the whole request for it.
func (e *entry) offer() Spec {
	spec := e.spec
	if e.check().schema == nil {
		spec.Input = json.RawMessage(`{"type":"object"}`)
	}
	return spec
}

func (e *entry) origin() string {
	if e.spec.Server == "" {
		return "a local tool"
	}
	return fmt.Sprintf("the server %q", e.spec.Server)
}

// Replace makes ts the tools of a server, all at once; nil removes them. The name of each
// tool's Spec (or Remote, if set) is its name on the server. If several servers have the
// same name, the first in the order of Order keeps it unchanged, whichever connects
// first. A name that models do not accept is mapped.
func (r *Registry) Replace(server string, ts []Tool) {
	fresh := map[place]*entry{}
	remotes := make([]string, 0, len(ts))
	for _, t := range ts {
		spec := t.Spec()
		spec.Remote = cmp.Or(spec.Remote, spec.Name)
		spec.Server = server
		at := place{server, spec.Remote}
		if fresh[at] == nil {
			fresh[at] = newEntry(t, spec)
			remotes = append(remotes, spec.Remote)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(ts) > 0 { // one that is away keeps its names
		r.claims.of[server] = remotes
	}
	maps.DeleteFunc(r.byPlace, func(p place, _ *entry) bool { return p.server == server })
	maps.Copy(r.byPlace, fresh)
	r.rename()
}

// rename gives every discovered tool its name. The caller holds mu.
func (r *Registry) rename() {
	maps.DeleteFunc(r.byName, func(_ string, e *entry) bool { return e.spec.Server != "" })
	for at, name := range r.claims.names(slices.Collect(maps.Keys(r.byName))) {
		e := r.byPlace[at]
		if e == nil {
			continue
		}
		if e.spec.Name != name {
			again := *e // readers hold the old one
			again.spec.Name = name
			e, r.byPlace[at] = &again, &again
		}
		r.byName[name] = e
	}
}

// Expect announces a source, such as a server's id, whose tools come later. The
// source calls arrive when its tools are there or it has given up; further calls do
// nothing.
func (r *Registry) Expect(source string) (arrive func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	arrived := make(chan struct{})
	r.arrived[source] = arrived
	return sync.OnceFunc(func() { close(arrived) })
}

// Arrival returns a channel that is closed when a source has arrived or given up.
// For a source that was not announced it is closed already.
func (r *Registry) Arrival(source string) <-chan struct{} {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if arrived, ok := r.arrived[source]; ok {
		return arrived
	}
	there := make(chan struct{})
	close(there)
	return there
}

// Await waits until the named sources have arrived or given up, or all announced
// ones if none is named. It fails when ctx ends first.
func (r *Registry) Await(ctx context.Context, sources ...string) error {
	if len(sources) == 0 {
		sources = r.sources()
	}
	for _, source := range sources {
		select {
		case <-r.Arrival(source):
		case <-ctx.Done():
			return fmt.Errorf("waiting for the tools of %q: %w", source, ctx.Err())
		}
	}
	return nil
}

// Settled reports whether every announced source has arrived or given up.
func (r *Registry) Settled() bool {
	for _, source := range r.sources() {
		select {
		case <-r.Arrival(source):
		default:
			return false
		}
	}
	return true
}

func (r *Registry) sources() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.arrived))
}

// Specs lists every tool, sorted by name.
func (r *Registry) Specs() []Spec {
	r.mu.RLock()
	entries := slices.SortedFunc(maps.Values(r.byName), func(a, b *entry) int { return cmp.Compare(a.spec.Name, b.spec.Name) })
	r.mu.RUnlock()
	specs := make([]Spec, 0, len(entries))
	for _, e := range entries {
		specs = append(specs, e.offer())
	}
	return specs
}

// Call finds the tool, checks and mends the arguments by its schema, and calls
// it. Arguments that cannot be mended are a failed Result a model can read; an
// error means that nothing was called or that the tool could not be reached.
func (r *Registry) Call(ctx context.Context, c Call) (Result, error) {
	e, ok := r.find(c)
	if !ok {
		return Result{}, &UnknownToolError{Server: c.Server, Name: c.Tool, Near: r.near(c)}
	}
	args, complaint := e.check().mend(c.Args)
	if complaint != "" {
		return Result{Failed: true, Text: fmt.Sprintf("The arguments of %s are wrong: %s.", e.spec.Name, complaint)}, nil
	}
	r.mu.RLock()
	translate := r.translate
	r.mu.RUnlock()
	if translate == nil || e.spec.Server == "" {
		return e.tool.Call(ctx, args)
	}
	own := Call{Server: e.spec.Server, Tool: e.spec.Name, Args: args}
	result, err := e.tool.Call(ctx, translate.Convert(own))
	if err != nil {
		return result, err
	}
	return translate.Got(own, result), nil
}

// Translator puts what goes to the tools of servers into their terms, and what comes
// from them into ours. It must not change what it is given.
type Translator interface {
	// Convert returns the arguments of a call as its server takes them.
	Convert(c Call) json.RawMessage
	// Got returns the result of a call as we speak of it.
	Got(c Call, r Result) Result
}

// Translate has all calls of servers' tools translated from now on.
func (r *Registry) Translate(t Translator) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.translate = t
}

// Lookup returns the Spec a Call would reach.
func (r *Registry) Lookup(c Call) (Spec, bool) {
	e, ok := r.find(c)
	if !ok {
		return Spec{}, false
	}
	return e.offer(), true
}

func (r *Registry) find(c Call) (*entry, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if c.Server != "" {
		e, ok := r.byPlace[place{c.Server, c.Tool}]
		return e, ok
	}
	e, ok := r.byName[c.Tool]
	return e, ok
}

// near lists up to three offered names a caller may have meant: those within a
// third of the longer name's length.
func (r *Registry) near(c Call) []string {
	type candidate struct {
		name     string
		distance int
	}
	asked := form(c.Tool)
	if len(asked) > maxName {
		return nil
	}
	var near []candidate
	for _, spec := range r.Specs() {
		if c.Server != "" && spec.Server != c.Server {
			continue
		}
		name := form(spec.Name)
		d := text.Distance(asked, name)
		if d <= max(len(asked), len(name))/3 {
			near = append(near, candidate{spec.Name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, 0, 3)
	for _, n := range near[:min(3, len(near))] {
		names = append(names, n.name)
	}
	return names
}
