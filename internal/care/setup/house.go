package setup

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/examples"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// telling bounds how long the house is waited for.
const telling = 30 * time.Second

// language is the language of sentences and replies.
func (s *session) language(ctx context.Context) error {
	before := s.now.Gateway.Language
	chosen := cmp.Or(s.Language, before)
	if s.Language == "" && !s.found {
		otherwise := before
		if l := s.locale(); s.fresh && l != "" {
			otherwise = l
		}
		var err error
		if chosen, err = s.asker.choice(ctx, "Language", sentences.Languages(), otherwise); err != nil {
			return err
		}
	}
	changes := []configure.Change{{Key: "gateway.language", Value: chosen}}
	if chosen != before && s.now.TTS.Espeak.Voice == before { // the voice goes with it
		changes = append(changes, configure.Change{Key: "tts.espeak.voice", Value: chosen})
	}
	if err := s.set(changes...); err != nil {
		return err
	}
	if l := s.locale(); s.found && s.fresh && s.Language == "" && l != "" && l != chosen {
		s.poor("language", "%s; for that of this machine: voice-gateway setup --language %s", chosen, l)
		return nil
	}
	s.good("language", "%s", chosen)
	return nil
}

// locale is the language of this machine, "" where the gateway does not know it.
func (s *session) locale() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		for _, kv := range s.Environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok && value != "" {
				if l := value[:min(len(value), 2)]; slices.Contains(sentences.Languages(), l) {
					return l
				}
				return ""
			}
		}
	}
	return ""
}

// known is a house and a check of whether it answers a question.
type known struct {
	house   *home.House
	answers func(question string) bool
}

// area asks for the room of the gateway and ends with what can be said.
func (s *session) area(ctx context.Context) error {
	if s.only && s.Area != "" {
		s.good("area", "%s", s.Area)
		if err := s.set(configure.Change{Key: "gateway.area", Value: s.Area}); err != nil {
			return err
		}
	}
	return s.withHouse(ctx, func(k known) error {
		if !s.only {
			if err := s.chooseArea(ctx, k.house.AreaNames()); err != nil {
				return err
			}
		}
		return s.sentences(k)
	})
}

// chooseArea asks for the room.
func (s *session) chooseArea(ctx context.Context, rooms []string) error {
	now := s.now.Gateway.Area
	chosen := cmp.Or(s.Area, now)
	isRoom := slices.ContainsFunc(rooms, func(r string) bool { return text.Folded(r) == text.Folded(chosen) })
	switch {
	case s.Area != "":
	case !s.found && len(rooms) > 0:
		otherwise := chosen
		if !isRoom {
			otherwise = rooms[0]
		}
		var err error
		if chosen, err = s.asker.choice(ctx, "Room of the microphone", rooms, otherwise); err != nil {
			return err
		}
	case !s.found:
		var err error
		if chosen, err = s.asker.text(ctx, "Room of the microphone", chosen); err != nil {
			return err
		}
	case len(rooms) == 1 && s.mayFill(now, byDefault().Gateway.Area):
		chosen = rooms[0]
	case len(rooms) > 0 && !isRoom:
		s.poor("area", "%s is no room of this house; for one of %s: voice-gateway setup --area NAME", chosen, strings.Join(rooms[:min(len(rooms), 8)], ", "))
		return nil
	}
	s.good("area", "%s", chosen)
	return s.set(configure.Change{Key: "gateway.area", Value: chosen})
}

// sentences tells what can be said here.
func (s *session) sentences(k known) error {
	pack, err := intent.Ours(s.now.Gateway.Language)
	if err != nil {
		return err
	}
	all, err := examples.Sentences(pack, k.house, s.now.Gateway.Area, k.answers)
	if err != nil {
		return err
	}
	s.asker.say("\n")
	if len(k.house.Entities) > 0 {
		s.asker.say("This house has %d things. Say to it:\n", len(k.house.Entities))
	} else {
		s.asker.say("No house is known yet. These work without one:\n")
	}
	for _, one := range all {
		s.asker.say("   %s\n", s.Paint.Bold(one))
	}
	return nil
}

// withHouse gets the house from the running gateway, or from one that it starts itself
// and that only reads.
func (s *session) withHouse(ctx context.Context, work func(known) error) error {
	if s.runs {
		var told home.Snapshot
		if err := s.Ask(ctx, s.now, doors.House.Path(), &told); err == nil && len(told.Entities) > 0 {
			return work(fromSnapshot(told))
		}
	}
	if s.seen == nil || len(s.seen.Houses) == 0 {
		if s.only {
			return nil
		}
		return work(known{house: &home.House{}})
	}
	cfg := s.now.Config
	cfg.HTTP.Listen, cfg.AI.Enabled = "", "false"
	g, err := gateway.New(cfg, gateway.Options{
		Executable: s.Executable, Version: s.Version, Environ: s.Environ, Secrets: s.now.Secrets,
		TextOnly: true, Private: true, Source: record.FromCLI,
	}, quiet())
	if err != nil {
		return s.now.Unusable(err)
	}
	running, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { _ = g.Run(running) }) // the house is then empty
	defer func() { cancel(); ended.Wait() }()
	waiting, done := context.WithTimeout(ctx, telling)
	defer done()
	_ = g.Ready(waiting) // what is known by then counts
	return work(known{house: g.House(), answers: func(question string) bool {
		r := g.Ask(waiting, record.Request{Text: question, Area: s.now.Gateway.Area, Source: record.FromCLI})
		return r.Outcome == record.Done && r.Error == ""
	}})
}

// fromSnapshot is the house of a gateway that runs, without what is not reached.
func fromSnapshot(told home.Snapshot) known {
	h := &home.House{Floors: told.Floors, Areas: told.Areas}
	for _, e := range told.Entities {
		if e.Reachable == nil || *e.Reachable {
			h.Entities = append(h.Entities, e.Entity)
		}
	}
	return known{house: h}
}
