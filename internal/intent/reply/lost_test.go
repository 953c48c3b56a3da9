package reply_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// whyLost are the errors of readings by their names in the golden file.
var whyLost = map[string]error{
	"not connected": tools.ErrNotConnected,
	"no answer":     tools.ErrNoAnswer,
	"too late":      context.DeadlineExceeded,
	"no time":       tools.ErrNotAsked,
}

// TestALostReadingIsNoAct: the reply to a question whose only reading got no answer names
// what cannot be reached. If the server is away, for which no thing is to blame, it says
// that the house is out of reach; it never says that nothing was done. A question about
// many things may run out of time before it has asked all of them; that is not held
// against those.
func TestALostReadingIsNoAct(t *testing.T) {
	t.Parallel()
	manors := map[string]asker{}
	for _, language := range sentences.Languages() {
		manors[language] = manorIn(t, language)
	}
	golden := fake.ReadProse(t, "testdata/lost.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		a, why := manors[language], whyLost[c.Given["why"]]
		if why == nil {
			t.Errorf("%s: there is no error %q in whyLost", c.Name, c.Given["why"])
			return ""
		}
		steps, err := plan.Calls(a.match.Match(asked, ""), a.house, "")
		if err != nil {
			t.Errorf("%s: %q: %v", language, asked, err)
			return ""
		}
		noTime := errors.Is(why, tools.ErrNotAsked)
		results, errs := make([]tools.Result, len(steps)), make([]error, len(steps))
		for i := range steps {
			e := steps[i].Entity
			if noTime && e != nil {
				state := cmp.Or(map[string]string{"lock": "locked", "light": "off", "switch": "off"}[e.Domain], "closed")
				results[i] = tools.Result{Data: []byte(`{"state":"` + state + `","reachable":true}`)}
			}
			if e == nil || noTime && e.Opening() == 0 {
				continue
			}
			errs[i] = fmt.Errorf("reading: %w", why)
			results[i] = tools.Result{Failed: true, Text: a.p.Apology(errs[i])}
			if noTime {
				break
			}
		}
		got := a.p.SayResults(steps, results, errs...)
		if noTime && strings.Contains(got, "reach") {
			t.Errorf("%s: %q blames a thing that was not asked", language, got)
		}
		return got
	})
	golden.Compare(t, *update)
}
