package httpapi

// Addr is the host:port the server listens on, after Listen.
func (s *Server) Addr() string { return s.listener.Addr().String() }
