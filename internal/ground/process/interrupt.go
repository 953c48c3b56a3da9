package process

import "context"

// ReadUntil returns what read returns. When ctx ends first, it returns the error of ctx; read
// then continues in the background until the program ends, and its result is dropped.
// Only a program that ends with ctx may use it.
//
// It is for the bytes of a terminal or a pipe, and for the other end of a named pipe to be
// opened: any file that a user names may be a pipe.
func ReadUntil[T any](ctx context.Context, read func() (T, error)) (T, error) {
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
