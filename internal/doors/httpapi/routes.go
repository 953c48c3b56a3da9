package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"voicegateway/internal/ground/order"
)

// route is a line of the table.
type route struct {
	pattern string
	handle  http.HandlerFunc
}

// table lists the routes that this server answers itself. A new route must also
// be described in openapi.yaml; a test compares the two.
func (s *Server) table() []route {
	d := s.deps
	page, ear, servers, timers := pageDoor{s}, earDoor{s}, serverDoor{s}, timerDoor{s}
	return []route{
		{"GET /healthz", s.healthz},
		{"GET /readyz", s.needs(d.Health != nil, s.readyz)},
		{"GET /openapi.yaml", s.openapi},
		{"GET /{$}", s.needs(d.Page != nil, page.page)},
		{"GET /page/{file}", s.needs(d.Page != nil, page.pageFile)},
		{"GET /login", s.needs(d.Page != nil, page.loginPage)},
		{"POST /login", s.needs(d.Page != nil, page.login)},
		{"POST /logout", s.needs(d.Page != nil, page.logout)},
		{"GET /api/gateway", s.needs(d.About != nil, page.about)},
		{"POST /api/ask", s.post(d.Asker != nil, s.ask)},
		{"POST /api/say", s.post(d.Sayer != nil, s.say)},
		{"POST /api/listen", s.post(d.Ear != nil, ear.listen)},
		{"POST /api/stop", s.post(d.Ear != nil, ear.stop)},
		{"GET /api/mute", s.needs(d.Ear != nil, ear.muted)},
		{"POST /api/mute", s.post(d.Ear != nil, ear.mute)},
		{"GET /api/volume", s.needs(d.Volume != nil, ear.volume)},
		{"POST /api/volume", s.post(d.Volume != nil, ear.setVolume)},
		{"GET /api/devices", s.needs(d.Ear != nil, ear.devices)},
		{"GET /api/turns", s.needs(d.Turns != nil, s.turns)},
		{"GET /api/tasks", s.needs(d.Turns != nil, s.tasks)},
		{"POST /api/turns/{id}/wrong", s.post(d.Lessons != nil, lessonDoor{s}.wrong)},
		{"POST /api/turns/{id}/remember", s.post(d.Lessons != nil, lessonDoor{s}.remember)},
		{"POST /api/turns/{id}/replay", s.post(d.Lessons != nil, lessonDoor{s}.replay)},
		{"GET /api/marks", s.needs(d.Lessons != nil, lessonDoor{s}.marks)},
		{"GET /api/marks/{id}", s.needs(d.Lessons != nil, lessonDoor{s}.mark)},
		{"DELETE /api/marks/{id}", s.needs(d.Lessons != nil, lessonDoor{s}.unmark)},
		{"GET /api/wordings", s.needs(d.Lessons != nil, lessonDoor{s}.wordings)},
		{"PUT /api/wordings/{id}", s.post(d.Lessons != nil, lessonDoor{s}.reword)},
		{"DELETE /api/wordings/{id}", s.needs(d.Lessons != nil, lessonDoor{s}.forget)},
		{"GET /api/home", s.needs(d.Home != nil, s.home)},
		{"GET /api/timers", s.needs(d.Timers != nil, timers.list)},
		{"POST /api/timers", s.post(d.Timers != nil, timers.do)},
		{"DELETE /api/timers", s.needs(d.Timers != nil, timers.cancel)},
		{"GET /api/wakes", s.needs(d.Wakes != nil, wakeDoor{s}.show)},
		{"GET /api/rehearsal", s.needs(d.Rehearsal != nil, rehearsalDoor{s}.show)},
		{"POST /api/rehearsal", s.post(d.Rehearsal != nil, rehearsalDoor{s}.start)},
		{"GET /api/events", s.needs(d.Events != nil, s.events)},
		{"GET /mcp/servers", s.needs(d.Servers != nil, servers.list)},
		{"GET /mcp/servers/{id}/status", s.needs(d.Servers != nil, servers.status)},
		{"GET /mcp/servers/{id}/stderr", s.needs(d.Servers != nil, servers.stderr)},
		{"POST /mcp/servers/{id}/retry", s.post(d.Servers != nil, servers.retry)},
		{"POST /mcp/servers/{id}/accept", s.post(d.Servers != nil, servers.accept)},
		{"POST /mcp/servers/retry-all", s.post(d.Servers != nil, servers.retryAll)},
	}
}

// inOrder returns the queue in which a request waits for earlier ones: one for requests
// that act on the house or the sound, another for the microphone's switch, and "" for all
// others.
func inOrder(r *http.Request) (line string) {
	switch r.Method + " " + r.URL.Path {
	case "POST /api/ask", "POST /api/volume", "POST /api/timers", "DELETE /api/timers", "POST /mcp":
		return order.Acts
	case "POST /api/mute":
		return order.Mute
	}
	return ""
}

// routes makes the mux from the table and from the handlers of other parts.
func (s *Server) routes() (*http.ServeMux, error) {
	mux := http.NewServeMux()
	for _, r := range s.table() {
		mux.HandleFunc(r.pattern, r.handle)
		s.patterns = append(s.patterns, r.pattern)
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.deps.Handlers)) {
		if err := s.foreign(mux, pattern, s.deps.Handlers[pattern]); err != nil {
			return nil, err
		}
		s.patterns = append(s.patterns, pattern)
	}
	return mux, nil
}

// Patterns lists the routes as the mux writes them ("GET /healthz").
func (s *Server) Patterns() []string { return slices.Clone(s.patterns) }

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
