// Package setup makes a house's first configuration: it looks for the microphone, the
// speaker, the broker, the house and the language model, asks about what it finds, and
// ends with sentences that work there. It exists because a user who has just unpacked
// the gateway does not know its keys. A new question is a flag in Answers and a line in
// the table of questions.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"voicegateway/configs"
	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
)

// Answers are the answers that flags give. An empty one is asked for, or found.
type Answers struct {
	Language, ID, Area, Listen         string
	Broker, User, PasswordFile, Prefix string
	Microphone, Speaker                string
	WakeWord, Models, Model            string
	Insecure                           bool // a broker of another host may be used without a password
}

// The values of Answers that mean something else than a name or an address.
const (
	None = "none" // Broker: the gateway's own; Model: no language model is used
	Pull = "pull" // Models: fetch those that are missing
	Skip = "skip" // Models: continue without the missing ones; any other value is a directory that holds them
)

// World is what setting up may use.
type World struct {
	In         io.Reader
	Out        io.Writer
	Paint      console.Paint
	Someone    bool // a user sits at the terminal and can answer
	Environ    []string
	Executable string
	Version    string
	File       string // --config
	Command    func(l *configure.Loaded) (command, user string)
	Load       func(path string) (*configure.Loaded, error)
	Ask        func(ctx context.Context, l *configure.Loaded, path string, answer any) error // the gateway that runs
	Sound      func(ctx context.Context, l *configure.Loaded) (audio.Equipment, error)
	// Pull fetches the models that the configuration uses; from is a directory that holds
	// them, "" for where they are published.
	Pull    func(ctx context.Context, l *configure.Loaded, from string) error
	Service Service
}

// session is one run.
type session struct {
	World
	Answers
	asker *asker

	found  bool // what is found is used, without questions
	anew   bool // the service is restarted if needed, without a question
	fresh  bool // there was no configuration before
	only   bool // flags say what is to be changed, all else stays
	config configure.File
	now    *configure.Loaded // as the file says it now
	runs   bool              // a gateway runs with it

	seen    *doctor.Retained // what the broker keeps, nil where none was reached
	changed bool
}

// question is one thing that is looked for and asked about.
type question struct {
	about func(a *Answers) []string // the flags that answer it
	does  func(s *session, ctx context.Context) error
}

// questions are asked in this order.
func questions() []question {
	return []question{
		{func(a *Answers) []string { return []string{a.Language} }, func(s *session, ctx context.Context) error { return s.language(ctx) }},
		{func(a *Answers) []string { return []string{a.Broker, a.User, a.PasswordFile, flagged(a.Insecure)} }, (*session).broker},
		{func(a *Answers) []string { return []string{a.Prefix} }, (*session).prefix},
		{func(a *Answers) []string { return []string{a.ID} }, func(s *session, ctx context.Context) error { return s.id(ctx) }},
		{func(a *Answers) []string { return []string{a.Microphone} }, (*session).microphone},
		{func(a *Answers) []string { return []string{a.Speaker} }, (*session).speaker},
		{func(a *Answers) []string { return []string{a.WakeWord, a.Models} }, (*session).wakeWord},
		{func(a *Answers) []string { return []string{a.Model} }, (*session).model},
		{func(a *Answers) []string { return []string{a.Listen} }, (*session).listen},
	}
}

func flagged(on bool) string {
	if on {
		return "on"
	}
	return ""
}

// given reports whether a flag answers one of the questions. The flag for models counts
// only without --yes; with it, it only says where to get them.
func (a Answers) given(found bool) bool {
	if found {
		a.Models = ""
	}
	return a.Area != "" || slices.ContainsFunc(questions(), func(q question) bool { return answered(q.about(&a)) })
}

func answered(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return f != "" })
}

// Run asks and looks, writes the configuration, and ends with what the user can say.
// With found it uses what it finds and asks nothing. An existing configuration is kept;
// if flags name changes, only these are made.
func Run(ctx context.Context, w World, a Answers, found bool) error {
	s := &session{World: w, Answers: a, found: found || !w.Someone, anew: found}
	if err := s.look(found); err != nil {
		return err
	}
	s.asker = newAsker(w.In, w.Out, w.Paint)
	if err := s.begin(ctx); err != nil {
		return err
	}
	for _, q := range questions() {
		if s.only && !answered(q.about(&s.Answers)) {
			continue
		}
		if err := q.does(s, ctx); err != nil {
			return err
		}
	}
	return s.end(ctx)
}

