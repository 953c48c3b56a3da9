package names

// Knows reports whether the words are a name, or a part of names, as they are.
func (x *Index) Knows(heard string) bool {
	if len(heard) > maxBytes {
		return false
	}
	items, _, _ := x.literal(x.phrase(heard).words, nil)
	return len(items) > 0
}
