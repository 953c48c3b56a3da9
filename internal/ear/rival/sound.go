package rival

import (
	"math"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/language/text"
)

// Distance is how different two words or phrases sound, each given by all of its
// pronunciations in phones: the least cost of turning a pronunciation of one into a
// pronunciation of the other. A missing or additional phone costs 1; a replaced phone
// costs less the more alike the two are. A word without a pronunciation is infinitely far.
func Distance(a, b [][]string) float64 { return Within(a, b, math.Inf(1)) }

// Within is Distance where that is at most so much, else infinite; it is faster.
func Within(a, b [][]string, most float64) float64 {
	least := math.Inf(1)
	for _, p := range a {
		for _, q := range b {
			if math.Abs(float64(len(p)-len(q))) > most { // as many phones more cost that already
				continue
			}
			x, y := differing(p, q)
			least = min(least, text.Cost(x, y, exchange))
		}
	}
	if least > most {
		return math.Inf(1)
	}
	return least
}

// differing is what two pronunciations are without the phones they begin and end with in
// common: those cost nothing.
func differing(p, q []string) (x, y []string) {
	for len(p) > 0 && len(q) > 0 && p[0] == q[0] {
		p, q = p[1:], q[1:]
	}
	for len(p) > 0 && len(q) > 0 && p[len(p)-1] == q[len(q)-1] {
		p, q = p[:len(p)-1], q[:len(q)-1]
	}
	return p, q
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

// prices has the cost of one phone in place of another, for all of the groups.
var prices = sync.OnceValue(func() map[[2]string]float64 {
	all := map[[2]string]float64{}
	for _, one := range alike {
		for _, other := range alike {
			for _, p := range one.phones {
				for _, q := range other.phones {
					all[[2]string{p, q}] = price(p, q)
				}
			}
		}
	}
	return all
})

// exchange is the cost of one phone in place of another.
func exchange(p, q string) float64 {
	if cost, known := prices()[[2]string{p, q}]; known {
		return cost
	}
	return price(p, q)
}

func price(p, q string) float64 {
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