// look finds the configuration. It returns an error if questions would be needed and no
// user is there to answer them.
func (s *session) look(found bool) error {
	fresh, err := s.place()
	if err != nil {
		return err
	}
	if s.fresh = fresh; s.fresh && !found && !s.Someone {
		return configure.Misused(errors.New("nobody can be asked here; take what is found with --yes, and answer by a flag what is to be otherwise (voice-gateway setup --help lists them)"))
	}
	s.only = !s.fresh && s.given(found)
	if !s.fresh && !s.only && !found && !s.Someone {
		return configure.Misused(fmt.Errorf("nobody can be asked here; %s stays as it is but for what a flag names, or for what is found with --yes", s.config.Path))
	}
	return nil
}

// place finds the configuration file; fresh reports that there is none yet.
func (s *session) place() (fresh bool, err error) {
	path := s.File
	if path == "" {
		if path, err = configure.Found(); err != nil {
			return false, configure.Misused(err)
		}
	}
	if path == "" {
		places := configure.Places()
		if path = places[len(places)-1]; os.Geteuid() == 0 {
			path = places[0]
		}
	}
	s.config, _ = configure.Open(path, s.Environ) // a path is named
	_, err = os.Stat(path)
	return err != nil, nil
}

// begin writes the configuration if there is none.
func (s *session) begin(ctx context.Context) error {
	if s.fresh {
		if _, err := s.config.Apply(configs.Profile, nil); err != nil {
			return fmt.Errorf("%w; name another place with --config FILE, or run this as root", err)
		}
		s.changed = true
		s.good("configuration", "%s is new, with every key and its default", s.config.Path)
	} else {
		s.good("configuration", "%s", s.config.Path)
	}
	if err := s.load(); err != nil {
		return err
	}
	var alive struct{}
	s.runs = s.Ask(ctx, s.now, doors.Alive.Path(), &alive) == nil
	return nil
}

func (s *session) load() error {
	l, err := s.Load(s.config.Path)
	if err != nil {
		return err
	}
	s.now = l
	return nil
}

// set changes values of the file.
func (s *session) set(changes ...configure.Change) error {
	made, err := s.config.Apply(configs.Profile, changes)
	if err != nil || len(made) == 0 {
		return err
	}
	s.changed = true
	return s.load()
}

// mayFill reports whether a value may be replaced by what is found, because the user has
// not chosen it.
func (s *session) mayFill(now, byDefault string) bool { return s.fresh || now == byDefault }

// byDefault is the configuration without a file.
func byDefault() gateway.Config { return gateway.Default() }

// good reports a part that works; poor one that could be better, with what to do.
func (s *session) good(part, format string, args ...any) {
	s.tell(s.Paint.Good("✓"), part, format, args)
}

func (s *session) poor(part, format string, args ...any) {
	s.tell(s.Paint.Warn("!"), part, format, args)
}

func (s *session) tell(sign, part, format string, args []any) {
	s.asker.say("%s %-14s %s\n", sign, part, fmt.Sprintf(format, args...))
}

// end says how to continue, and what the user can say.
func (s *session) end(ctx context.Context) error {
	if err := s.area(ctx); err != nil {
		return err
	}
	command, _ := s.Command(s.now)
	switch start := doctor.StartCommand(command); {
	case !s.changed && s.runs:
		s.asker.say("\nNothing was changed; the gateway runs.\n")
	case !s.changed:
		s.asker.say("\nNothing was changed. To start the gateway: %s\n", s.Paint.Bold(start))
	case s.runs:
		taken, err := s.Service.anew(ctx, abs(s.config.Path), func() (bool, error) {
			if s.anew || s.found || s.only {
				return s.anew, nil
			}
			return s.asker.yes(ctx, "\nStart the gateway anew, so that it takes the changes")
		})
		switch {
		case err != nil:
			return err
		case taken:
			s.asker.say("\nThe gateway was started anew, and runs with the changes.\n")
		default:
			s.asker.say("\nThe gateway that runs takes the changes at its next start: %s\n", s.Paint.Bold("sudo systemctl restart voice-gateway"))
		}
	default:
		s.asker.say("\nTo start the gateway: %s\n", s.Paint.Bold(start))
	}
	return nil
}

// abs is a path that holds from every directory.
func abs(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
