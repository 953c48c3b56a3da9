package doors

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"voicegateway/internal/mcpint"
)

func hasServers(p *Parts) bool { return p.Servers != nil }

// about names the server that an error is about.
func about(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("MCP server %q: %w", id, err)
}

func listServers(_ context.Context, p *Parts, _ struct{}) (mcpint.StatusList, error) {
	return p.Servers.List(), nil
}

func showServer(_ context.Context, p *Parts, in ByID) (mcpint.Status, error) {
	s, err := p.Servers.Status(in.ID)
	return s, about(in.ID, err)
}

// Retried is a server that is retried, or that needs no retry.
type Retried struct {
	mcpint.Status
	connected bool
}

// status is 202, because the attempt continues after the answer, or 200 when there is
// nothing to retry.
func (r Retried) status() int {
	if r.connected {
		return http.StatusOK
	}
	return http.StatusAccepted
}

func retryServer(ctx context.Context, p *Parts, in ByID) (Retried, error) {
	s, connected, err := p.Servers.Retry(ctx, in.ID)
	return Retried{s, connected}, about(in.ID, err)
}

func retryServers(ctx context.Context, p *Parts, _ struct{}) (mcpint.StatusList, error) {
	return p.Servers.RetryAll(ctx)
}

// acceptance lets a tool of a server be used, or with "" all of them.
type acceptance = struct {
	ID   string `json:"-" path:"id"`
	Tool string `json:"tool"`
}

func acceptTools(_ context.Context, p *Parts, in acceptance) (mcpint.Status, error) {
	s, err := p.Servers.Accept(in.ID, in.Tool)
	return s, about(in.ID, err)
}

func readAcceptance(args []string) (in acceptance, err error) {
	if len(args) < 1 || len(args) > 2 {
		return in, errors.New("voice-gateway servers accept needs the name of a server, and perhaps that of one of its tools")
	}
	in.ID, in.Tool = args[0], strings.Join(args[1:], "")
	return in, nil
}

// stderrLines are the last lines of a server's stderr.
type stderrLines struct {
	Lines []string `json:"lines"`
}

func showStderr(_ context.Context, p *Parts, in ByID) (stderrLines, error) {
	words, err := p.Servers.Stderr(in.ID)
	lines := []string{}
	if words != "" {
		lines = strings.Split(words, "\n")
	}
	return stderrLines{lines}, about(in.ID, err)
}
