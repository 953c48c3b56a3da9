package gateway

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/ear"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/tools"
)

// Events are published in order, and a partial transcript only when it has changed.
func TestTheStreamTellsATurn(t *testing.T) {
	g := assembled(t)
	srv := httptest.NewServer(g.http)
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var telling sync.WaitGroup
	telling.Go(func() { _ = g.stream.TellServers(ctx) })
	defer telling.Wait()
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/api/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()

	g.observer.StateChanged(ear.Listening)
	for _, text := range []string{"", "turn", "turn", "turn on", ""} {
		g.observer.Hearing(ear.Hearing{Turn: "t-1", Level: -30, Partial: speech.Partial{Text: text}})
	}
	g.observer.TurnEnded(record.Record{ID: "t-1", Verdict: record.Verdict{Outcome: record.Done, Calls: []record.CallMade{
		{Tool: "x", Receipt: &record.Receipt{Device: "Lamp", Property: "on_off", Value: "on", Outcome: tools.Confirmed}}, {Tool: "y"},
	}}})
	var told []string
	kind := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan() && !slices.Contains(told, "turn"); {
		if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kind = k
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
		case kind == "turn" && strings.Contains(data, `"id":"t-1"`):
			told = append(told, "turn")
		case kind != "server":
			told = append(told, kind+" "+data)
		case !strings.Contains(data, `"id":"zwave"`):
			t.Errorf("a server's event: %s", data)
		}
	}
	want := []string{
		`hello {"resumed":false}`, `state {"state":"idle","recorder":"off"}`, `alarms {"seen":[]}`, `state {"state":"listening","recorder":"off"}`, `partial {"text":"turn"}`, `partial {"text":"turn on"}`, `partial {"text":""}`,
		`device {"device":"Lamp","property":"on_off","value":"on","confirmed":true,"turn":"t-1"}`, "turn",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told: %q\nwant: %q", told, want)
	}
}
