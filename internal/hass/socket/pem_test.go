package socket_test

import (
	"encoding/pem"
	"net/http/httptest"
)

// pemOf is the certificate of a server.
func pemOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}
