package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/keep/record"
)

// past has more happenings than one request lists, one a second.
type past struct{ asked string }

// Happened lists them.
func (p *past) Happened(from, to time.Time, area string) (all []record.Happening) {
	p.asked = fmt.Sprintf("%s %s %s", from.UTC().Format(time.DateTime), to.UTC().Format(time.DateTime), area)
	for i := range doors.MostHappened + 10 {
		all = append(all, record.Happening{Time: time.Unix(int64(i), 0), Kind: record.HasReported, Name: fmt.Sprint(i), Said: "on", By: record.ByItself})
	}
	return all
}

// TestWhatHappenedIsListed checks the order, the bound and the questions.
func TestWhatHappenedIsListed(t *testing.T) {
	t.Parallel()
	house := &past{}
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Parts: doors.Parts{Past: house}, Page: shown{}}, quietly())
	if err != nil {
		t.Fatal(err)
	}
	got := answered(t, s, request(http.MethodGet, "/api/happened?from=2026-01-31T19:00:00%2B01:00&to=2026-01-31T20:00:00Z&area=Living+Room", ""), http.StatusOK)
	if want := "2026-01-31 18:00:00 2026-01-31 20:00:00 Living Room"; house.asked != want {
		t.Errorf("it asks for %q, want %q", house.asked, want)
	}
	if n := strings.Count(got, `"time"`); n != doors.MostHappened {
		t.Errorf("%d are listed", n)
	}
	if first, newest := strings.Index(got, `"name":"11"`), strings.Index(got, fmt.Sprintf(`"name":"%d"`, doors.MostHappened+9)); newest < 0 || first < newest {
		t.Errorf("the newest is at %d, another one at %d", newest, first)
	}
	answered(t, s, request(http.MethodGet, "/api/happened", ""), http.StatusOK)
	answered(t, s, request(http.MethodGet, "/api/happened?from=seven", ""), http.StatusBadRequest)
	answered(t, s, request(http.MethodGet, "/api/happened?to=seven", ""), http.StatusBadRequest)
}
