package httpapi

import (
	_ "embed" // the description below
	"net/http"
)

// description is the OpenAPI 3.1 file that describes this interface.
//
//go:embed openapi.yaml
var description string

// openapi serves the description.
func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write([]byte(description)) // an error means that the client is gone
}
