package client

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/mcpint"
)

// CloseUnlisted ends a session whose tools could not be listed, and returns a
// *DialError that says why.
func CloseUnlisted(ctx context.Context, s mcpint.Server, session Session, err error) error {
	failure := &DialError{Server: s.ID, Transport: s.Transport, Err: err}
	if mortal, ok := session.(Mortal); ok && ctx.Err() == nil && cutOff(mortal, err) {
		timer := time.NewTimer(2 * reasonGrace)
		defer timer.Stop()
		select {
		case <-mortal.Done():
			failure.Err = mortal.Err()
			if end, ok := errors.AsType[*EndError](failure.Err); ok {
				failure.Err = errors.New("the process ended before it listed its tools")
				failure.Exit, failure.Stderr = end.Exit, end.Stderr
			}
		case <-timer.C:
		}
	}
	_ = session.Close()
	return failure
}

// cutOff reports whether a request failed because the connection broke. A bad
// answer is still an answer: then there is no end of the process to wait for.
func cutOff(m Mortal, err error) bool {
	_, refused := errors.AsType[rpcError](err)
	_, odd := errors.AsType[*shapeError](err)
	_, web := errors.AsType[*HTTPError](err)
	return m.Err() != nil || !refused && !odd && !web
}
