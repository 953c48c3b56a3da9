package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// TestControl: an act without words is answered with its proof, or with what is wrong.
func TestControl(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{}, &gateway{}, nil)
	const proof = `{"device":"Lamp","property":"on_off","value":"on","confirmed":true,"ms":0,"outcome":"confirmed","reason":""}`
	for body, want := range map[string]struct {
		status int
		answer string
	}{
		`{"thing":"lamp","do":"on"}`:                                           {http.StatusOK, `{"turn":"t-1","thing":"lamp","outcome":"done","receipt":` + proof + `,"state":"on","level":40,"said":"The lamp is on.","error":""}`},
		`{"thing":" lamp ","do":"LEVEL","value":40,"source":"page"}`:           {http.StatusOK, ""},
		`{"thing":"lamp","do":"on","group":"all"}`:                             {http.StatusOK, ""},
		`{"thing":"lamp","do":"on","confirmed":true}`:                          {http.StatusOK, ""},
		`{"thing":"lamp","do":"on","group":"` + strings.Repeat("g", 65) + `"}`: {http.StatusBadRequest, ""},
		`{"thing":"dead","do":"on"}`:                                           {http.StatusOK, `{"turn":"t-1","thing":"dead","outcome":"failed","receipt":{"device":"Lamp","property":"on_off","value":"on","confirmed":false,"ms":0,"outcome":"no_answer","reason":""},"state":null,"level":null,"said":"I can't reach the lamp.","error":"no answer"}`},
		`{"thing":"nothing","do":"on"}`:                                        {http.StatusNotFound, ""},
		`{"thing":"stone","do":"on"}`:                                          {http.StatusBadRequest, ""},
		`{"thing":"","do":"on"}`:                                               {http.StatusBadRequest, ""},
		`{"thing":"lamp"}`:                                                     {http.StatusBadRequest, ""},
		`{"thing":"lamp","do":"on","source":"mic"}`:                            {http.StatusBadRequest, ""},
		`{"thing":"lamp","do":"on","why":"x"}`:                                 {http.StatusBadRequest, ""},
	} {
		got := answered(t, s, request(http.MethodPost, "/api/control", body), want.status)
		if want.answer != "" && got != want.answer+"\n" && got != want.answer {
			t.Errorf("%s: %s", body, got)
		}
	}
}
