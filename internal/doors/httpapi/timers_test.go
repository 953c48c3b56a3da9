package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// book is a real book behind the routes, whose clock stands at noon.
type book struct {
	mu     sync.Mutex
	book   *timers.Book
	reason timers.Reason // every request is refused with this reason; "": none is refused
}

func (b *book) opened() *timers.Book {
	if b.book == nil {
		b.book = timers.Open(timers.Saved{}, noon)
	}
	return b.book
}

var noon = timers.Moment{Wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}

func (b *book) Timers() []timers.Timer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opened().List(timers.Which{}, "", noon).Timers
}

func (b *book) Do(_ context.Context, r timers.Request) timers.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.reason != "":
		return timers.Result{Outcome: timers.Refused, Reason: b.reason, Timers: []timers.Timer{}}
	case r.Starts():
		return b.opened().Start(r.Wish(), noon)
	}
	return b.opened().Change(r.Change(), noon)
}

func TestTimers(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{}, &gateway{}, nil)
	for _, step := range []struct {
		name   string
		r      *http.Request
		status int
		want   string
	}{
		{"none", request("GET", "/api/timers", ""), 200, "[]\n"},
		{"start", request("POST", "/api/timers", `{"seconds":540,"name":"pasta","area":"Den"}`), 201, `"id":"timer-1","kind":"timer","name":"pasta","text":"","command":"","area":"Den","state":"running","due":"2026-03-01T12:09:00Z","left":540`},
		{"start an alarm", request("POST", "/api/timers", `{"action":"start","at":"07:00","every":"weekday"}`), 201, `"kind":"alarm"`},
		{"start a reminder", request("POST", "/api/timers", `{"at":"18:00","day":"tomorrow","text":"call mum"}`), 201, `"due":"2026-03-02T18:00:00Z"`},
		{"start a command", request("POST", "/api/timers", `{"seconds":60,"command":"turn off the lamp"}`), 201, `"kind":"command"`},
		{"list", request("GET", "/api/timers", ""), 200, `"id":"timer-4"`},
		{"add", request("POST", "/api/timers", `{"action":"add","timer":"timer-1","seconds":60}`), 200, `"outcome":"changed"`},
		{"pause", request("POST", "/api/timers", `{"action":"pause","name":"pasta"}`), 200, `"state":"paused","left":600`},
		{"stop in silence", request("POST", "/api/timers", `{"action":"stop"}`), 409, "Nothing rings."},
		{"cancel, no such", request("POST", "/api/timers", `{"action":"cancel","timer":"timer-9"}`), 404, "No timer is like that"},
		{"shake", request("POST", "/api/timers", `{"action":"shake"}`), 400, "The action is"},
		{"no time", request("POST", "/api/timers", `{"name":"pasta"}`), 400, "Give either seconds"},
		{"no such day", request("POST", "/api/timers", `{"at":"07:00","day":"someday"}`), 400, "HH:MM"},
		{"half a second", request("POST", "/api/timers", `{"seconds":0.5}`), 400, "JSON object"},
		{"a strange member", request("POST", "/api/timers", `{"seconds":5,"confirmed":true}`), 400, "confirmed"},
		{"a form", request("POST", "/api/timers", `{"seconds":5}`, "Content-Type", "text/plain"), 415, "application/json"},
		{"delete nothing", request("DELETE", "/api/timers", ""), 400, "all=1"},
		{"delete all and one", request("DELETE", "/api/timers?all=1&name=pasta", ""), 400, "all=1"},
		{"delete from elsewhere", request("DELETE", "/api/timers?all=1", "", "Origin", "https://evil.example"), 403, "other sites"},
		{"delete one", request("DELETE", "/api/timers?timer=timer-1", ""), 200, `"outcome":"cancelled"`},
		{"delete it again", request("DELETE", "/api/timers?timer=timer-1", ""), 404, "There are:"},
		{"delete all", request("DELETE", "/api/timers?all=1", ""), 200, `"id":"timer-2"`},
		{"none again", request("GET", "/api/timers", ""), 200, "[]\n"},
		{"delete none", request("DELETE", "/api/timers?all=1", ""), 404, "There are no timers."},
	} {
		if body := answered(t, s, step.r, step.status); !strings.Contains(body, step.want) {
			t.Errorf("%s: answer %s, want %s", step.name, body, step.want)
		}
	}
}

func TestTimersThatAreRefused(t *testing.T) {
	t.Parallel()
	for reason, status := range map[timers.Reason]int{
		timers.TooOften: 429, timers.IsDangerous: 409, timers.NotUnderstood: 409, timers.ManyDevices: 409, timers.TooMany: 409,
	} {
		s := newServer(t, Config{}, &gateway{}, nil)
		s.deps.Timers.(*book).reason = reason
		answered(t, s, request("POST", "/api/timers", `{"seconds":5,"command":"x"}`), status)
	}
	s := newServer(t, Config{}, &gateway{}, nil)
	s.deps.Timers.(*book).reason = timers.NoBell
	answered(t, s, request("POST", "/api/timers", `{"seconds":5}`), 503)
	s.deps.Timers = nil
	bare, err := New(Config{Listen: "127.0.0.1:0"}, Deps{}, s.log)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		answered(t, bare, request(method, "/api/timers", "{}"), 503)
	}
}

// Whatever is sent, the answer is a result or a problem, and the book stays sound.
func FuzzTimers(f *testing.F) {
	for _, body := range []string{
		`{"seconds":540,"name":"pasta"}`, `{"at":"07:00","every":"weekday","day":"2026-02-30"}`, `{"action":"add","seconds":-1}`,
		`{"seconds":9223372036854775807}`, `{"action":"snooze","timer":"\u0000"}`, `{"kind":"command","command":"` + "\x1b" + `","seconds":1}`, `null`, `[`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s := newServer(t, Config{}, &gateway{}, nil)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, request("POST", "/api/timers", body))
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		list := s.deps.Timers.Timers()
		if (w.Code == http.StatusCreated) != (len(list) == 1) {
			t.Errorf("status %d, and %d timers", w.Code, len(list))
		}
		for _, timer := range list {
			if timer.Left < 1 || timer.Left > int(timers.Longest/time.Second) || strings.ContainsAny(timer.Name+timer.Text+timer.Command+timer.Area, "\x00\n\x1b") {
				t.Errorf("kept %+v", timer)
			}
		}
	})
}
