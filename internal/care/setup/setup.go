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
	"path/filepath"
	"slices"

	"voicegateway/configs"
	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/mqtt"
)

// Answers are the answers that flags give. An empty one is asked for, or found.
type Answers struct {
	Language, ID, Area, Listen         string
	Broker, User, PasswordFile, Prefix string
	Microphone, Speaker                string
	WakeWord, Models, Model            string
	House                              string // ZWave, HomeAssistant, Both or None
	HassURL, HassTokenFile, HassCert   string // of Home Assistant; HassCert: the SHA-256 of its certificate
	Insecure                           bool   // a broker of another host may be used without a password
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
	Load       func(d *configure.Draft) (*configure.Loaded, error)
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

	found     bool // what is found is used, without questions
	anew      bool // the service is restarted if needed, without a question
	only      bool // flags say what is to be changed, all else stays
	untouched bool // the configuration is the shipped one, or there was none
	draft     *configure.Draft
	now       *configure.Loaded // as the draft says it now
	runs      bool              // a gateway runs with it
	written   bool

	seen    *doctor.Retained    // what the broker keeps, nil where none was reached
	reached mqtt.Config         // of the broker that was reached
	asked   string              // the name of a gateway that was looked for there
	alone   bool                // no house is behind a broker
	houses  bool                // a Home Assistant has let us in
	token   string              // of it
	refused map[string][]string // tokens that a Home Assistant has refused, by its address
	told    []string            // sentences that work here
	things  int                 // in the house
	pull    func(ctx context.Context) error
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
		{func(a *Answers) []string { return []string{a.House, a.HassURL, a.HassTokenFile, a.HassCert} }, (*session).kind},
		{func(a *Answers) []string { return []string{a.Broker, a.User, a.PasswordFile, flagWord(a.Insecure)} }, (*session).broker},
		{func(a *Answers) []string { return []string{a.Prefix} }, (*session).prefix},
		{func(a *Answers) []string { return []string{a.Area} }, func(s *session, ctx context.Context) error { return s.area(ctx) }},
		{func(a *Answers) []string { return []string{a.ID} }, func(s *session, ctx context.Context) error { return s.id(ctx) }},
		{func(a *Answers) []string { return []string{a.Microphone} }, (*session).microphone},
		{func(a *Answers) []string { return []string{a.Speaker} }, (*session).speaker},
		{func(a *Answers) []string { return []string{a.WakeWord, a.Models} }, (*session).wakeWord},
		{func(a *Answers) []string { return []string{a.Model} }, (*session).model},
		{func(a *Answers) []string { return []string{a.Listen} }, (*session).listen},
	}
}

func flagWord(on bool) string {
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
	return slices.ContainsFunc(questions(), func(q question) bool { return answered(q.about(&a)) })
}

func answered(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return f != "" })
}

// Run asks and looks, writes the configuration, and ends with what the user can say.
// With found it uses what it finds and asks nothing. An existing configuration is kept;
// if flags name changes, only these are made. The configuration is written after the last
// question, and with an error before that nothing is written.
func Run(ctx context.Context, w World, a Answers, found bool) error {
	s := &session{World: w, Answers: a, found: found || !w.Someone, anew: found, refused: map[string][]string{}}
	if err := s.look(found); err != nil {
		return err
	}
	terminal := config.Options{Environ: w.Environ}.Getenv("TERM")
	s.asker = newAsker(w.In, w.Out, w.Paint, w.Someone && terminal != "" && terminal != "dumb")
	err := s.ask(ctx)
	if err == nil {
		err = s.write()
	}
	if err != nil {
		if !s.written {
			s.asker.say("\nNothing was written.\n")
		}
		return err
	}
	return s.sayNextSteps(ctx)
}

// ask asks the questions.
func (s *session) ask(ctx context.Context) error {
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
	return nil
}

// look finds the configuration. It returns an error if questions would be needed and no
// user is there to answer them.
func (s *session) look(found bool) error {
	file, err := configure.Place(s.File, s.Environ)
	if err != nil {
		return err
	}
	if s.draft, err = file.Draft(configs.Profile); err != nil {
		return err
	}
	s.untouched = s.draft.Is(configs.Profile)
	fresh := s.draft.New && s.untouched
	if fresh && !found && !s.Someone {
		return configure.AsUseError(errors.New("nobody can be asked here; take what is found with --yes, and answer by a flag what is to be otherwise (voice-gateway setup --help lists them)"))
	}
	s.only = !fresh && s.given(found)
	if !fresh && !s.only && !found && !s.Someone {
		return configure.AsUseError(fmt.Errorf("nobody can be asked here; %s stays as it is but for what a flag names, or for what is found with --yes", s.draft.Path))
	}
	return s.draft.Writable()
}

