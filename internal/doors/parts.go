package doors

import (
	"context"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/wakes"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

// Parts are the parts of a gateway that the operations need. An operation whose part is
// nil answers that this gateway runs without it.
type Parts struct {
	Health     Health
	Asker      Asker
	Controller Controller
	Sayer      Sayer
	Servers    Servers
	Turns      Turns
	Home       Home
	Ear        Ear
	Timers     Timers
	Lessons    Lessons
	Volume     Volume
	Arranger   Arranger
	Alarms     Alarms
	Guide      Guide
	About      *About
	Wakes      Wakes
	Rehearsal  Rehearsal
	Routes     []string // what HTTP answers to; the HTTP interface fills it in
}

// Health reports the state of the parts.
type Health interface {
	Readiness() Readiness
}

// Readiness is the state of the whole gateway, as /readyz shows it.
type Readiness struct {
	Ready  bool           `json:"ready"`  // filled in here: every required part is ready or degraded
	Health Condition      `json:"health"` // filled in here: that of the worst part
	MCP    mcpint.Overall `json:"mcp,omitempty"`
	Parts  []Part         `json:"parts"`
}

// Part is the state of one part.
type Part struct {
	Name     string    `json:"name"`
	State    PartState `json:"state"`
	Required bool      `json:"required"`
	Health   Condition `json:"health"`         // filled in from the state where it is missing
	Said     string    `json:"said,omitempty"` // what is wrong, in the language of the family and as the voice says it
	Why      string    `json:"why,omitempty"`  // a sentence: what is wrong, or of a ready part what is worth knowing
}

// Condition is how well something is, in the words of the doctor.
type Condition string

// The conditions. What people expect of a gateway fails where something is ill: to be
// heard, to reach the house, to remember. The rest is poor.
const (
	Well Condition = "well"
	Poor Condition = "poor"
	Ill  Condition = "ill"
)

// Worse returns the worse one of two conditions.
func (c Condition) Worse(than Condition) Condition {
	if c == Ill || than == Ill {
		return Ill
	}
	if c == Poor || than == Poor {
		return Poor
	}
	return Well
}

// condition is how well a part is, by its state where nothing else is known.
func (p Part) condition() Condition {
	switch {
	case p.Health != "":
		return p.Health
	case p.State == PartReady:
		return Well
	case p.State == PartFailed:
		return Ill
	}
	return Poor
}

// PartState is the state of a part in one word.
type PartState string

// The states of a part. A degraded part works with less than it was given.
const (
	PartReady    PartState = "ready"
	PartDegraded PartState = "degraded"
	PartStarting PartState = "starting"
	PartFailed   PartState = "failed"
)

// Asker runs one turn from text and returns its record. A turn that fails is a
// record too; an error means that there was no turn. It waits for its turn among those
// that act (order.From), as do Ear.Mute, Timers.Do and Volume.SetVolume.
type Asker interface {
	Ask(ctx context.Context, r AskRequest) (record.Record, error)
}

// Controller acts on one thing of the house, without words. An act that fails is a record
// too; an error means that there was no turn: ErrNotFound where the house has no such thing,
// ErrUnavailable where the house is not known, ErrMisasked where the thing cannot do that or takes another value. It waits for its turn
// among those that act, as Asker does.
type Controller interface {
	Control(ctx context.Context, r ControlRequest) (record.Record, error)
}

// Sayer speaks. It returns when the text is queued, not when it has been spoken.
type Sayer interface {
	Say(ctx context.Context, text string) error
}

// Ear is the microphone, as a person controls it by hand.
type Ear interface {
	// Listen opens an utterance as the wake word would; ErrConflict when that is
	// impossible at the moment.
	Listen(ctx context.Context) error
	// Hold tells what is done with a button that is held while one speaks; ErrConflict when
	// none can be heard at the moment.
	Hold(ctx context.Context, b ear.Button) error
	// Stop ends what is being heard or said.
	Stop(ctx context.Context) error
	// Mute closes or opens the microphone; the setting survives a restart.
	Mute(ctx context.Context, on bool) error
	Muted() bool
	// Devices lists the sound devices, and says which are used and why.
	Devices(ctx context.Context) (audio.Equipment, error)
}

// Servers are the MCP servers.
type Servers interface {
	List() mcpint.StatusList
	Status(id string) (mcpint.Status, error) // ErrNotFound
	// Retry starts a forced attempt and returns the server's state at once.
	Retry(ctx context.Context, id string) (server mcpint.Status, connected bool, err error)
	RetryAll(ctx context.Context) (mcpint.StatusList, error)
	// Accept lets a tool be used that is new or changed, or with "" all of them.
	Accept(id, tool string) (mcpint.Status, error) // ErrNotFound
	// Stderr is the end of what a server's process wrote to its stderr, fit to be shown.
	Stderr(id string) (string, error) // ErrNotFound
}

// Volume is how loud the speaker is.
type Volume interface {
	Volume(ctx context.Context) (Level, error)
	SetVolume(ctx context.Context, percent int) error
}

// Level is a state of the volume.
type Level struct {
	Percent int    `json:"level"`
	Muted   bool   `json:"muted"`
	Unheard string `json:"unheard,omitempty"` // why the speaker is not to be heard
}

// About says which gateway this is.
type About struct {
	ID       string `json:"id"`
	Area     string `json:"area"`
	Language string `json:"language"`
	Version  string `json:"version"`
	PID      int    `json:"pid,omitempty"`
	Program  string `json:"program,omitempty"` // the path of its executable
	Config   string `json:"config,omitempty"`  // the path of its configuration file, "" without one
}

// Turns remembers the last turns.
type Turns interface {
	Turns(limit int) []record.Record // newest first, never nil
	Tasks() []record.Task            // the stopped ones, newest first, never nil
}

// Wakes counts the wakes that no user meant.
type Wakes interface {
	State() wakes.State
}

// Rehearsal lets the names of the house be spoken and heard.
type Rehearsal interface {
	Start() error // ErrConflict while one is under way
	State() names.State
}

// Home gives the structure of the house as far as it is known.
type Home interface {
	Home(ctx context.Context) (home.Snapshot, error)
}

// Lessons are what a family has taught its gateway: which turns were wrong, and which
// wordings of its own are understood.
type Lessons interface {
	Marks() []record.Mark // the newest first, never nil
	// Mark returns a marked turn and its house at that time, which has no entities if it was
	// not kept; ErrNotFound.
	Mark(id string) (record.Mark, home.Snapshot, error)
	// Wrong marks one of the last turns, or adds to a marked one what should have happened;
	// ErrNotFound, ErrConflict.
	Wrong(id, should string) (record.Mark, error)
	Unmark(id string) error // ErrNotFound
	// Replay runs one of the last turns, or a marked one, through the present understanding,
	// and calls nothing; ErrNotFound, ErrConflict, ErrBusy.
	Replay(ctx context.Context, id string) (record.Replay, error)
	Wordings() []record.Wording
	// Remember keeps the words of one of the last turns; ErrNotFound, ErrConflict.
	Remember(id string) (record.Wording, error)
	// Reword changes the words of a wording and the room to which it applies; ErrNotFound,
	// ErrConflict.
	Reword(id, text, area string) (record.Wording, error)
	Forget(id string) error // ErrNotFound
}

// Arranger keeps how the family wants to see its house.
type Arranger interface {
	Arrangement() family.Arrangement // its lists are never nil
	Arrange(wanted family.Arrangement) error
}

// Alarms are what the house warns of.
type Alarms interface {
	// Acknowledge takes note that a person has seen the alarms of some things, by their ids.
	// They ring no more; things without an alarm are ignored.
	Acknowledge(ctx context.Context, things []string) error
	// AcknowledgedThings are the ids of the things whose alarms a person has heard or seen
	// and that are not over; the list is never nil.
	AcknowledgedThings() []string
}

// Guide knows what can be said in this house.
type Guide interface {
	Suggest() []string // at most three sentences
}

// Timers are the timers, alarms, reminders and commands for later.
type Timers interface {
	Timers() []timers.Timer // the next first, never nil
	// Do starts a timer or changes some.
	Do(ctx context.Context, r timers.Request) timers.Result
}
