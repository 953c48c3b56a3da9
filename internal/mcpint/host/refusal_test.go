package host

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// TestCallsSpareARefusedToken: neither calls nor something that comes back try a token once
// more that Home Assistant has refused; a person may.
func TestCallsSpareARefusedToken(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			asked.Add(1)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(web.Close)
	h, begin := hosted(t, tools.NewRegistry(), DefaultRetry(), mcpint.Server{ID: "assist", Trust: mcpint.TrustFull, Transport: "http", URL: web.URL + "/api/mcp", ConnectTimeout: long})
	begin()
	defer begin()
	ctx := patience(t)
	until(ctx, t, "the token is refused", func() bool { return h.Status()[0].ErrorMessage != nil })
	once := asked.Load()
	h.supervisors[0].requests.wakeUp()
	for range 3 {
		if _, err := h.supervisors[0].requestConnection(ctx); err == nil {
			t.Error("a connection with a refused token")
		}
	}
	if got := asked.Load(); got != once {
		t.Errorf("it was asked %d times, and then %d times", once, got)
	}
	if err := h.Retry(ctx, "assist"); err != nil {
		t.Fatal(err)
	}
	until(ctx, t, "a forced retry", func() bool { return asked.Load() > once })
}