// begin says which configuration is changed, and looks whether a gateway runs with it.
func (s *session) begin(ctx context.Context) error {
	if err := s.load(); err != nil {
		return err
	}
	if s.draft.New {
		s.good("configuration", "%s will be new, with every key", s.draft.Path)
	} else {
		s.good("configuration", "%s", s.draft.Path)
	}
	if !s.found && !s.only {
		s.asker.say("  Enter takes the answer in brackets. Ctrl-C ends; nothing is written before the last answer.\n")
	}
	var alive struct{}
	s.runs = s.Ask(ctx, s.now, doors.Alive.Path(), &alive) == nil
	return nil
}

func (s *session) load() error {
	l, err := s.Load(s.draft)
	if err != nil {
		return err
	}
	s.now = l
	return nil
}

// set changes values of the draft.
func (s *session) set(changes ...configure.Change) error {
	made, err := s.draft.Apply(changes...)
	if err != nil || len(made) == 0 {
		return err
	}
	return s.load()
}

// until asks until keep takes the answer. It says why keep refuses one.
func (s *session) until(ctx context.Context, prompt, otherwise string, keep func(answer string) error) error {
	for {
		answer, err := s.asker.text(ctx, prompt, otherwise)
		if err != nil {
			return err
		}
		err = keep(answer)
		if _, wrong := errors.AsType[configure.UseError](err); !wrong {
			return err
		}
		s.asker.say("  %s\n", reason(err))
	}
}

// reason is what is wrong with an answer, without the line of the file.
func reason(err error) string {
	if problems, ok := errors.AsType[config.Problems](err); ok && len(problems) > 0 {
		return problems[0].Text
	}
	return err.Error()
}

// write writes what was answered, and then fetches models.
func (s *session) write() error {
	if !s.draft.Changed() {
		return nil
	}
	if err := s.draft.Write(); err != nil {
		return err
	}
	s.written = true
	s.good("configuration", "%s is written", s.draft.Path)
	return s.load()
}

// mayFill reports whether a value may be replaced by what is found, because the user has
// not chosen it.
func (s *session) mayFill(now, byDefault string) bool { return s.untouched || now == byDefault }

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

// sayNextSteps fetches models, and says what the user can say and how to continue.
func (s *session) sayNextSteps(ctx context.Context) error {
	if s.pull != nil {
		if err := s.pull(ctx); err != nil {
			return err
		}
	}
	if s.only {
		if err := s.withHouse(ctx, s.examples); err != nil {
			return err
		}
	}
	s.tellExamples()
	return s.tellStart(ctx)
}

// tellStart says how the gateway starts with the changes. An installed service that runs
// is restarted if that is agreed to.
func (s *session) tellStart(ctx context.Context) error {
	command, _ := s.Command(s.now)
	start := s.Paint.Bold(configure.StartCommand(s.draft.Path, s.Executable, command))
	switch {
	case !s.written && s.runs:
		s.asker.say("\nNothing was changed; the gateway runs.\n")
		return nil
	case !s.written:
		s.asker.say("\nNothing was changed. To start the gateway: %s\n", start)
		return nil
	case !s.runs:
		s.asker.say("\nTo start the gateway: %s\n", start)
		return nil
	}
	serves, taken, err := s.Service.anew(ctx, abs(s.draft.Path), func() (bool, error) {
		if s.anew || s.found || s.only {
			return s.anew, nil
		}
		return s.asker.yes(ctx, "\nRestart the gateway, so that it takes the changes")
	})
	switch {
	case err != nil:
		return err
	case taken:
		s.asker.say("\nThe gateway was restarted and runs with the changes.\n")
	case serves:
		s.asker.say("\nThe gateway that runs takes the changes when it is restarted: %s\n", s.Paint.Bold("sudo systemctl restart voice-gateway"))
	default:
		s.asker.say("\nThe gateway that runs takes the changes when it is stopped and started again: %s\n", start)
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
