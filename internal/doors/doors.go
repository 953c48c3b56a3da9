package doors

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Entry says of an operation what it does and where it is offered.
type Entry struct {
	Name    string        // by which the page asks for it, such as ask
	Does    string        // what it does, in one sentence: the summary in the description of the HTTP interface
	Route   string        // its method and path, such as POST /api/ask; "": HTTP does not offer it
	Status  int           // of a good answer over HTTP; 0: 200
	Open    bool          // it needs no token
	Line    string        // the queue in which it waits for what came before it, such as order.Acts; "": it waits for nothing
	Within  time.Duration // the time limit of a request over HTTP; 0: quick
	Empty   bool          // the body of its request is an object without members, and is read
	Bare    bool          // a request with an empty body needs no content type
	Verb    Verb
	Tool    string // its name over MCP; "": MCP does not offer it
	Command string // of the command line, such as servers accept; "": there is none
	Usage   Usage  // of a command that only asks for this operation
}

// Describe is the entry itself.
func (e Entry) Describe() Entry { return e }

// Method is that of the route.
func (e Entry) Method() string { return e.Route[:strings.Index(e.Route, " ")] }

// Path is the route without its method.
func (e Entry) Path() string { return e.Route[strings.Index(e.Route, " ")+1:] }

// Verb is a command of MQTT: its name and the members that it must have and may have
// besides id and time, separated by spaces. A member is one of the operation's input.
type Verb struct{ Name, Must, May string }

// Usage is what a derived command says of itself.
type Usage struct {
	Use   string // its words and arguments, as help shows them; "": the command is written by hand
	Short string
	JSON  string // what its flag --json does; "": it has none
	Needs string // the arguments it takes, for the error about others; "": no arguments
}

// Row is a line of the table.
type Row interface{ Describe() Entry }

// Handler is a row whose handler in the HTTP interface is written by hand.
type Handler struct{ Entry }

// Operation is a row that is a function from an input to an answer. The members of its
// input come from the path, the query or the JSON object of the request, as their tags
// path, query and json say; those of the path and the query are texts. Most inputs are
// structs without a name of their own, because the errors about a request that does not
// fit show that name.
type Operation[In, Out any] struct {
	Entry
	Has func(p *Parts) bool // the gateway has the part that is needed; nil: it needs none
	Do  func(ctx context.Context, p *Parts, in In) (Out, error)
	// Code is the status of a good answer over HTTP where that depends on the answer.
	Code func(out Out) int
	// OverHTTP and OverMQTT make an input fit that came through this door, or say why it
	// does not; nil: every input fits.
	OverHTTP, OverMQTT func(in *In) error
	// Flaw is what is wrong with a good answer, "" for nothing. MQTT, where nothing is
	// answered, tells it as an error. nil: nothing.
	Flaw func(out Out) string
	// Read makes the input of the arguments of a derived command; nil: it takes none.
	Read func(args []string) (In, error)
}

// Doable is an operation, whatever its input and answer are.
type Doable interface {
	Row
	// Offered reports whether a gateway has what it takes.
	Offered(p *Parts) bool
	// Input is a pointer to an empty input.
	Input() any
	// FitHTTP and FitMQTT make an input fit that came through this door, or say why it does
	// not.
	FitHTTP(in any) error
	FitMQTT(in any) error
	// Run does it. The status is that of the answer over HTTP; flaw is what is wrong with
	// an answer that is good.
	Run(ctx context.Context, p *Parts, in any) (out Answer, err error)
	// Arguments makes an input of the arguments of a command; ok is false if it takes none.
	Arguments(args []string) (in any, ok bool, err error)
	// Send has a running gateway do it, and returns its answer as it came.
	Send(ctx context.Context, over Exchange, in any) (json.RawMessage, error)
	// Text is an answer for people, "" if it has no text of its own.
	Text(answer json.RawMessage) (string, error)
}

