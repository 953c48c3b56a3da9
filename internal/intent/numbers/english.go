package numbers

var english = Language{
	Whole: wholeEnglish,
	Half:  []string{"and a half"},
	Point: []string{"point"},
	Minus: "minus",
}

var (
	englishSmall = [...]string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	}
	englishTens = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
)

// wholeEnglish spells 0 to 99,999.
func wholeEnglish(n int) []string {
	switch {
	case n < 0 || n > 99_999:
		return nil
	case n < 20:
		return []string{englishSmall[n]}
	case n < 100:
		tens := englishTens[n/10]
		if n%10 == 0 {
			return []string{tens}
		}
		return []string{tens + " " + englishSmall[n%10]}
	case n < 1000:
		return large(n, 100, "hundred")
	case n < 10_000 && n%100 == 0 && n%1000 != 0:
		return append(large(n, 1000, "thousand"), wholeEnglish(n / 100)[0]+" hundred")
	}
	return large(n, 1000, "thousand")
}

// large spells n as "<head> unit <rest>", with "a" for one and an optional "and".
func large(n, unit int, name string) []string {
	heads := []string{wholeEnglish(n / unit)[0] + " " + name}
	if n/unit == 1 {
		heads = append(heads, "a "+name)
	}
	if n%unit == 0 {
		return heads
	}
	var out []string
	for _, head := range heads {
		for _, rest := range wholeEnglish(n % unit) {
			out = append(out, head+" "+rest, head+" and "+rest)
		}
	}
	return out
}
