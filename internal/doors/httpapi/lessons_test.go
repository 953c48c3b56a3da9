package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"voicegateway/internal/doors"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// pupil is a double of a family's lessons: turn "1" can be kept, "2" cannot, and others
// do not exist.
type pupil struct{}

func (pupil) there(id string) error {
	switch id {
	case "1":
		return nil
	case "2":
		return fmt.Errorf("%w: it did nothing", doors.ErrConflict)
	}
	return doors.ErrNotFound
}

func (p pupil) Marks() []record.Mark { return []record.Mark{{ID: "1"}} }

func (p pupil) Mark(id string) (record.Mark, home.Snapshot, error) {
	return record.Mark{ID: id}, home.Snapshot{Areas: []home.Area{{Name: "Kitchen"}}}, p.there(id)
}

func (p pupil) Wrong(id, should string) (record.Mark, error) {
	return record.Mark{ID: id, Should: should}, p.there(id)
}

func (p pupil) Replay(_ context.Context, id string) (record.Replay, error) {
	return record.Replay{ID: id, Rightness: record.Wrong, Why: "it does the same as then"}, p.there(id)
}

func (p pupil) Unmark(id string) error { return p.there(id) }

func (p pupil) Wordings() []record.Wording { return []record.Wording{} }

func (p pupil) Remember(id string) (record.Wording, error) {
	return record.Wording{ID: id, Text: "make it cosy"}, p.there(id)
}

func (p pupil) Reword(id, text, area string) (record.Wording, error) {
	return record.Wording{ID: id, Text: text, Area: area}, p.there(id)
}

func (p pupil) Forget(id string) error { return p.there(id) }

func TestLessons(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Parts: doors.Parts{Lessons: pupil{}}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"marked":                    {"POST", "/api/turns/1/wrong", `{"should":" turn it off "}`, http.StatusOK, `"should":"turn it off"`},
		"without what should be":    {"POST", "/api/turns/1/wrong", `{}`, http.StatusOK, `"should":""`},
		"an unknown turn":           {"POST", "/api/turns/9/wrong", `{}`, http.StatusNotFound, ""},
		"another body":              {"POST", "/api/turns/1/wrong", `{"shall":1}`, http.StatusBadRequest, ""},
		"a story":                   {"POST", "/api/turns/1/wrong", `{"should":"` + strings.Repeat("la ", 3000) + `"}`, http.StatusBadRequest, ""},
		"kept":                      {"POST", "/api/turns/1/remember", `{}`, http.StatusCreated, `"text":"make it cosy"`},
		"kept without a body":       {"POST", "/api/turns/1/remember", "", http.StatusCreated, `"text":"make it cosy"`},
		"what cannot be kept":       {"POST", "/api/turns/2/remember", `{}`, http.StatusConflict, "it did nothing"},
		"run again":                 {"POST", "/api/turns/1/replay", `{}`, http.StatusOK, `"verdict":"wrong"`},
		"run again without a body":  {"POST", "/api/turns/1/replay", "", http.StatusOK, `"same":false`},
		"an unknown turn again":     {"POST", "/api/turns/9/replay", `{}`, http.StatusNotFound, ""},
		"a turn without words":      {"POST", "/api/turns/2/replay", `{}`, http.StatusConflict, "it did nothing"},
		"the marks":                 {"GET", "/api/marks", "", http.StatusOK, `[{"id":"1"`},
		"one mark with its house":   {"GET", "/api/marks/1", "", http.StatusOK, `"rooms":{"floors":null,"areas":[{"name":"Kitchen"`},
		"a mark that is not there":  {"GET", "/api/marks/9", "", http.StatusNotFound, ""},
		"no mark any more":          {"DELETE", "/api/marks/1", "", http.StatusNoContent, ""},
		"the wordings":              {"GET", "/api/wordings", "", http.StatusOK, `[]`},
		"another room":              {"PUT", "/api/wordings/1", `{"text":"movie time","area":"Bedroom"}`, http.StatusOK, `"area":"Bedroom"`},
		"no words":                  {"PUT", "/api/wordings/1", `{"text":" "}`, http.StatusBadRequest, ""},
		"forgotten":                 {"DELETE", "/api/wordings/1", "", http.StatusNoContent, ""},
		"forgotten what is unknown": {"DELETE", "/api/wordings/9", "", http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(tt.method, tt.path, tt.body, "Content-Type", "application/json")
			if tt.status == http.StatusNoContent {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code != tt.status || w.Body.Len() > 0 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				return
			}
			body := answered(t, s, r, tt.status)
			if !strings.Contains(body, tt.want) || !json.Valid([]byte(body)) {
				t.Errorf("%s, expected %s in it", body, tt.want)
			}
		})
	}
	// Forms of other sites cannot send this content type without being asked.
	for _, r := range []*http.Request{request("POST", "/api/turns/1/wrong", "{}", "Content-Type", "text/plain"), request("POST", "/api/turns/1/replay", "{}", "Content-Type", "text/plain"), request("PUT", "/api/wordings/1", `{"text":"x"}`)} {
		answered(t, s, r, http.StatusUnsupportedMediaType)
	}
	none := newServer(t, Config{}, &gateway{}, nil)
	answered(t, none, request("GET", "/api/wordings", ""), http.StatusServiceUnavailable)
}
