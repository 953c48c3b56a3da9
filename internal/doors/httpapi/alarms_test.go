package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/doors"
)

// alarms is a house with warnings.
type alarms struct{ seen []string }

// Acknowledge notes what was seen.
func (a *alarms) Acknowledge(_ context.Context, things []string) error {
	a.seen = append(a.seen, things...)
	return nil
}

// AcknowledgedThings are those that were seen.
func (a *alarms) AcknowledgedThings() []string { return append([]string{}, a.seen...) }

// guide has some sentences to suggest.
type guide []string

// Suggest returns them.
func (g guide) Suggest() []string { return g }

func TestAlarmsAndExamples(t *testing.T) {
	t.Parallel()
	house := &alarms{}
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Parts: doors.Parts{Alarms: house, Guide: guide{"turn on the lamp", "what time is it"}}, Page: shown{}}, quietly())
	if err != nil {
		t.Fatal(err)
	}
	many := `{"things":["x"` + strings.Repeat(`,"x"`, 1024) + `]}`
	for _, step := range []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{http.MethodGet, "/api/examples", "", http.StatusOK, `{"sentences":["turn on the lamp","what time is it"]}`},
		{http.MethodPost, "/api/alarms/seen", `{"things":["zw-1","zw-2"]}`, http.StatusOK, `{"things":["zw-1","zw-2"]}`},
		{http.MethodPost, "/api/alarms/seen", `{}`, http.StatusOK, `{"things":["zw-1","zw-2"]}`},
		{http.MethodPost, "/api/alarms/seen", many, http.StatusBadRequest, ""},
		{http.MethodPost, "/api/alarms/seen", `{"things":7}`, http.StatusBadRequest, ""},
	} {
		got := strings.TrimSuffix(answered(t, s, request(step.method, step.path, step.body), step.status), "\n")
		if step.answer != "" && got != step.answer {
			t.Errorf("%s %s: %s", step.path, step.body, got)
		}
	}
	if !slices.Equal(house.seen, []string{"zw-1", "zw-2"}) {
		t.Errorf("acknowledged are %q", house.seen)
	}
	s, err = New(Config{Listen: "127.0.0.1:0"}, Deps{Parts: doors.Parts{Guide: guide(nil)}, Page: shown{}}, quietly())
	if err != nil {
		t.Fatal(err)
	}
	if got := answered(t, s, request(http.MethodGet, "/api/examples", ""), http.StatusOK); strings.TrimSpace(got) != `{"sentences":[]}` {
		t.Errorf("without a sentence it answers %s", got)
	}
	answered(t, s, request(http.MethodPost, "/api/alarms/seen", `{"things":[]}`), http.StatusServiceUnavailable)
}
