package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// Listing is a server's list of tools: those that can be used, each name once, and what
// was left out.
type Listing struct {
	Tools   []tools.Spec
	Skipped []Skipped
}

// Skipped is an entry of a list that is left out.
type Skipped struct {
	Tool string // its name as the server gave it; "" if it has none
	Why  string
}

// maxSkipped bounds how many entries are named that were left out.
const maxSkipped = 100

// add takes over an entry of tools/list without the secrets, or notes why not.
func (l *Listing) add(secrets Secrets, raw json.RawMessage) {
	spec, why := specOf(raw)
	if why == "" {
		var fit bool
		if spec, fit = hideInSpec(secrets, spec); !fit {
			spec.Name, why = "", "its name holds a secret that the server was given"
		}
	}
	switch {
	case why != "":
	case slices.ContainsFunc(l.Tools, func(t tools.Spec) bool { return t.Name == spec.Name }):
		why = "the server lists it twice; the first one counts"
	case len(l.Tools) >= MaxTools:
		why = fmt.Sprintf("the server has more than %d tools", MaxTools)
	default:
		l.Tools = append(l.Tools, spec)
		return
	}
	if len(l.Skipped) < maxSkipped {
		l.Skipped = append(l.Skipped, Skipped{spec.Name, why})
	}
}

// cut notes that the list has more tools, and why they are left out.
func (l *Listing) cut(why string) {
	l.Skipped = append(l.Skipped, Skipped{"(further tools)", why})
}

// CloseUnlisted ends a session whose tools could not be listed, and returns a
// *DialError that says why.
func CloseUnlisted(ctx context.Context, s mcpint.Server, session Session, err error) error {
	failure := &DialError{Server: s.ID, Transport: s.Transport, Err: err}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		failure.Err = fmt.Errorf("%w%s", err, moreTimeFor(s))
	}
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
	if own, ok := session.(Talkative); ok && failure.Stderr == "" {
		failure.Stderr = own.Words()
	}
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
