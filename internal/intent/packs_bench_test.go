package intent_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/sentences"
)

// grown is a house with n more devices, which are called like those it has.
func grown(h *home.House, n int) *home.House {
	out := *h
	out.Entities = append([]home.Entity{}, h.Entities...)
	for i := range n - len(h.Entities) {
		e := h.Entities[i%len(h.Entities)]
		e.ID = fmt.Sprint(e.ID, i)
		e.Name = fmt.Sprintf("%s %c%c%c", e.Name, 'a'+i%26, 'k'+i/26%16, 'm'+i/416)
		out.Entities = append(out.Entities, e)
	}
	if n < len(h.Entities) {
		out.Entities = h.Entities[:n]
	}
	return &out
}

// BenchmarkHomeAssistantsSentences matches the sentences of Home Assistant's
// tests in turn, in houses of three sizes; only English is tried in all sizes.
func BenchmarkHomeAssistantsSentences(b *testing.B) {
	for _, c := range []struct {
		language string
		devices  int
	}{{"en", 20}, {"en", 200}, {"en", 2000}, {"de", 200}, {"es", 200}, {"fr", 200}} {
		b.Run(fmt.Sprintf("lang=%s/devices=%d", c.language, c.devices), func(b *testing.B) {
			m, err := intent.New(homeAssistant(b, c.language), grown(houses(b, c.language).Main, c.devices))
			if err != nil {
				b.Fatal(err)
			}
			said := lines[upstream](b, "intents", c.language+"_dev.jsonl")
			m.Match(said[0].Text, "")
			took := make([]time.Duration, 1<<16) // the last ones count
			count := 0
			b.ReportAllocs()
			for b.Loop() {
				c := &said[count%len(said)]
				began := time.Now()
				m.Match(c.Text, c.Context.Area)
				took[count%len(took)] = time.Since(began)
				count++
			}
			fake.Spread(b, "", took[:min(count, len(took))], 50, 99)
		})
	}
}

// BenchmarkLoad measures the time from files to a matcher, and how much memory
// stays in use.
func BenchmarkLoad(b *testing.B) {
	english, err := sentences.Pack("en")
	if err != nil {
		b.Fatal(err)
	}
	loads := map[string]func() (*intent.Pack, error){"ours": func() (*intent.Pack, error) { return intent.LoadPack(english) }}
	for _, language := range []string{"en", "de"} {
		loads["homeassistant/lang="+language] = func() (*intent.Pack, error) {
			return intent.LoadDir(os.DirFS(fake.Shared(b, "intents", "packs")), language)
		}
	}
	for name, load := range loads {
		b.Run(name, func(b *testing.B) {
			var m *intent.Matcher
			before := heap()
			for b.Loop() {
				p, err := load()
				if err != nil {
					b.Fatal(err)
				}
				if m, err = intent.New(p, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(heap()-before)/(1<<20), "kept-MB")
			runtime.KeepAlive(m)
		})
	}
}

// heap returns the bytes in use after everything that can be dropped is dropped.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
