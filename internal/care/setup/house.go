package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// telling bounds how long the house is waited for.
const telling = 30 * time.Second

// language is the language of sentences and replies.
func (s *session) language(ctx context.Context) error {
	before := s.now.Gateway.Language
	chosen, err := s.chosenLanguage(ctx, before)
	if err != nil {
		return err
	}
	changes := []configure.Change{{Key: "gateway.language", Value: chosen}}
	if chosen != before && s.now.TTS.Espeak.Voice == before { // the voice goes with it
		changes = append(changes, configure.Change{Key: "tts.espeak.voice", Value: chosen})
	}
	if err := s.set(changes...); err != nil {
		return err
	}
	switch l := s.locale(); {
	case s.found && s.untouched && s.Language == "" && l != "" && l != chosen:
		s.poor("language", "%s; for that of this machine: %s --language %s", nameOf(chosen), s.again(), l)
	case s.deaf(chosen) && (s.found || s.Language != ""):
		s.poor("language", "%s", nameOf(chosen))
		s.tellDeaf(chosen)
	default:
		s.good("language", "%s", nameOf(chosen))
	}
	return nil
}

// chosenLanguage is the language of a flag, or the one that the user chooses.
func (s *session) chosenLanguage(ctx context.Context, before string) (string, error) {
	if s.Language != "" {
		i := slices.IndexFunc(languages(), func(o option) bool { return o.called(s.Language) })
		if i < 0 {
			return "", configure.AsUseError(fmt.Errorf("--language %q is not known; expected one of %s, or their names", s.Language, strings.Join(sentences.Languages(), ", ")))
		}
		return languages()[i].value, nil
	}
	if s.found {
		return before, nil
	}
	if locale := s.locale(); s.untouched && locale != "" {
		before = locale
	}
	return s.askLanguage(ctx, before)
}

// askLanguage asks for a language until the user goes on with what works in it.
func (s *session) askLanguage(ctx context.Context, otherwise string) (string, error) {
	for {
		chosen, err := s.asker.choice(ctx, "Language", languages(), ownName(otherwise))
		if err != nil || !s.deaf(chosen) {
			return chosen, err
		}
		s.tellDeaf(chosen)
		goOn, err := s.asker.yes(ctx, "Go on in "+nameOf(chosen))
		if err != nil || goOn {
			return chosen, err
		}
	}
}

// deaf reports whether no recogniser of the configuration hears a language.
func (s *session) deaf(language string) bool {
	return !slices.ContainsFunc(s.now.STT.Engines, func(e string) bool { return stt.Knows(e, language) })
}

// tellDeaf says what works in a language that no recogniser hears.
func (s *session) tellDeaf(language string) {
	name := nameOf(language)
	s.asker.say(`  Spoken commands are English only: no recogniser that comes with the gateway hears %[1]s.
  In %[1]s it understands what is typed: on the page, with the command ask and over MQTT. It answers in %[1]s, also aloud.
  For spoken %[1]s, add a recogniser that hears it, such as whisper.cpp's server, to stt.engines (docs/first-house.md).
`, name)
}

// languages are the languages of the gateway, with their names in each of them.
func languages() (all []option) {
	for _, code := range sentences.Languages() {
		o := option{value: code, shown: ownName(code)}
		for _, w := range sentences.EveryWords() {
			o.also = append(o.also, w.Named[code])
		}
		all = append(all, o)
	}
	return all
}

// ownName is what a language calls itself.
func ownName(code string) string { return cmp.Or(sentences.WordsOf(code).Named[code], code) }

