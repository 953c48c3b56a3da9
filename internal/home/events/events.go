// Package events follows what the houses report without a question: changes of states,
// and presses of buttons. It exists so that everything that acts on an event gets it once
// and in order, whatever restarts and whichever server repeats an event, and so that what
// a server sends is checked in one place. A new receiver of events is a listener in New;
// what a button does is in buttons.go.
package events

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
)

// freshFor is how old a press may be. One that comes later, because its server could not
// be reached, is over: the light of an hour ago is not switched now.
const freshFor = 10 * time.Second

// House knows the things of all servers.
type House interface {
	Thing(server, id string) *home.Entity // finds a thing by its id on its server; nil if there is none
}

// Follower hands the events of the servers on.
type Follower struct {
	house     House
	log       *slog.Logger
	listeners []func(home.Event)

	mu    sync.Mutex
	heard map[string]place // by server
}

// place is how far a server has been followed.
type place struct {
	boot string
	next uint64 // the event that has not been heard yet
}

// New makes a follower. The listeners get every event in this order, from one goroutine
// for each server; they must not block. The ids in them are those of the house.
func New(h House, log *slog.Logger, listeners ...func(home.Event)) *Follower {
	return &Follower{house: h, log: log.With("part", "events"), listeners: listeners, heard: map[string]place{}}
}

// Tell takes the event list of a server whenever it has changed, and passes on each event
// once. If the body is not a list of events, that is logged and nothing changes.
func (f *Follower) Tell(server string, body []byte) {
	told, dropped, err := decode(body)
	if err != nil {
		f.log.Warn("events not understood", "server", server, "err", err)
		return
	}
	if dropped > 0 {
		f.log.Warn("some events were not understood and are left out", "server", server, "count", dropped)
	}
	news := f.news(server, told)
	for _, e := range news {
		e.Server = server
		if thing := f.house.Thing(server, e.Entity); thing != nil {
			e.Entity = thing.ID
		}
		if e.Kind == home.Pressed && time.Since(e.Time) > freshFor {
			f.log.Warn("a press of a button came too late and is left out", "server", server, "thing", e.Thing, "age", time.Since(e.Time).Round(time.Second))
			continue
		}
		for _, hear := range f.listeners {
			hear(e)
		}
	}
}

// news returns the events that are new.
func (f *Follower) news(server string, told report) []home.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := f.heard[server]
	f.heard[server] = place{told.Boot, told.Next}
	switch {
	case !known:
		return standing(told.Events)
	case at.boot != told.Boot:
		return told.Events
	}
	if len(told.Events) > 0 && told.Events[0].Seq > at.next && told.Next > at.next {
		f.log.Warn("some events were missed: the server has told more than it remembers", "server", server, "count", told.Events[0].Seq-at.next)
	}
	f.heard[server] = place{told.Boot, max(at.next, told.Next)}
	return slices.DeleteFunc(told.Events, func(e home.Event) bool { return e.Seq < at.next })
}

// standing returns the present states from the events of a server that is followed for
// the first time: these are not news, and earlier presses of buttons are dropped.
func standing(all []home.Event) []home.Event {
	type state struct{ entity, property string }
	var out []home.Event
	newer := map[state]bool{}
	for _, e := range slices.Backward(all) {
		is := state{e.Entity, e.Property}
		if e.Kind != home.Reported || newer[is] {
			continue
		}
		newer[is] = true
		e.First = true
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}
