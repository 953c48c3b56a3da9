package httpapi

import (
	"fmt"
	"net/http"
	"strings"
)

// serverDoor answers what is about the MCP servers.
type serverDoor struct{ *Server }

// list lists them.
func (s serverDoor) list(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, s.deps.Servers.List())
}

func (s serverDoor) status(w http.ResponseWriter, r *http.Request) {
	server, err := s.deps.Servers.Status(r.PathValue("id"))
	if err != nil {
		s.failed(w, r, fmt.Errorf("MCP server %q: %w", r.PathValue("id"), err))
		return
	}
	s.answer(w, http.StatusOK, server)
}

// retry retries a server. It answers 202, because the attempt continues after the answer,
// or 200 when there is nothing to retry.
func (s serverDoor) retry(w http.ResponseWriter, r *http.Request) {
	server, connected, err := s.deps.Servers.Retry(r.Context(), r.PathValue("id"))
	if err != nil {
		s.failed(w, r, fmt.Errorf("MCP server %q: %w", r.PathValue("id"), err))
		return
	}
	status := http.StatusAccepted
	if connected {
		status = http.StatusOK
	}
	s.answer(w, status, server)
}

// accept lets tools of a server be used that are new or have changed.
func (s serverDoor) accept(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tool string `json:"tool"`
	}
	if !s.read(w, r, &request) {
		return
	}
	server, err := s.deps.Servers.Accept(r.PathValue("id"), request.Tool)
	if err != nil {
		err = fmt.Errorf("MCP server %q: %w", r.PathValue("id"), err)
	}
	s.result(w, r, http.StatusOK, server, err)
}

// stderr shows the last lines of a server's stderr.
func (s serverDoor) stderr(w http.ResponseWriter, r *http.Request) {
	words, err := s.deps.Servers.Stderr(r.PathValue("id"))
	if err != nil {
		s.failed(w, r, fmt.Errorf("MCP server %q: %w", r.PathValue("id"), err))
		return
	}
	lines := []string{}
	if words != "" {
		lines = strings.Split(words, "\n")
	}
	s.answer(w, http.StatusOK, map[string][]string{"lines": lines})
}

func (s serverDoor) retryAll(w http.ResponseWriter, r *http.Request) {
	list, err := s.deps.Servers.RetryAll(r.Context())
	s.result(w, r, http.StatusAccepted, list, err)
}
