package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"voicegateway/internal/ground/process"
	"voicegateway/internal/mcpint"
)

// dialStdio starts a server as a child process and shakes hands over its pipes.
func dialStdio(ctx context.Context, s mcpint.Server, o Options) (Session, error) {
	refused := func(err error) (Session, error) {
		return nil, &DialError{Server: s.ID, Transport: s.Transport, Err: err, Obstacle: obstacle(o.launches(s), "", err.Error())}
	}
	secrets := SecretsOf(s)
	child, err := startServer(ctx, s, o, stderrLog(ctx, o.Log, secrets))
	if err != nil {
		return refused(err)
	}
	p := newServerProcess(child)
	p.launched = o.launches(s)
	q := newQuota()
	lines := newFraming(p)
	out := &meter{from: limitLines(lines, maxAnswer), quota: q, lines: true}
	in := &processInput{serverProcess: p}
	t := transport.NewIO(&processOutput{from: out, of: p}, in, io.NopCloser(strings.NewReader("")))
	sess := newSession(t, q, s.ID, o, secrets, p.stop)
	sess.pid, sess.process = p.child.Pid(), p
	in.sent = sess.noteSent
	go sess.watchProcess(p)
	if o.Late != nil {
		late := time.AfterFunc(s.ConnectTimeout, func() { o.Late(sess.lateness(s, lines)) })
		defer late.Stop()
	}
	if err := sess.open(ctx, o, s); err != nil {
		return nil, sess.dialFailure(ctx, s, lines, err)
	}
	return sess, nil
}

// startServer starts a server: one of others by the launcher, if there is one. It lives
// until it is stopped, not until the end of ctx.
func startServer(ctx context.Context, s mcpint.Server, o Options, log io.Writer) (*process.Child, error) {
	if o.launches(s) {
		return process.Launch(ctx, o.Launcher, process.Program{Path: s.Command, Args: s.Args, Dir: s.Dir, Env: childEnv(nil, s.Env)}, log)
	}
	path, err := process.Find(s.Command, o.ExecDir)
	if err != nil {
		return nil, err
	}
	return process.Start(process.Program{Path: path, Args: s.Args, Dir: s.Dir, Env: childEnv(o.Environ, s.Env)}, log)
}

// launches reports whether the service for servers of others starts a server.
func (o Options) launches(s mcpint.Server) bool { return o.Launcher != "" && !s.Own }

// obstacle names the rule of the system that stopped a server, "" if none is recognised.
func obstacle(launched bool, exit, said string) string {
	found, _ := mcpint.FindObstacle(launched, exit, said)
	return found.Text
}

// watchProcess waits for the end of the process or of its pipes and records the
// reason.
func (s *session) watchProcess(p *serverProcess) {
	select {
	case <-p.ended:
	case <-p.failed:
		// Pipes usually break because the process ends; its status says more.
		if !p.endsByItself() {
			s.end(s.withWords(p.failure(), 0))
			_ = s.client.Close() // frees every caller that waits for an answer
			return
		}
	}
	said := p.child.Stderr(stderrRead)
	s.end(&EndError{Exit: p.child.State(), Stderr: s.secrets.RedactTail(said), Obstacle: obstacle(p.launched, p.child.State(), string(said))})
}

// lateness says that a child has not answered in time, with what it wrote so far.
func (s *session) lateness(srv mcpint.Server, lines *framing) error {
	return &DialError{Server: srv.ID, Transport: srv.Transport, Stderr: s.Words(), Err: s.withOutput(noHandshake(srv), lines.beginning())}
}

// dialFailure ends a child whose handshake failed and says why it did.
func (s *session) dialFailure(ctx context.Context, srv mcpint.Server, lines *framing, err error) error {
	p := s.process
	late := ctx.Err()
	// A child that is ending by itself gets a moment to end, so that its exit
	// status is known.
	_, cut := errors.AsType[*transport.Error](err)
	ended := late == nil && cut && p.endsByItself()
	broken := p.failure()
	_ = s.Close()
	said := p.child.Stderr(stderrRead)
	failure := &DialError{
		Server: srv.ID, Transport: srv.Transport,
		Stderr: s.secrets.RedactTail(said), Err: s.secrets.RedactError(Explain(err)),
	}
	switch {
	case ended:
		failure.Err = errors.New("the process ended before it answered")
		if failure.Stderr == "" {
			failure.Err = s.withOutput(failure.Err, lines.beginning())
		}
		failure.Exit = p.child.State()
		failure.Obstacle = obstacle(p.launched, failure.Exit, string(said))
	case errors.Is(late, context.DeadlineExceeded):
		failure.Err = s.withOutput(noHandshake(srv), lines.beginning())
	case late != nil:
		failure.Err = late
	case broken != nil:
		failure.Err = broken
	}
	return failure
}

// maxOutputShown bounds what an error shows of a child's stdout, in bytes.
const maxOutputShown = 200

// outputError is why a child did not answer, with what it wrote to its stdout instead.
type outputError struct {
	cause   error
	output  string // fit to be shown
	headers bool   // it has the headers of a language server
}

func (e *outputError) Error() string {
	if e.headers {
		return fmt.Sprintf("%v; it writes Content-Length headers, as language servers do, and MCP wants one message a line: %q", e.cause, e.output)
	}
	return fmt.Sprintf("%v; its output begins with %q", e.cause, e.output)
}

func (e *outputError) Unwrap() error { return e.cause }

// withOutput adds to an error what a child wrote to its stdout in place of an answer, if
// it wrote anything. It is quoted, because it is the server's.
func (s *session) withOutput(cause error, output []byte) error {
	shown := s.secrets.RedactLine(string(output), maxOutputShown)
	if shown == "" {
		return cause
	}
	return &outputError{cause, shown, contentLength.Match(output)}
}

// contentLength is the header before each message of a language server.
var contentLength = regexp.MustCompile(`(?i)content-length: *\d`)

// processInput is the child's stdin for the client library, which writes one message at
// a time.
type processInput struct {
	*serverProcess
	sent func(message []byte)
}

func (i *processInput) Write(message []byte) (int, error) {
	n, err := i.serverProcess.Write(message)
	i.sent(message)
	return n, err
}

// processOutput is the child's stdout for the client library. Its only error is
// EOF, because the library logs other errors to the global logger.
type processOutput struct {
	from io.Reader
	of   *serverProcess
}

func (a *processOutput) Read(b []byte) (int, error) {
	n, err := a.from.Read(b)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the server closed its output")
	}
	a.of.fail(Explain(err))
	return n, io.EOF
}
