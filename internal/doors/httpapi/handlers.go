package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"voicegateway/internal/doors"
)

// operate makes the handler of an operation: it reads the input from the request, does
// what is asked for, and writes the answer.
func (s *Server) operate(op doors.Doable) http.HandlerFunc {
	entry := op.Describe()
	return func(w http.ResponseWriter, r *http.Request) {
		if !op.Offered(&s.deps.Parts) {
			s.refuse(w, http.StatusServiceUnavailable, notHere)
			return
		}
		in := op.Input()
		if !s.read(w, r, entry, in) {
			return
		}
		doors.Fill(in, r.PathValue, r.URL.Query().Get)
		if err := op.FitHTTP(in); err != nil {
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), entry.Limit())
		defer cancel()
		switch answer, err := op.Run(ctx, &s.deps.Parts, in); {
		case err != nil:
			s.fail(w, r, err)
		case answer.Status == http.StatusNoContent:
			w.WriteHeader(answer.Status)
		default:
			s.answer(w, answer.Status, answer.Body)
		}
	}
}

// notHere is the answer where the part behind a route is missing.
const notHere = "this gateway runs without it"

// needs wraps a handler: it answers 503 when the part behind the route is missing.
func (s *Server) needs(there bool, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !there {
			s.refuse(w, http.StatusServiceUnavailable, notHere)
			return
		}
		h(w, r)
	}
}

// read reads the body of a request into the input of an operation, if it has members of
// one, and reports whether it could; if not, it answers with what is wrong. Requests that
// act must have the content type JSON, because browsers send forms of other sites without
// asking first.
func (s *Server) read(w http.ResponseWriter, r *http.Request, entry doors.Entry, in any) bool {
	if method := entry.Method(); method != http.MethodPost && method != http.MethodPut {
		return true
	}
	if entry.Bare && r.ContentLength == 0 && r.Header.Get("Content-Type") == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		s.refuse(w, http.StatusUnsupportedMediaType, "send Content-Type: application/json")
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	return !entry.Empty && len(doors.Members(in)) == 0 || s.decode(w, r, in)
}

// decode decodes the body into v and reports whether it could; if not, it answers
// with what is wrong.
func (s *Server) decode(w http.ResponseWriter, r *http.Request, v any) bool {
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

// events streams what happens until the client leaves, is too slow, or the server
// stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	meter, err := doors.ParseFlag("meter", r.URL.Query().Get("meter"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !s.deps.Events.Follow(w, r, meter) {
		w.Header().Set("Retry-After", "10")
		s.refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d clients listen already", MostFollowers))
	}
}
