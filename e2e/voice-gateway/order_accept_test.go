//go:build accept

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	gohttp "net/http"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/record"
)

// ordersEach is how many pairs one gateway gets: of one source it takes 60 commands
// within a minute.
const (
	ordersEach     = 50
	ordersGateways = 4
)

// TestAcceptOrdersActAsTheyArrive gives 200 pairs of contrary orders right after each
// other, over HTTP on two connections and over MQTT: what the second says holds.
func TestAcceptOrdersActAsTheyArrive(t *testing.T) { //nolint:tparallel // it keeps the machine busy, and others hear in the time of sound
	for way, play := range map[string]func(*testing.T) (lost int){
		"asks and volumes over HTTP": orderedOverHTTP,
		"asks and volumes over MQTT": orderedOverMQTT,
		"mutes over HTTP":            mutedOverHTTP,
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			lost := 0
			for range ordersGateways {
				lost += play(t)
			}
			t.Logf("the second order did not hold in %d of %d pairs", lost, ordersGateways*ordersEach)
			if lost > 0 {
				t.Error("orders were swapped")
			}
		})
	}
}

// posted is what is posted to a path.
type posted struct{ path, body string }

func askedFor(level int, more string) posted {
	return posted{"/api/ask", fmt.Sprintf(`{"text":"set the volume to %d percent"%s}`, level, more)}
}

func setTo(level int) posted { return posted{"/api/volume", fmt.Sprintf(`{"level":%d}`, level)} }

// twoPosts posts two requests right after each other, each on a connection of its own.
func twoPosts(t *testing.T, address string) func(first, second posted) {
	t.Helper()
	var conns [2]net.Conn
	for i := range conns {
		var err error
		if conns[i], err = (&net.Dialer{}).DialContext(t.Context(), "tcp", address); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conns[i].Close() })
	}
	return func(first, second posted) {
		t.Helper()
		for i, r := range []posted{first, second} {
			if _, err := fmt.Fprintf(conns[i], "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", r.path, len(r.body), r.body); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range conns {
			_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
			resp, err := gohttp.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != gohttp.StatusOK {
				t.Fatalf("%s %s", resp.Status, body)
			}
		}
	}
}

func orderedOverHTTP(t *testing.T) (lost int) {
	t.Helper()
	_, address, _ := daemon(t, mosquitto(t), "VOICE_GATEWAY_TOOLS_VOLUME_BACKEND=software")
	post := twoPosts(t, address)
	for i := range ordersEach {
		low, high := 1+i, 51+i%50
		switch i % 4 {
		case 0:
			post(askedFor(low, ""), setTo(high))
		case 1:
			post(setTo(low), askedFor(high, ""))
		case 2:
			post(askedFor(low, `,"source":"page"`), askedFor(high, ""))
		default:
			post(setTo(low), setTo(high))
		}
		var now struct{ Level int }
		if err := get(t, address, "/api/volume", &now); err != nil {
			t.Fatal(err)
		}
		if now.Level != high {
			t.Logf("pair %d: %d, want %d", i, now.Level, high)
			lost++
		}
	}
	return lost
}

func mutedOverHTTP(t *testing.T) (lost int) {
	t.Helper()
	_, address, _ := daemon(t, mosquitto(t))
	post := twoPosts(t, address)
	for i := range ordersEach {
		on := i%2 == 0
		post(posted{"/api/mute", fmt.Sprintf(`{"on":%t}`, !on)}, posted{"/api/mute", fmt.Sprintf(`{"on":%t}`, on)})
		var now struct{ Muted bool }
		if err := get(t, address, "/api/mute", &now); err != nil {
			t.Fatal(err)
		}
		if now.Muted != on {
			lost++
		}
	}
	return lost
}

func orderedOverMQTT(t *testing.T) (lost int) {
	t.Helper()
	broker := mosquitto(t)
	daemon(t, broker, "VOICE_GATEWAY_TOOLS_VOLUME_BACKEND=software")
	host := listen(t, broker, "voice/test/#")
	eventually(t, "it is online", func() bool { return host.has("voice/test/availability", "online") })
	say := func(verb, id, members string) {
		t.Helper()
		if err := host.Publish(t.Context(), "voice/test/cmd/"+verb, fmt.Appendf(nil, `{"id":%q,%s}`, id, members)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range ordersEach {
		low, high := 1+i, 51+i%50
		ask, volume := `"text":"set the volume to %d percent"`, `"level":%d`
		if i%2 == 0 {
			say("ask", fmt.Sprintf("a%d", i), fmt.Sprintf(ask, low))
			say("volume", fmt.Sprintf("b%d", i), fmt.Sprintf(volume, high))
		} else {
			say("volume", fmt.Sprintf("a%d", i), fmt.Sprintf(volume, low))
			say("ask", fmt.Sprintf("b%d", i), fmt.Sprintf(ask, high))
		}
		question := fmt.Sprintf("q%d", i)
		say("ask", question, `"text":"what is the volume"`)
		reply := ""
		eventually(t, "the volume is told", func() bool {
			for _, m := range host.on("voice/test/turn") {
				var r record.Record
				if json.Unmarshal([]byte(m), &r) == nil && r.ID == question {
					reply = r.Reply
				}
			}
			return reply != ""
		})
		if !strings.Contains(reply, fmt.Sprintf(" %d ", high)) {
			t.Logf("pair %d: %q, want %d", i, reply, high)
			lost++
		}
	}
	return lost
}
