package reader_test

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"voicegateway/internal/intent/reader"
)

func english(tb testing.TB) *reader.Model {
	tb.Helper()
	m, err := reader.Load("en")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// The sentences are ours, not the crowd's.
func TestKind(t *testing.T) {
	t.Parallel()
	m := english(t)
	for text, want := range map[string]reader.Kind{
		"it is too bright in here put the lights off": reader.LightOff,
		"make the lamps a nicer colour, say purple":   reader.LightChange,
		"Fix me an espresso, please!":                 reader.Coffee,
		"have the roomba do the floors":               reader.Clean,
		"speak up a bit, i can barely hear you":       reader.VolumeUp,
		"get me out of bed at 6:30 with an alarm":     reader.AlarmSet,
		"tell me which date we have":                  reader.Clock,

		"":                                  reader.None,
		"?!":                                reader.None,
		"how tall is the tower in pisa":     reader.None,
		"email my sister that i am late":    reader.None,
		"put some jazz on and turn it up":   reader.None,
		"order two pizzas from the italian": reader.None,
	} {
		if got := m.Kind(text); got.Kind != want && (want != reader.None || got.Share >= m.Marks(got.Kind).Sure) {
			t.Errorf("%q is %q (%.2f), want %q", text, got.Kind, got.Share, want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for range 2 {
		if m, err := reader.Load("xx"); !errors.Is(err, reader.ErrNone) {
			t.Errorf("a language without weights gives %v, %v", m, err)
		}
	}
	m := english(t)
	if again := english(t); again != m {
		t.Error("the weights are read twice")
	}
	for _, k := range reader.Kinds() {
		if marks := m.Marks(k); marks.Nearly > marks.Sure || marks.Nearly <= 0 {
			t.Errorf("the marks of %q are %+v", k, marks)
		}
	}
	if marks := m.Marks("no_kind"); marks.Nearly <= 1 {
		t.Errorf("a kind that is not known has the marks %+v", marks)
	}
}

// A number counts the same in words and in digits, and capitals and signs do not count.
func TestFeatures(t *testing.T) {
	t.Parallel()
	h := reader.HasherFor("en")
	want := h.Features("wake me at twenty five past seven")
	for _, text := range []string{"Wake me at 25 past 7!", "wake me  at twelve past eight", "alexa please wake me at 1 past 2"} {
		if got := h.Features(text); !slices.Equal(got, want) {
			t.Errorf("%q has other features", text)
		}
	}
	if slices.Equal(h.Features("wake me up"), h.Features("me wake up")) {
		t.Error("the order of words does not count")
	}
	for _, f := range want {
		if f.Bucket >= reader.Buckets {
			t.Errorf("bucket %d of %d", f.Bucket, reader.Buckets)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	kinds := len(reader.Kinds())
	p := reader.Parameters{Scale: 0.5, Weights: make([]int8, reader.Buckets*kinds), Bias: make([]float32, kinds), Marks: make([]reader.Marks, kinds)}
	features := reader.HasherFor("en").Features("coffee")
	coffee := slices.Index(reader.Kinds(), reader.Coffee)
	p.Marks[coffee] = reader.Marks{Sure: 0.75, Nearly: 0.5}
	for _, f := range features {
		p.Weights[int(f.Bucket)*kinds+coffee] = 127
		if f.Value < 0 {
			p.Weights[int(f.Bucket)*kinds+coffee] = -127
		}
	}
	m, err := reader.Read("en", p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Kind("coffee"); got.Kind != reader.Coffee || got.Share < 0.99 {
		t.Errorf("coffee is %+v", got)
	}
	if got := m.Marks(reader.Coffee); got != p.Marks[coffee] {
		t.Errorf("the marks are %+v", got)
	}
}

// A damaged file is an error and nothing else.
func FuzzRead(f *testing.F) {
	kinds := len(reader.Kinds())
	p := reader.Parameters{Scale: 1, Weights: make([]int8, reader.Buckets*kinds), Bias: make([]float32, kinds), Marks: make([]reader.Marks, kinds)}
	p.Weights[0], p.Weights[300], p.Weights[len(p.Weights)-1] = 1, -128, 127
	whole := p.Encode()
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(append(slices.Clone(whole), 1, 1))
	f.Add([]byte("reader"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := reader.Read("en", data)
		if err != nil {
			return
		}
		if g := m.Kind("turn on the light"); !(g.Share >= 0 && g.Share <= 1) {
			t.Errorf("the share is %v", g.Share)
		}
	})
}

func FuzzFeatures(f *testing.F) {
	f.Add("wake me at 6:30", "en")
	f.Add("żółć \xff 一二三", "pl")
	f.Fuzz(func(t *testing.T, text, language string) {
		for _, x := range reader.HasherFor(language).Features(text) {
			if x.Bucket >= reader.Buckets || !(x.Value >= -1.001 && x.Value <= 1.001) {
				t.Errorf("%q has the feature %+v", text, x)
			}
		}
	})
}

func BenchmarkKind(b *testing.B) {
	m := english(b)
	for b.Loop() {
		m.Kind("alexa increase the brightness of the light it is hard to see anything at all down here please")
	}
}

// BenchmarkRead reads the English weights and says what of them stays in memory.
func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile("en.weights")
	if err != nil {
		b.Fatal(err)
	}
	var m *reader.Model
	before := heap()
	for b.Loop() {
		if m, err = reader.Read("en", data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()-before)/(1<<20), "kept-MB")
	runtime.KeepAlive(m)
	runtime.KeepAlive(data)
}

// heap is the memory that is in use, in bytes.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