// Answer is a good answer: its body, its status over HTTP, and what is wrong with it.
type Answer struct {
	Body   any
	Status int
	Flaw   string
}

// Offered reports whether a gateway has what it takes.
func (o Operation[In, Out]) Offered(p *Parts) bool { return o.Has == nil || o.Has(p) }

// Input is a pointer to an empty input.
func (o Operation[In, Out]) Input() any { return new(In) }

// FitHTTP makes an input fit that came over HTTP, or says why it does not.
func (o Operation[In, Out]) FitHTTP(in any) error { return fit(o.OverHTTP, in) }

// FitMQTT makes an input fit that came over MQTT, or says why it does not.
func (o Operation[In, Out]) FitMQTT(in any) error { return fit(o.OverMQTT, in) }

func fit[In any](rule func(in *In) error, in any) error {
	if rule == nil {
		return nil
	}
	return rule(in.(*In))
}

// Run does it.
func (o Operation[In, Out]) Run(ctx context.Context, p *Parts, in any) (Answer, error) {
	if !o.Offered(p) {
		return Answer{}, errNotThere
	}
	out, err := o.Do(ctx, p, *in.(*In))
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Body: out, Status: o.Status}
	if o.Code != nil {
		a.Status = o.Code(out)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if o.Flaw != nil {
		a.Flaw = o.Flaw(out)
	}
	return a, nil
}

// Arguments makes an input of the arguments of a command.
func (o Operation[In, Out]) Arguments(args []string) (any, bool, error) {
	if o.Read == nil {
		return nil, false, nil
	}
	in, err := o.Read(args)
	return &in, true, err
}

// Exchange is one exchange with a running gateway over HTTP. An answer of
// *json.RawMessage gets the body as it came.
type Exchange func(ctx context.Context, method, path string, body []byte, answer any) error

// Ask has a running gateway do it.
func (o Operation[In, Out]) Ask(ctx context.Context, over Exchange, in In) (out Out, err error) {
	err = o.exchange(ctx, over, &in, &out)
	return out, err
}

// Send has a running gateway do it, and returns its answer as it came.
func (o Operation[In, Out]) Send(ctx context.Context, over Exchange, in any) (answer json.RawMessage, err error) {
	err = o.exchange(ctx, over, in, &answer)
	return answer, err
}

func (o Operation[In, Out]) exchange(ctx context.Context, over Exchange, in, answer any) error {
	var body []byte
	switch o.Method() {
	case http.MethodPost, http.MethodPut:
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("preparing the request: %w", err)
		}
	}
	return over(ctx, o.Method(), Address(o.Path(), in), body, answer)
}

// Text is an answer for people, if it has a text of its own.
func (o Operation[In, Out]) Text(answer json.RawMessage) (string, error) {
	var out Out
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &out); err != nil {
			return "", fmt.Errorf("reading the answer to %s: %w", o.Name, err)
		}
	}
	if text, ok := any(out).(fmt.Stringer); ok {
		return text.String(), nil
	}
	return "", nil
}

// quick is the time limit of most requests. A request has another one that may last a
// turn, or start a sound library on a small machine.
const (
	quick = 10 * time.Second
	turn  = time.Minute // a turn has its own deadlines well below
	// answer is above what a server may take for the calls of a written turn: call_timeout.
	answer = 10 * time.Minute
	slow   = 20 * time.Second
)

// Limit is the time limit of a request over HTTP.
func (e Entry) Limit() time.Duration {
	if e.Within == 0 {
		return quick
	}
	return e.Within
}

// Turn is an input that becomes a turn. Such operations may last long; over MQTT, the next
// one is done when one waits for something slow.
type Turn interface {
	// Came says which turn it becomes and when it came, and what to call when it begins to
	// wait for something slow.
	Came(id string, at time.Time, waiting func())
}

// Doables lists the operations of the table.
func Doables() []Doable {
	var all []Doable
	for _, row := range Table {
		if d, ok := row.(Doable); ok {
			all = append(all, d)
		}
	}
	return all
}
