package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"voicegateway/internal/doors/live"
	"voicegateway/internal/keep/record"
)

// maxText bounds a text to ask or say, in bytes; a spoken command has about 100.
const maxText = 2000

// maxTurns is how many turns one request may list.
const maxTurns = 200

// needs wraps a handler: it answers 503 when the part behind the route is
// missing.
func (s *Server) needs(there bool, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !there {
			s.refuse(w, http.StatusServiceUnavailable, "this gateway runs without it")
			return
		}
		h(w, r)
	}
}

// post does what needs does, for routes that act. It also demands the content
// type JSON, because browsers send forms of other sites without asking first.
func (s *Server) post(there bool, h http.HandlerFunc) http.HandlerFunc {
	return s.needs(there, func(w http.ResponseWriter, r *http.Request) {
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			s.refuse(w, http.StatusUnsupportedMediaType, "send Content-Type: application/json")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		h(w, r)
	})
}

// read decodes the body into v and reports whether it could; if not, it answers
// with what is wrong.
func (s *Server) read(w http.ResponseWriter, r *http.Request, v any) bool {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the JSON object")
		}
	}
	if err == nil {
		return true
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		s.refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is over %d bytes", large.Limit))
		return false
	}
	s.refuse(w, http.StatusBadRequest, "the body is not the JSON object expected here: "+strings.TrimPrefix(err.Error(), "json: "))
	return false
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	readiness := s.deps.Health.Readiness()
	readiness.Ready = true
	if readiness.Parts == nil {
		readiness.Parts = []Part{}
	}
	for _, part := range readiness.Parts {
		if part.Required && part.State != PartReady && part.State != PartDegraded {
			readiness.Ready = false
		}
	}
	status := http.StatusOK
	if !readiness.Ready {
		status = http.StatusServiceUnavailable
	}
	s.answer(w, status, readiness)
}

func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	var request AskRequest
	if !s.read(w, r, &request) || !s.textRight(w, &request.Text) {
		return
	}
	if request.Source != "" && request.Source != record.FromPage {
		s.refuse(w, http.StatusBadRequest, `"source" is page, or not there`)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	record, err := s.deps.Asker.Ask(ctx, request)
	s.result(w, r, http.StatusOK, record, err)
}

func (s *Server) say(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Text string `json:"text"`
	}
	if !s.read(w, r, &request) || !s.textRight(w, &request.Text) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	s.result(w, r, http.StatusAccepted, request, s.deps.Sayer.Say(ctx, request.Text))
}

// textRight trims the text and reports whether it is neither empty nor too long;
// if not, it answers with an error.
func (s *Server) textRight(w http.ResponseWriter, text *string) bool {
	*text = strings.TrimSpace(*text)
	switch {
	case *text == "":
		s.refuse(w, http.StatusBadRequest, `"text" is missing or empty`)
	case len(*text) > maxText:
		s.refuse(w, http.StatusBadRequest, fmt.Sprintf(`"text" is over %d bytes`, maxText))
	default:
		return true
	}
	return false
}

func (s *Server) turns(w http.ResponseWriter, r *http.Request) {
	limit := 20
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxTurns {
			s.refuse(w, http.StatusBadRequest, fmt.Sprintf("limit is a number from 1 to %d", maxTurns))
			return
		}
		limit = n
	}
	s.answer(w, http.StatusOK, s.deps.Turns.Turns(limit))
}

func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), quickTimeout)
	defer cancel()
	house, err := s.deps.Home.Home(ctx)
	s.result(w, r, http.StatusOK, house, err)
}

// tasks lists the tasks that were stopped in the middle.
func (s *Server) tasks(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, s.deps.Turns.Tasks())
}

// events streams what happens until the client leaves, is too slow, or the server
// stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	meter, ok := s.flag(w, r, "meter")
	if !ok {
		return
	}
	if !s.deps.Events.Follow(w, r, meter) {
		w.Header().Set("Retry-After", "10")
		s.refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d clients listen already", live.Clients))
	}
}

// flag reads a query parameter that is 0 or 1; for anything else it answers with
// an error, and ok is false.
func (s *Server) flag(w http.ResponseWriter, r *http.Request, name string) (on, ok bool) {
	switch value := r.URL.Query().Get(name); value {
	case "", "0":
		return false, true
	case "1":
		return true, true
	default:
		s.refuse(w, http.StatusBadRequest, fmt.Sprintf("%s is 0 or 1", name))
		return false, false
	}
}
