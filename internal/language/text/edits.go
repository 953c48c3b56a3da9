package text

// Cost is the least cost to make b of a. An item more or less costs 1, another one in
// its place what exchange says, which is 0 for equal ones.
func Cost[E any](a, b []E, exchange func(p, q E) float64) float64 {
	row := make([]float64, len(b)+1) // of costs from the items of a so far to each beginning of b
	for j := range row {
		row[j] = float64(j)
	}
	for i, p := range a {
		before := row[0]
		row[0] = float64(i + 1)
		for j, q := range b {
			change := before + exchange(p, q)
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Unlikeness is the share of letters in which two texts differ: 0 for the same text,
// 1 for nothing in common.
func Unlikeness(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	longest := max(len(x), len(y))
	if longest == 0 {
		return 0
	}
	return Cost(x, y, whole) / float64(longest)
}

// Distance counts the letters to insert, delete or replace to make b of a: the distance
// of Levenshtein.
func Distance(a, b string) int {
	if a == b {
		return 0
	}
	return int(Cost([]rune(a), []rune(b), whole))
}

// whole is the cost of an exchange where every letter differs from every other one alike.
func whole(p, q rune) float64 {
	if p == q {
		return 0
	}
	return 1
}
