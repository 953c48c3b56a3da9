package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/keep/record"
)

// post is a request as it is written to a connection.
type post struct{ path, body string }

// commanded is a gateway that is commanded over HTTP, on two connections, and over MQTT.
type commanded struct {
	*testing.T
	*Gateway
	conns [2]net.Conn
	bus   *mqtt.Client
	turns chan record.Record
	n     int
}

func command(t *testing.T) *commanded {
	t.Helper()
	cfg := Default()
	cfg.Gateway.StateDir = t.TempDir()
	cfg.HTTP.Listen, cfg.MQTT.Embedded.Listen = fake.FreeAddr(t), fake.FreeAddr(t)
	cfg.Tools.Volume.Backend = "software"
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	looping(t, g)
	c := &commanded{T: t, Gateway: g, turns: make(chan record.Record, 1024)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	if err := g.http.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	stop := g.startLink(ctx)
	t.Cleanup(stop)
	running.Go(func() { _ = g.http.Run(ctx) })
	running.Go(func() { _ = g.obey(ctx) })
	if c.bus, err = mqtt.New(mqtt.Config{URL: "mqtt://" + cfg.MQTT.Embedded.Listen}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	running.Go(func() { _ = c.bus.Run(ctx) })
	there := make(chan struct{})
	seen := sync.OnceFunc(func() { close(there) })
	for topic, heard := range map[string]func([]byte){
		"turn": func(payload []byte) {
			var r record.Record
			if json.Unmarshal(payload, &r) == nil {
				c.turns <- r
			}
		},
		"cmd/error":    func(payload []byte) { t.Errorf("refused: %s", payload) },
		"availability": func([]byte) { seen() },
	} {
		if err := c.bus.AwaitConnected(ctx); err != nil {
			t.Fatal(err)
		}
		if err := c.bus.Subscribe(ctx, "voice/"+cfg.Gateway.ID+"/"+topic, func(_ string, payload []byte, _ bool) { heard(payload) }); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-there:
	case <-time.After(2 * time.Minute):
		t.Fatal("the gateway is not online")
	}
	for i := range c.conns {
		if c.conns[i], err = (&net.Dialer{}).DialContext(ctx, "tcp", cfg.HTTP.Listen); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.conns[i].Close() })
	}
	return c
}

// web writes two requests right after each other, each on its connection, and waits for
// both answers.
func (c *commanded) web(both [2]post) {
	c.Helper()
	for i, p := range both {
		if _, err := fmt.Fprintf(c.conns[i], "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", p.path, len(p.body), p.body); err != nil {
			c.Fatal(err)
		}
	}
	for i := range both {
		_ = c.conns[i].SetReadDeadline(time.Now().Add(2 * time.Minute))
		resp, err := http.ReadResponse(bufio.NewReader(c.conns[i]), nil)
		if err != nil {
			c.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			c.Fatalf("%s: %s %s, %v", both[i].path, resp.Status, body, err)
		}
	}
}

// publish publishes commands right after each other, and then asks how loud it is. It
// returns the answer.
func (c *commanded) publish(commands ...post) string {
	c.Helper()
	commands = append(commands, post{"ask", `{"text":"what is the volume"}`})
	id := ""
	for _, m := range commands {
		c.n++
		id = "c" + strconv.Itoa(c.n)
		payload := fmt.Sprintf(`{"id":%q,%s`, id, m.body[1:])
		if err := c.bus.Publish(c.Context(), "voice/"+c.cfg.Gateway.ID+"/cmd/"+m.path, []byte(payload)); err != nil {
			c.Fatal(err)
		}
	}
	for deadline := time.After(2 * time.Minute); ; {
		select {
		case r := <-c.turns:
			if r.ID == id {
				return r.Reply
			}
		case <-deadline:
			c.Fatal("the question has no answer")
		}
	}
}

// The two commands of a pair, in either order: what is asked, and what is set.
func loudnessAsked(level int) string {
	return fmt.Sprintf(`{"text":"set the volume to %d percent"}`, level)
}
func loudnessSet(level int) string { return fmt.Sprintf(`{"level":%d}`, level) }

// TestOrdersActAsTheyArrive gives pairs of contrary orders right after each other, on
// two connections and over MQTT: what the second says holds.
func TestOrdersActAsTheyArrive(t *testing.T) {
	t.Parallel()
	const pairs = 40 // of one source no more than 60 commands within a minute are taken
	for _, way := range []struct {
		name string
		play func(c *commanded, low, high int, mute bool) (right bool, now string)
	}{
		{"two asks over HTTP", func(c *commanded, low, high int, _ bool) (bool, string) {
			c.web([2]post{{"/api/ask", `{"source":"page",` + loudnessAsked(low)[1:]}, {"/api/ask", loudnessAsked(high)}})
			return c.loud(high)
		}},
		{"two volumes over HTTP", func(c *commanded, low, high int, _ bool) (bool, string) {
			c.web([2]post{{"/api/volume", loudnessSet(low)}, {"/api/volume", loudnessSet(high)}})
			return c.loud(high)
		}},
		{"an ask and a volume over HTTP", func(c *commanded, low, high int, _ bool) (bool, string) {
			c.web([2]post{{"/api/ask", loudnessAsked(low)}, {"/api/volume", loudnessSet(high)}})
			return c.loud(high)
		}},
		{"a volume and an ask over HTTP", func(c *commanded, low, high int, _ bool) (bool, string) {
			c.web([2]post{{"/api/volume", loudnessSet(low)}, {"/api/ask", loudnessAsked(high)}})
			return c.loud(high)
		}},
		{"two mutes over HTTP", func(c *commanded, _, _ int, mute bool) (bool, string) {
			c.web([2]post{{"/api/mute", fmt.Sprintf(`{"on":%t}`, !mute)}, {"/api/mute", fmt.Sprintf(`{"on":%t}`, mute)}})
			return c.Muted() == mute, fmt.Sprint(c.Muted())
		}},
		{"an ask and a volume over MQTT", func(c *commanded, low, high int, _ bool) (bool, string) {
			now := c.publish(post{"ask", loudnessAsked(low)}, post{"volume", loudnessSet(high)})
			return strings.Contains(now, strconv.Itoa(high)), now
		}},
		{"a volume and an ask over MQTT", func(c *commanded, low, high int, _ bool) (bool, string) {
			now := c.publish(post{"volume", loudnessSet(low)}, post{"ask", loudnessAsked(high)})
			return strings.Contains(now, strconv.Itoa(high)), now
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			c, swapped, last := command(t), 0, ""
			for i := range pairs {
				if right, now := way.play(c, 10+i, 55+i, i%2 == 0); !right {
					swapped, last = swapped+1, now
				}
			}
			if swapped > 0 {
				t.Errorf("of %d pairs the second order did not hold in %d; at last it was %q", pairs, swapped, last)
			}
		})
	}
}

// loud reports whether the volume is so many percent.
func (c *commanded) loud(percent int) (right bool, now string) {
	c.Helper()
	v, err := c.volume.Get(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return v.Level == percent, strconv.Itoa(v.Level)
}
