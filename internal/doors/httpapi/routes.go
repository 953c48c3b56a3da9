package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"voicegateway/internal/doors"
	"voicegateway/internal/ground/order"
)

// Deps are the parts that the server calls. The routes of a part that is nil answer 503.
type Deps struct {
	doors.Parts
	Page   Page
	Events *Feed
	Lines  *order.Lines // the queues in which requests that act wait for their turn; nil: they do not wait
	// Handlers are the routes of other parts by pattern ("GET /metrics", "POST /mcp"). The
	// same checks of host, origin and token apply to them.
	Handlers map[string]http.Handler
}

// handlers are those of the rows whose handler is written by hand, by the row's name.
// Those of other parts are in Deps.Handlers.
func (s *Server) handlers() map[string]http.HandlerFunc {
	page := s.deps.Page != nil
	return map[string]http.HandlerFunc{
		doors.Description.Name: s.openapi,
		doors.Page.Name:        s.needs(page, s.page),
		doors.PageFile.Name:    s.needs(page, s.pageFile),
		doors.LoginPage.Name:   s.needs(page, s.loginPage),
		doors.Login.Name:       s.needs(page, s.login),
		doors.Logout.Name:      s.needs(page, s.logout),
		doors.Events.Name:      s.needs(s.deps.Events != nil, s.events),
	}
}

// lines are the queues in which requests wait for earlier ones, by route.
var lines = func() map[string]string {
	all := map[string]string{}
	for _, row := range doors.Table {
		if e := row.Describe(); e.Line != "" {
			all[e.Route] = e.Line
		}
	}
	return all
}()

// inOrder returns the queue in which a request waits for earlier ones, "" for none.
func inOrder(r *http.Request) (line string) { return lines[r.Method+" "+r.URL.Path] }

// open reports whether a path needs no token. A part of a path in braces stands for
// everything that begins like it.
func open(path string) bool {
	return slices.ContainsFunc(doors.Table, func(row doors.Row) bool {
		e := row.Describe()
		if !e.Open {
			return false
		}
		before, _, more := strings.Cut(e.Path(), "{")
		return path == before || more && strings.HasPrefix(path, before)
	})
}

// routes makes the mux from the table and from the handlers of other parts.
func (s *Server) routes() (*http.ServeMux, error) {
	mux, byHand := http.NewServeMux(), s.handlers()
	for _, row := range doors.Table {
		e := row.Describe()
		handle := byHand[e.Name]
		if op, ok := row.(doors.Doable); ok {
			handle = s.operate(op)
		}
		if e.Route != "" && handle != nil {
			mux.HandleFunc(e.Route, handle)
			s.deps.Routes = append(s.deps.Routes, e.Route)
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.deps.Handlers)) {
		if err := s.foreign(mux, pattern, s.deps.Handlers[pattern]); err != nil {
			return nil, err
		}
		s.deps.Routes = append(s.deps.Routes, pattern)
	}
	return mux, nil
}

// Patterns lists the routes as the mux writes them ("GET /healthz").
func (s *Server) Patterns() []string { return slices.Clone(s.deps.Routes) }

// foreign adds another part's handler. The mux panics at a pattern that it cannot take;
// that is a mistake in the assembly and is returned as an error.
func (s *Server) foreign(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("httpapi: the route %q: %v", pattern, r)
		}
	}()
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForeign)
		handler.ServeHTTP(w, r)
	})
	return nil
}
