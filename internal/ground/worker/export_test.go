package worker

// Over is closed when the child has ended; Err tells why.
func (s *Session) Over() <-chan struct{} { return s.over }
