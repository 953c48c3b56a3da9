package names

// maxLetters bounds a compared word; longer ones are cut.
const maxLetters = 48

// edit is one minus the normalised distance between two words, counting a swap
// of neighbours as one change.
func edit(a, b string) float64 {
	a, b = a[:min(len(a), maxLetters)], b[:min(len(b), maxLetters)]
	longest := max(len(a), len(b))
	if longest == 0 {
		return 1
	}
	var rows [3][maxLetters + 1]int
	before, previous, current := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return 1 - float64(previous[len(b)])/float64(longest)
}

// jaroWinkler favours words with the same beginning.
func jaroWinkler(a, b string) float64 {
	a, b = a[:min(len(a), maxLetters)], b[:min(len(b), maxLetters)]
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var usedA, usedB [maxLetters]bool
	window := max(max(len(a), len(b))/2-1, 0)
	common := 0
	for i := range len(a) {
		for j := max(0, i-window); j < min(len(b), i+window+1); j++ {
			if !usedB[j] && a[i] == b[j] {
				usedA[i], usedB[j] = true, true
				common++
				break
			}
		}
	}
	if common == 0 {
		return 0
	}
	swaps, j := 0, 0
	for i := range len(a) {
		if !usedA[i] {
			continue
		}
		for !usedB[j] {
			j++
		}
		if a[i] != b[j] {
			swaps++
		}
		j++
	}
	c := float64(common)
	jaro := (c/float64(len(a)) + c/float64(len(b)) + (c-float64(swaps)/2)/c) / 3
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + 0.1*float64(prefix)*(1-jaro)
}

// likeliest is the most edit could give, from the lengths alone.
func likeliest(a, b string) float64 {
	longest := max(len(a), len(b))
	if longest == 0 {
		return 1
	}
	return float64(min(len(a), len(b))) / float64(longest)
}
