package waketest

import (
	"fmt"
	"math"
	"strings"
)

// Numbers of the rule. A model gives a probability for every moment, and a word is heard
// when the probability is above the threshold. So the threshold belongs between the worst
// of the tries and the best score of everything else. It is
//
//   - the one that the model's author gives, if every try is above it by sure: it was
//     chosen by the false alarms of days, which no test of a minute can show;
//   - else underTry below the lowest try, because no person says it ten times in the same way;
//   - at least overRest above all sound that was no try;
//   - never below leastProposed, where noises begin to wake the gateway by themselves.
//
// If the tries and the rest are closer together than both margins, there is no such
// threshold, and none is proposed.
const (
	sure          = 0.01
	underTry      = 0.05
	overRest      = 0.10
	leastProposed = 0.50
)

// Result is what the test found out.
type Result struct {
	Word      string   `json:"word"`
	Model     string   `json:"model"`
	Published float64  `json:"published"` // the threshold the model's author gives
	Threshold float64  `json:"threshold"` // the one in use
	Tries     []Try    `json:"tries"`
	Rest      float64  `json:"rest"`     // the best score of everything that was no try
	Proposed  *float64 `json:"proposed"` // null: no threshold can be proposed
	Reason    string   `json:"reason"`   // why this threshold, or why none is proposed
}

// Try is one time at which the user said the word.
type Try struct {
	Best  float64 `json:"best"`  // score
	Wakes bool    `json:"wakes"` // with the threshold in use
}

// propose applies the rule.
func (r *Result) propose() {
	refuse := func(format string, args ...any) { r.Proposed, r.Reason = nil, fmt.Sprintf(format, args...) }
	if len(r.Tries) == 0 {
		refuse("nothing was heard that could be the word")
		return
	}
	number, low := r.lowest()
	if low-r.Rest < underTry+overRest {
		refuse("try %d has %.2f and what was no try came up to %.2f: no threshold tells them apart; "+
			"speak nearer to the microphone, take another word, or turn down what else is heard", number, low, r.Rest)
		return
	}
	p := r.Published
	if low < r.Published+sure {
		p = hundredths(low-underTry, math.Floor)
	}
	p = max(p, hundredths(r.Rest+overRest, math.Ceil))
	if least := min(leastProposed, r.Published); p < least {
		refuse("try %d has %.2f, and a threshold below %.2f would let noises wake the gateway by themselves; "+
			"speak nearer to the microphone, or take another word", number, low, least)
		return
	}
	r.Proposed = &p
	switch {
	case p == r.Published:
		r.Reason = "the author's own threshold hears every try"
	case p < r.Published:
		r.Reason = fmt.Sprintf("try %d has %.2f, less %.2f", number, low, underTry)
	default:
		r.Reason = fmt.Sprintf("what was no try came up to %.2f, more %.2f", r.Rest, overRest)
	}
}

// lowest returns the number of the worst try, counted from 1, and its score.
func (r *Result) lowest() (number int, best float64) {
	for i, t := range r.Tries {
		if i == 0 || t.Best < best {
			number, best = i+1, t.Best
		}
	}
	return number, best
}

// hundredths rounds to two decimals, as a person would write in a configuration. It
// first rounds away tiny errors of floating point, which could make 0.95 into 0.94.
func hundredths(x float64, round func(float64) float64) float64 {
	return round(math.Round(x*1e6)/1e4) / 100
}

// Lines returns the configuration to paste.
func (r *Result) Lines() string {
	return fmt.Sprintf("wake:\n  thresholds: {%s: %s}", r.Word, strings.TrimRight(fmt.Sprintf("%.2f", *r.Proposed), "0"))
}
