package names

// Knows reports whether the words, as they are, make up a name or a part of
// names.
func (x *Index) Knows(heard string) bool {
	if len(heard) > maxBytes {
		return false
	}
	items, _, _ := x.literal(x.phrase(heard).words, nil)
	return len(items) > 0
}
