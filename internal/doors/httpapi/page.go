package httpapi

import (
	"fmt"
	"net/http"
	"time"
)

// pageDoor answers what a browser asks for to show the page.
type pageDoor struct{ *Server }

// page shows the page.
func (s pageDoor) page(w http.ResponseWriter, _ *http.Request) {
	s.deps.Page.Main(w, s.cfg.Token != "")
}

// pageFile shows a file of the page.
func (s pageDoor) pageFile(w http.ResponseWriter, r *http.Request) {
	if !s.deps.Page.File(w, r, r.PathValue("file")) {
		s.refuse(w, http.StatusNotFound, fmt.Sprintf("there is nothing at %s", r.URL.Path))
	}
}

// about answers with the gateway's identity, its time, and its routes.
func (s pageDoor) about(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, struct {
		*About
		Now    time.Time `json:"now"`
		Routes []string  `json:"routes"`
	}{s.deps.About, time.Now(), s.Patterns()})
}
