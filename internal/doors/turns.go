package doors

import (
	"context"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// MaxText bounds a text to ask or say, in bytes; a Spoken command has about 100.
const MaxText = 2000

// MaxTurns is how many turns one request may list.
const MaxTurns = 200

// AskRequest is a text to answer.
type AskRequest struct {
	Text   string `json:"text"`
	Area   string `json:"area,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
	// Source is page for our own page, and empty for everything else.
	Source record.Source `json:"source,omitempty"`

	ID      string    `json:"-"` // of the turn that it becomes; "": a new one
	At      time.Time `json:"-"` // when it came; zero: now
	Waiting func()    `json:"-"` // to be called when the turn begins to wait for something slow; nil: nobody waits for that
}

// Came says which turn it becomes.
func (r *AskRequest) Came(id string, at time.Time, waiting func()) {
	r.ID, r.At, r.Waiting = id, at, waiting
}

// fitAsk says what HTTP does not take.
func fitAsk(in *AskRequest) error {
	if err := fitText(&in.Text); err != nil {
		return err
	}
	if in.Source != "" && in.Source != record.FromPage {
		return Refuse(ErrMisasked, `"source" is page, or not there`)
	}
	return nil
}

// ask runs one turn.
func ask(ctx context.Context, p *Parts, in AskRequest) (record.Record, error) {
	return p.Asker.Ask(ctx, in)
}

// fitText trims a text, which must be neither empty nor too long.
func fitText(text *string) error {
	*text = strings.TrimSpace(*text)
	switch {
	case *text == "":
		return Refuse(ErrMisasked, `"text" is missing or empty`)
	case len(*text) > MaxText:
		return Refuse(ErrMisasked, `"text" is over %d bytes`, MaxText)
	}
	return nil
}

// Spoken is a text to say.
type Spoken = struct {
	Text string `json:"text"`
}

func say(ctx context.Context, p *Parts, in Spoken) (Spoken, error) {
	return in, p.Sayer.Say(ctx, in.Text)
}

func hasTurns(p *Parts) bool { return p.Turns != nil }

// turnsWanted says how many turns are wanted.
type turnsWanted = struct {
	Limit string `json:"-" query:"limit"`
}

// listTurns lists the last turns.
func listTurns(_ context.Context, p *Parts, in turnsWanted) ([]record.Record, error) {
	limit := 20
	if in.Limit != "" {
		n, err := strconv.Atoi(in.Limit)
		if err != nil || n < 1 || n > MaxTurns {
			return nil, Refuse(ErrMisasked, "limit is a number from 1 to %d", MaxTurns)
		}
		limit = n
	}
	return p.Turns.Turns(limit), nil
}

// Newest is the input of LastTurns for so many of them.
func Newest(limit int) (in turnsWanted) {
	in.Limit = strconv.Itoa(limit)
	return in
}

func listTasks(_ context.Context, p *Parts, _ struct{}) ([]record.Task, error) {
	return p.Turns.Tasks(), nil
}

func showHouse(ctx context.Context, p *Parts, _ struct{}) (home.Snapshot, error) {
	return p.Home.Home(ctx)
}

// ParseFlag reads a parameter that is 0 or 1.
func ParseFlag(name, value string) (on bool, err error) {
	switch value {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, Refuse(ErrMisasked, "%s is 0 or 1", name)
}

// ByID names what an operation is about by its id.
type ByID = struct {
	ID string `json:"-" path:"id"`
}

// none is an answer without a body.
type none struct{}

func hasLessons(p *Parts) bool { return p.Lessons != nil }

// WrongTurn says which turn was wrong, and what should have happened.
type WrongTurn = struct {
	ID     string `json:"-" path:"id"`
	Should string `json:"should"`
}

// markWrong marks a turn.
func markWrong(_ context.Context, p *Parts, in WrongTurn) (record.Mark, error) {
	if in.Should = strings.TrimSpace(in.Should); in.Should != "" {
		if err := fitText(&in.Should); err != nil {
			return record.Mark{}, err
		}
	}
	return p.Lessons.Wrong(in.ID, in.Should)
}

func remember(_ context.Context, p *Parts, in ByID) (record.Wording, error) {
	return p.Lessons.Remember(in.ID)
}

func replay(ctx context.Context, p *Parts, in ByID) (record.Replay, error) {
	return p.Lessons.Replay(ctx, in.ID)
}

func listMarks(_ context.Context, p *Parts, _ struct{}) ([]record.Mark, error) {
	return p.Lessons.Marks(), nil
}

// MarkWithHouse is a mark in the answer to a request for it alone.
type MarkWithHouse struct {
	record.Mark
	Rooms home.Snapshot `json:"rooms"`
}

func showMark(_ context.Context, p *Parts, in ByID) (MarkWithHouse, error) {
	m, rooms, err := p.Lessons.Mark(in.ID)
	return MarkWithHouse{m, rooms}, err
}

func unmark(_ context.Context, p *Parts, in ByID) (none, error) {
	return none{}, p.Lessons.Unmark(in.ID)
}

func listWordings(_ context.Context, p *Parts, _ struct{}) ([]record.Wording, error) {
	return p.Lessons.Wordings(), nil
}

// Rewording gives a wording other words, and another room to which it applies.
type Rewording = struct {
	ID   string `json:"-" path:"id"`
	Text string `json:"text"`
	Area string `json:"area"`
}

func reword(_ context.Context, p *Parts, in Rewording) (record.Wording, error) {
	if err := fitText(&in.Text); err != nil {
		return record.Wording{}, err
	}
	return p.Lessons.Reword(in.ID, in.Text, in.Area)
}

func forget(_ context.Context, p *Parts, in ByID) (none, error) {
	return none{}, p.Lessons.Forget(in.ID)
}

// life is the sign of life.
type life struct {
	Status string `json:"status"`
}

func live(context.Context, *Parts, struct{}) (life, error) { return life{"ok"}, nil }

// judge is the state of every part, and whether the gateway is ready.
func judge(_ context.Context, p *Parts, _ struct{}) (Readiness, error) {
	return Judged(p.Health.Readiness()), nil
}

// Judged fills in of a readiness whether the gateway is ready, and how well it and its
// parts are.
func Judged(readiness Readiness) Readiness {
	readiness.Ready, readiness.Health = true, Well
	if readiness.Parts == nil {
		readiness.Parts = []Part{}
	}
	for i := range readiness.Parts {
		part := &readiness.Parts[i]
		part.Health = part.condition()
		readiness.Health = readiness.Health.Worse(part.Health)
		if part.Required && part.State != PartReady && part.State != PartDegraded {
			readiness.Ready = false
		}
	}
	return readiness
}

// status is 503 where the gateway is not ready.
func (r Readiness) status() int {
	if !r.Ready {
		return 503
	}
	return 200
}

// identity is which gateway this is, with its time and its routes.
type identity struct {
	*About
	Now    time.Time `json:"now"`
	Routes []string  `json:"routes"`
}

func identify(_ context.Context, p *Parts, _ struct{}) (identity, error) {
	return identity{p.About, time.Now(), p.Routes}, nil
}
