// Package interrupt lets a signal end a wait that the system does not let a program
// end: for the bytes of a terminal or a pipe, and for the other end of a named pipe
// to be opened. It exists because several programs read files that a user names, and
// any file that a user names may be a pipe.
package interrupt

import "context"

// Read returns what read returns. When ctx ends first, it returns the error of ctx; read
// then continues in the background until the program ends, and its result is dropped.
// Only a program that ends with ctx may use it.
func Read[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
