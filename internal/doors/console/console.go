// Package console shows things to a person at a terminal: colours, tables, the
// progress of long work, and the story of a turn; and answers lines of JSON for
// another program. It exists so that every command
// that shows the same thing shows it in the same way. To show something new, add a
// func that takes the writer and the Paint.
package console

// Paint colours words for a terminal; for anything else it leaves them alone.
type Paint bool

func (p Paint) wrap(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Good is for what went as it should.
func (p Paint) Good(s string) string { return p.wrap("32", s) }

// Bad is for what failed.
func (p Paint) Bad(s string) string { return p.wrap("31", s) }

// Warn is for what a person should look at.
func (p Paint) Warn(s string) string { return p.wrap("33", s) }

// Dim is for labels and asides.
func (p Paint) Dim(s string) string { return p.wrap("2", s) }

// Bold is for headings and what matters most.
func (p Paint) Bold(s string) string { return p.wrap("1", s) }

// ToldError is an error that the user has already seen: the program ends with it and
// prints nothing more.
type ToldError struct{ Err error }

// Error is the text for a log.
func (e ToldError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the user has seen.
func (e ToldError) Unwrap() error { return e.Err }
