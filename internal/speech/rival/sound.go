package rival

import (
	"math"
	"slices"
	"strings"

	"voicegateway/internal/edits"
)

// distance is how different two words or phrases sound: the least cost to make one
// of the pronunciations of one into one of the other's. A phone more or less costs
// 1, another phone less the more alike they are.
func distance(a, b [][]string) float64 {
	least := math.Inf(1)
	for _, p := range a {
		for _, q := range b {
			least = min(least, edits.Cost(p, q, exchange))
		}
	}
	return least
}

// alike are groups of phones that are taken for each other, with the cost of that.
// The names are those of the recogniser's model.
var alike = []struct {
	cost   float64
	phones []string
}{
	{0.3, strings.Fields("IH IY")},
	{0.3, strings.Fields("AA AO AH")},
	{0.3, strings.Fields("UH UW")},
	{0.3, strings.Fields("EH AE")},
	{0.3, strings.Fields("P B")},
	{0.3, strings.Fields("T D")},
	{0.3, strings.Fields("K G")},
	{0.3, strings.Fields("F V")},
	{0.3, strings.Fields("S Z")},
	{0.3, strings.Fields("TH DH")},
	{0.3, strings.Fields("CH JH SH ZH")},
	{0.3, strings.Fields("M N NG")},
	{0.6, strings.Fields("L R W Y")},
	{0.6, strings.Fields("P B T D K G")},
	{0.6, strings.Fields("F V S Z TH DH CH JH SH ZH HH")},
	{0.6, strings.Fields("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW")},
}

const vowels = "AEIOU"

// exchange is the cost of one phone in place of another.
func exchange(p, q string) float64 {
	if p == q {
		return 0
	}
	for _, g := range alike {
		if slices.Contains(g.phones, p) && slices.Contains(g.phones, q) {
			return g.cost
		}
	}
	if p != "" && q != "" && strings.Contains(vowels, p[:1]) != strings.Contains(vowels, q[:1]) {
		return 2
	}
	return 1
}
