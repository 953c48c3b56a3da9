package mind

// SetCaller puts another caller in the place of the one that was given.
func (a *Answerer) SetCaller(c Caller) { a.calls.Caller = c }
