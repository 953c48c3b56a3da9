package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"voicegateway/internal/mcpint"
)

// plainError says in words what went wrong, why, and what can be done; its cause is
// kept for errors.Is and errors.As.
type plainError struct {
	text  string
	cause error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.cause }

// SaidError is an error of a child process that lives, with what it wrote to its
// stderr meanwhile.
type SaidError struct {
	Stderr string // cleaned and bounded
	Err    error
}

func (e *SaidError) Error() string { return e.Err.Error() }
func (e *SaidError) Unwrap() error { return e.Err }

// noAnswerIn is the error of a request that got no answer from its beginning to the end
// of ctx. what it was that the server did not answer may be empty.
func noAnswerIn(ctx context.Context, what string, begin time.Time) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &plainError{"it was broken off", ctx.Err()}
	}
	if what != "" {
		what = " " + what
	}
	deadline, _ := ctx.Deadline()
	limit := deadline.Sub(begin).Round(100 * time.Millisecond)
	if limit > 3*time.Second {
		limit = limit.Round(time.Second)
	}
	return &plainError{fmt.Sprintf("the server did not answer%s within %v", what, limit), ctx.Err()}
}

// noHandshake is the error of a server that did not shake hands in time.
func noHandshake(s mcpint.Server) error {
	return &plainError{fmt.Sprintf("no answer to initialize within %v%s", s.ConnectTimeout.Round(time.Millisecond), moreTimeFor(s)), context.DeadlineExceeded}
}

// moreTimeFor says how a server that needs longer to start gets more time.
func moreTimeFor(s mcpint.Server) string {
	return fmt.Sprintf("; if it needs longer to start, set mcp.servers.%s.connect_timeout to more", s.ID)
}

// Explain puts an error of the system or of the client library into words. An error
// that is in words already stays as it is.
func Explain(err error) error {
	if text := explanation(err); text != "" {
		return &plainError{text, err}
	}
	return err
}

// explanation returns the words for an error, "" if it has its own.
func explanation(err error) string {
	if _, plain := errors.AsType[*plainError](err); plain || err == nil {
		return ""
	}
	if _, web := errors.AsType[*HTTPError](err); web {
		return ""
	}
	if text := networkExplanation(err); text != "" {
		return text
	}
	if isExcess(err) {
		return "the server sends too much: " + excess(err).Error()
	}
	return answerExplanation(err)
}

// answerExplanation returns the words for an invalid answer, "" for other errors.
func answerExplanation(err error) string {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	raw := err.Error()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection before its answer was complete; its own log may say why"
	case strings.Contains(raw, "unexpected nil response"):
		return "the server ended its stream without an answer; its own log may say why"
	case syntax, shape, strings.Contains(raw, "failed to decode response"), strings.Contains(raw, "response should contain RPC id"):
		return "what the server answers is not MCP; check that the right program or address is configured"
	}
	for _, begin := range []string{"unexpected content type: ", "request failed with status "} {
		if _, kind, found := strings.Cut(raw, begin); found {
			return fmt.Sprintf("the server answers with %q instead of MCP; check the url", strings.TrimRight(kind, ": "))
		}
	}
	return ""
}

// networkExplanation returns the words for an error of the network, "" for others.
func networkExplanation(err error) string {
	who, where := "the server", "its address"
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
		who, where = op.Addr.String(), op.Addr.String()
	}
	name, unknown := errors.AsType[*net.DNSError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case unknown && name.IsNotFound:
		return fmt.Sprintf("the network does not know the name %s (no such host); check the address", name.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s (connection refused); start the server there, or check the address", where)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("there is no way to %s; check the network and the address", where)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Sprintf("%s broke the connection off; the server's own log may say why", who)
	case errors.Is(err, context.Canceled):
		return "it was broken off"
	case errors.Is(err, context.DeadlineExceeded), isNetwork && network.Timeout():
		return fmt.Sprintf("%s did not answer in time; check whether the server runs and can be reached", who)
	}
	return ""
}
