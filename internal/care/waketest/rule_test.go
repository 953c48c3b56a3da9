package waketest

import (
	"strings"
	"testing"
)

// The rule, case by case.
func TestPropose(t *testing.T) {
	for name, tt := range map[string]struct {
		published float64
		tries     []float64
		rest      float64
		want      float64 // 0: none
		reason    string
	}{
		"the author's":         {0.97, []float64{0.99, 0.996}, 0.1, 0.97, "author"},
		"one is missed":        {0.97, []float64{0.99, 0.9, 0.99}, 0.1, 0.85, "try 2 has 0.90"},
		"one is nearly missed": {0.97, []float64{0.99, 0.975}, 0.1, 0.92, "try 2"},
		"noise near the word":  {0.97, []float64{0.9}, 0.7, 0.85, "try 1"},
		"pushed up by noise":   {0.5, []float64{0.9}, 0.7, 0.8, "came up to 0.70"},
		"overlap":              {0.97, []float64{0.9}, 0.76, 0, "no threshold tells them apart"},
		"not heard at all":     {0.97, []float64{0.99, 0.02}, 0.01, 0, "try 2"},
		"too easy":             {0.97, []float64{0.5}, 0.0, 0, "by themselves"},
		"an easy model":        {0.5, []float64{0.7}, 0.0, 0.5, "author"},
		"no tries":             {0.97, nil, 0, 0, "nothing was heard"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Result{Word: "hey jarvis", Published: tt.published, Rest: tt.rest}
			for _, best := range tt.tries {
				r.Tries = append(r.Tries, Try{Best: best})
			}
			r.propose()
			got := 0.0
			if r.Proposed != nil {
				got = *r.Proposed
				if r.Lines() == "" || !strings.HasPrefix(r.Lines(), "wake:\n  thresholds: {hey jarvis: 0.") {
					t.Errorf("to paste: %s", r.Lines())
				}
			}
			if got != tt.want || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("proposed %g (%s), expected %g (%s)", got, r.Reason, tt.want, tt.reason)
			}
		})
	}
}
