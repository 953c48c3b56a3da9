package names

// Knows reports whether the words make up a name or a part of names, without any
// correction.
func (x *Index) Knows(heard string) bool {
	if len(heard) > maxBytes {
		return false
	}
	items, _, _ := x.literal(x.phrase(heard).words, nil)
	return len(items) > 0
}
