//go:build soak && accept

package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

var (
	seed     = flag.Uint64("seed", 0, "of the commands and faults; 0 takes one from the clock")
	duration = flag.Duration("for", 20*time.Minute, "how long it goes on")
)

const openPages = 50 // that follow what happens all the while

// figures are what a daemon holds at one moment.
type figures struct {
	memory      float64 // RSS in MB
	files       int     // open descriptors
	goroutines  int
	asked, done int64 // commands so far, and those that were done
	events      int64 // that all pages together were sent
}

// soak is a gateway that is used from all sides at once.
type soak struct {
	*porch
	// Each of those who do something draws lots of his own, from the seed.
	faults, web, bus *rand.Rand
	count            figuresSoFar
}

type figuresSoFar struct{ asked, done, events, voice, heard, faults atomic.Int64 }

// TestSoakEverythingAtOnce speaks, writes over HTTP and MQTT, and follows with fifty
// pages, while servers, workers and the house fail at random. What the daemon holds after
// a fifth of the time it still holds at the end.
func TestSoakEverythingAtOnce(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Attr("shows", fmt.Sprintf("seed %d, for %v (make soak SEED=%d)", *seed, *duration, *seed))
	s := &soak{porch: newPorch(t), faults: rand.New(rand.NewPCG(*seed, 1)), web: rand.New(rand.NewPCG(*seed, 2)), bus: rand.New(rand.NewPCG(*seed, 3))}
	ctx, cancel := context.WithTimeout(t.Context(), *duration)
	defer cancel()
	var all sync.WaitGroup
	for range openPages {
		all.Go(func() { s.page(ctx) })
	}
	all.Go(func() { s.every(ctx, 3*time.Second, s.overHTTP) })
	all.Go(func() { s.every(ctx, 3*time.Second, s.overMQTT) })
	all.Go(func() { s.every(ctx, 15*time.Second, s.byVoice) })
	all.Go(func() { s.every(ctx, 45*time.Second, s.fault) })
	t.Attr("shows", fmt.Sprintf("%8s  %8s  %5s  %10s  %6s  %6s  %6s  %7s  %6s", "minute", "RSS", "files", "goroutines", "asked", "done", "spoken", "events", "faults"))
	var first, last figures
	began := time.Now()
	sample := time.NewTicker(max(*duration/20, 5*time.Second))
	defer sample.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		select {
		case <-sample.C:
		case <-ctx.Done():
			continue
		}
		last = s.figures()
		t.Attr("shows", fmt.Sprintf("%8.1f  %5.1f MB  %5d  %10d  %6d  %6d  %2d/%3d  %7d  %6d", time.Since(began).Minutes(), last.memory, last.files, last.goroutines, last.asked, last.done,
			s.count.heard.Load(), s.count.voice.Load(), last.events, s.count.faults.Load()))
		if n == 4 {
			first = last
		}
	}
	all.Wait()
	eventually(t, "it is idle at the end", s.idle)
	if last.memory > first.memory*1.25+5 || last.files > first.files+20 || last.goroutines > first.goroutines+40 {
		t.Errorf("after a fifth of the time %+v, at the end %+v", first, last)
	}
	if last.done == 0 || s.count.heard.Load() == 0 || last.events == 0 || s.count.faults.Load() == 0 {
		t.Errorf("something was not done at all: %+v", last)
	}
	if r := ask(t, s.http, "lock the front door"); !confirmed(r) {
		t.Errorf("at the end: %+v", r)
	}
}

// every does something again and again, at a pace of its own.
func (s *soak) every(ctx context.Context, pace time.Duration, does func(ctx context.Context)) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			does(ctx)
		}
	}
}

// order is a sentence that is done, refused, answered or not understood.
func order(chance *rand.Rand) string {
	list := []string{
		"turn on the kitchen light", "turn off the kitchen light", "is the front door locked", "what time is it", "lock the back door",
		"set the living room lights to 40 percent", "open the curtains", "turn on the dishwasher", "unlock the front door", "what's wrong",
		"set a timer for 1 minute", "cancel all timers", "why is the kitchen light on", "undo", "is there a fire", "mumble mumble",
	}
	return list[chance.IntN(len(list))]
}

// page follows what happens, and comes back where it was thrown out.
func (s *soak) page(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.http+"/api/events", nil)
		if err != nil {
			return
		}
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			lines := bufio.NewScanner(resp.Body)
			lines.Buffer(nil, 4<<20)
			for lines.Scan() {
				if id, is := strings.CutPrefix(lines.Text(), "id: "); is {
					last = id
				}
				if strings.HasPrefix(lines.Text(), "event:") {
					s.count.events.Add(1)
				}
			}
			_ = resp.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *soak) overHTTP(ctx context.Context) {
	s.count.asked.Add(1)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// If the test fails, the daemon still runs at the end and can be asked.
	var r record.Record
	if rig.SendJSON(ctx, http.MethodPost, "http://"+s.http+"/api/ask", map[string]string{"text": order(s.web)}, &r) == nil && r.Outcome == record.Done {
		s.count.done.Add(1)
	}
}

func (s *soak) overMQTT(context.Context) {
	s.count.asked.Add(1)
	s.ear.say(s.t, "ask", fmt.Sprintf(`{"id":"soak-%d","text":%q}`, s.count.asked.Load(), order(s.bus)))
}

// byVoice says a wake word and a command, and counts a turn of the microphone.
func (s *soak) byVoice(context.Context) {
	before := len(s.turns())
	s.count.voice.Add(1)
	s.says(s.jarvis(), s.by("rms", "turn on the kitchen light."))
	if within(s.t, 6*time.Second, func() bool { return len(s.turns()) > before }) {
		s.count.heard.Add(1)
	}
}

// fault breaks something of the daemon's: a child, the connection to a page's server, or
// a device.
func (s *soak) fault(context.Context) {
	s.count.faults.Add(1)
	pid := s.gateway.Process.Pid
	names := []string{"zwave-mcp-server", "worker stt", "worker audio"}
	name := names[s.faults.IntN(len(names))]
	for _, child := range children(pid) {
		cmdline, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(child), "cmdline")) // it may have ended
		if strings.Contains(strings.ReplaceAll(string(cmdline), "\x00", " "), name) {
			_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
			return
		}
	}
}

// children are the processes whose parent is pid.
func children(pid int) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// figures looks at the daemon.
func (s *soak) figures() figures {
	pid := s.gateway.Process.Pid
	f := figures{asked: s.count.asked.Load(), done: s.count.done.Load(), events: s.count.events.Load()}
	for _, p := range family(pid) {
		if p.name == "voice-gateway" {
			f.memory = p.rss
		}
	}
	if open, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd")); err == nil {
		f.files = len(open)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.http+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Errorf("the daemon does not answer: %v", err)
		return f
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if n, is := strings.CutPrefix(lines.Text(), "go_goroutines "); is {
			f.goroutines, _ = strconv.Atoi(n)
		}
	}
	return f
}
