package httpapi

import (
	"fmt"
	"net/http"
)

// Page is what a browser is shown.
type Page interface {
	// Main shows the page; guarded means that there is a log-in, and so a log-out.
	Main(w http.ResponseWriter, guarded bool)
	// Login asks for the token. It says what was wrong with the last try.
	Login(w http.ResponseWriter, trouble LoginTrouble)
	// File returns one of the files of the page, or false for an unknown name. The files are
	// the same everywhere and contain no secret.
	File(w http.ResponseWriter, r *http.Request, name string) bool
}

// page shows the page.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	s.deps.Page.Main(w, s.cfg.Token != "")
}

// pageFile shows a file of the page.
func (s *Server) pageFile(w http.ResponseWriter, r *http.Request) {
	if !s.deps.Page.File(w, r, r.PathValue("file")) {
		s.refuse(w, http.StatusNotFound, fmt.Sprintf("there is nothing at %s", r.URL.Path))
	}
}
