package intent

// Understands reports whether a text is a sentence for this house: one that is carried
// out, answered or asked back about, alone or as the continuation of the sentence before:
// "and the bedroom", "make it blue". A text that would be refused or given to a language
// model is not, because it may not have been said to the house.
func (f Short) Understands(text string) bool {
	if d := f.Match(text, ""); d.settled() {
		return true
	}
	if d := f.After(text, ""); d.settled() {
		return true
	}
	about, _ := f.About(text, "", f.ids())
	return about.settled()
}

// settled reports whether something is done, told or asked on a sentence.
func (d *Decision) settled() bool { return d.Route == Local || d.Route == Ask }

// ids are those of all things of the house.
func (v *inventory) ids() []string {
	out := make([]string, len(v.house.Entities))
	for i := range v.house.Entities {
		out[i] = v.house.Entities[i].ID
	}
	return out
}
