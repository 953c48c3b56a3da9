package doors

import (
	"errors"
	"fmt"
)

// Errors a part may return, wrapped or not, for an answer other than 500 over HTTP.
var (
	ErrMisasked    = errors.New("this cannot be asked")             // 400
	ErrNotFound    = errors.New("there is no such thing")           // 404
	ErrBusy        = errors.New("too many requests")                // 429
	ErrConflict    = errors.New("this cannot be done now")          // 409
	ErrUnavailable = errors.New("this is not available at present") // 503
)

// errNotThere is the answer of a gateway that lacks the part that is needed.
var errNotThere = Refuse(ErrUnavailable, "this gateway runs without it")

// refusal is an error of a kind that shows its own text alone.
type refusal struct {
	kind error
	text string
}

func (r refusal) Error() string { return r.text }
func (r refusal) Unwrap() error { return r.kind }

// Refuse makes an error of a kind, such as ErrNotFound, whose text is given.
func Refuse(kind error, format string, values ...any) error {
	return refusal{kind, fmt.Sprintf(format, values...)}
}

// reason is an error with its kind before it.
type reason struct{ kind, cause error }

func (r reason) Error() string   { return r.kind.Error() + ": " + r.cause.Error() }
func (r reason) Unwrap() []error { return []error{r.kind, r.cause} }

// Because makes an error of a kind, such as ErrBusy, with what caused it.
func Because(kind, cause error) error { return reason{kind, cause} }

// Cause is an error without the kind before it, for doors that do not tell kinds.
func Cause(err error) error {
	if r, ok := errors.AsType[reason](err); ok {
		return r.cause
	}
	return err
}
