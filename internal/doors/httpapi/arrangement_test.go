package httpapi

import (
	"log/slog"
	"net/http"
	"testing"

	"voicegateway/internal/doors"
	"voicegateway/internal/keep/family"
)

func TestArrangement(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Parts: doors.Parts{Arranger: family.NewArranger(t.TempDir(), quiet)}, Page: shown{}}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		method, body string
		status       int
		answer       string
	}{
		{http.MethodGet, "", http.StatusOK, `{"rooms":[],"hidden":[]}`},
		{http.MethodPost, `{"rooms":["Kitchen"],"hidden":["zw-1"]}`, http.StatusOK, `{"rooms":["Kitchen"],"hidden":["zw-1"]}`},
		{http.MethodPost, `{"rooms":[""]}`, http.StatusBadRequest, ""},
		{http.MethodPost, `{"walls":[]}`, http.StatusBadRequest, ""},
		{http.MethodGet, "", http.StatusOK, `{"rooms":["Kitchen"],"hidden":["zw-1"]}`},
	} {
		got := answered(t, s, request(step.method, "/api/arrangement", step.body), step.status)
		if step.answer != "" && got != step.answer && got != step.answer+"\n" {
			t.Errorf("%s %s: %s", step.method, step.body, got)
		}
	}
}
