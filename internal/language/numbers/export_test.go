package numbers

// Durations lists the ways to say a span of time that is not a number with a
// unit, such as "half an hour"; values are minutes.
func (l *Language) Durations() []Spelling {
	if l == nil {
		return nil
	}
	var out []Spelling
	for _, d := range l.hand.Durations {
		out = append(out, Spelling(d))
	}
	return out
}
