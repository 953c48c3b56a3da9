package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/keep/record"
)

// TestAsksFromEverywhereAtOnce: sixteen over HTTP and MQTT together, some about
// the same lamp; each gets its own answer.
func TestAsksFromEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, http, _ := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
	texts := []string{"what time is it", "turn on the kitchen light", "is the kitchen light on", "turn on the office light"}
	var wg sync.WaitGroup
	for i := range 16 {
		text := texts[i/2%len(texts)]
		if i%2 == 0 {
			stranger.say(t, "ask", fmt.Sprintf(`{"id":"p%d","text":%q}`, i, text))
			continue
		}
		wg.Go(func() {
			if r, err := tryAsk(t, http, text); err != nil || r.Outcome != record.Done || r.Transcript.Text != text || !sentence(r.Reply) {
				t.Errorf("%q over HTTP: %+v, %v", text, r, err)
			}
		})
	}
	wg.Wait()
	for i := 0; i < 16; i += 2 {
		id, text := fmt.Sprintf(`"id":"p%d"`, i), texts[i/2%len(texts)]
		eventually(t, "the turn is told", func() bool { return stranger.has("voice/test/turn", id) })
		if !stranger.has("voice/test/turn", id, text, `"outcome":"done"`) {
			t.Errorf("%q over MQTT was not done: %q", text, stranger.on("voice/test/turn"))
		}
	}
	if errs := stranger.on("voice/test/cmd/error"); len(errs) > 0 {
		t.Errorf("refused: %q", errs)
	}
}

// holdings are what a process must not pile up.
type holdings struct{ files, threads, memory int }

func holdingsOf(t *testing.T, pid int) holdings {
	t.Helper()
	dir := "/proc/" + strconv.Itoa(pid)
	files, err := os.ReadDir(dir + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	h := holdings{files: len(files)}
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "Threads:":
			h.threads, _ = strconv.Atoi(fields[1])
		case "VmRSS:":
			h.memory, _ = strconv.Atoi(fields[1])
		}
	}
	return h
}

// TestAThousandAsksInARow: sent as fast as the broker takes them, each is
// answered once, and nothing piles up.
func TestAThousandAsksInARow(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	c, _, _ := daemon(t, broker, "GOGC=") // its own pace, because its memory is compared
	stranger := listen(t, broker)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	round := func(name string, n int) {
		before := len(stranger.on("voice/test/turn"))
		for i := range n {
			stranger.say(t, "ask", fmt.Sprintf(`{"id":"%s%d","text":"what time is it"}`, name, i))
		}
		eventually(t, "all are answered", func() bool { return len(stranger.on("voice/test/turn")) >= before+n })
	}
	round("warm", 100)
	before := holdingsOf(t, c.Process.Pid)
	round("row", 1000)
	seen := map[string]int{}
	for _, payload := range stranger.on("voice/test/turn") {
		var r record.Record
		if err := json.Unmarshal([]byte(payload), &r); err != nil {
			t.Fatal(err)
		}
		if seen[r.ID]++; r.Outcome != record.Done || seen[r.ID] > 1 {
			t.Errorf("%s, told %d times: %+v", r.ID, seen[r.ID], r)
		}
	}
	if len(seen) != 1100 {
		t.Errorf("%d of 1100 were answered", len(seen))
	}
	after := holdingsOf(t, c.Process.Pid)
	t.Logf("before %+v, after %+v", before, after)
	if after.files > before.files+10 || after.threads > before.threads+10 || after.memory > 2*before.memory+16<<10 {
		t.Errorf("it piles up: %+v before, %+v after", before, after)
	}
}