// nameOf is what English calls a language.
func nameOf(code string) string {
	return cmp.Or(sentences.WordsOf(sentences.OfTools).Named[code], code)
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

// area asks for the room of the gateway, and looks for what can be said there.
func (s *session) area(ctx context.Context) error {
	if s.only {
		if err := s.set(configure.Change{Key: "gateway.area", Value: s.Area}); err != nil {
			return err
		}
		s.good("area", "%s", s.Area)
		return nil
	}
	return s.withHouse(ctx, func(k known) error {
		if err := s.chooseArea(ctx, k.house.AreaNames()); err != nil {
			return err
		}
		return s.examples(k)
	})
}

// chooseArea asks for the room.
func (s *session) chooseArea(ctx context.Context, rooms []string) error {
	now := s.now.Gateway.Area
	chosen := cmp.Or(s.Area, now)
	isRoom := slices.ContainsFunc(rooms, func(r string) bool { return text.Fold(r) == text.Fold(chosen) })
	switch {
	case s.Area != "":
	case !s.found:
		if !isRoom && len(rooms) > 0 {
			chosen = rooms[0]
		}
		return s.askArea(ctx, rooms, chosen)
	case len(rooms) == 1 && s.mayFill(now, byDefault().Gateway.Area):
		chosen = rooms[0]
	case len(rooms) > 0 && !isRoom:
		s.poor("area", "%s is no room of this house; for one of %s: voice-gateway setup --area NAME", chosen, strings.Join(rooms[:min(len(rooms), 8)], ", "))
		return nil
	}
	if err := s.set(configure.Change{Key: "gateway.area", Value: chosen}); err != nil {
		return err
	}
	s.good("area", "%s", chosen)
	return nil
}

// askArea asks for the room, which need not be one of the house.
func (s *session) askArea(ctx context.Context, rooms []string, otherwise string) error {
	all := options(rooms)
	s.asker.list(all)
	for {
		chosen, ok, err := s.asker.pick(ctx, "Room of this gateway", all, otherwise)
		if err != nil {
			return err
		}
		if _, number := strconv.Atoi(chosen); !ok && number == nil && len(all) > 0 {
			s.asker.say("  expected a number from 1 to %d, or the name of a room\n", len(all))
			continue
		}
		if !ok && len(all) > 0 {
			if ok, err = s.asker.yes(ctx, chosen+" is no room of this house yet. Use it"); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		err = s.set(configure.Change{Key: "gateway.area", Value: chosen})
		if _, wrong := errors.AsType[configure.UseError](err); wrong {
			s.asker.say("  %s\n", reason(err))
			continue
		}
		if err == nil {
			s.good("area", "%s", chosen)
		}
		return err
	}
}

// examples finds what can be said here.
func (s *session) examples(k known) error {
	pack, err := intent.Ours(s.now.Gateway.Language)
	if err != nil {
		return err
	}
	all, err := intent.FindExamples(pack, k.house, s.now.Gateway.Area, k.answers)
	if err != nil {
		return err
	}
	s.told, s.things = all, len(k.house.Entities)
	return nil
}

// tellExamples says what can be said here.
func (s *session) tellExamples() {
	switch {
	case len(s.told) == 0:
		return
	case s.things > 0:
		s.asker.say("\nThis house has %d things. Say to it:\n", s.things)
	default:
		s.asker.say("\nNo house is known yet. These work without one:\n")
	}
	for _, one := range s.told {
		s.asker.say("   %s\n", s.Paint.Bold(one))
	}
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
	if !s.houses && (s.seen == nil || len(s.seen.Houses) == 0) {
		if s.only {
			return nil
		}
		return work(known{house: &home.House{}})
	}
	cfg := s.now.Config
	cfg.HTTP.Listen, cfg.AI.Enabled = "", "false"
	cfg.MCP.Servers = s.lendToken(cfg.MCP.Servers)
	if free, err := doctor.FreePort(ctx, cfg.MQTT.Embedded.Listen); err == nil && cfg.MQTT.URL == "" {
		cfg.MQTT.Embedded.Listen = free
	}
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
	s.asker.say("  The house is asked for its rooms and things …\n")
	waiting, done := context.WithTimeout(ctx, telling)
	_ = g.Ready(waiting) // what is known by then counts
	done()
	return work(known{house: g.House(), answers: func(question string) bool {
		waiting, done := context.WithTimeout(ctx, telling)
		defer done()
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
