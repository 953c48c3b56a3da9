package stt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/ear/sphinx"
)

func TestFromEspeak(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"stress and units": {"n_'A:_b_u:\n", "N AA B UW"},
		"r colour":         {"dZ_'A@_v_I_s", "JH AA R V IH S"},
		"syllabic":         {"b_'0_t#_@L", "B AA T AH L"},
		"glottal":          {"b_'V_?_n-", "B AH T N"},
		"linking":          {"aI_k_'i:_;_@", "AY K IY AH"},
		"spelled":          {"t_,i:_v_'i:", "T IY V IY"},
		"two words":        {"'E_k_s t_'u:", "EH K S T UW"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := fromEspeak(tc.in)
			if err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	for _, bad := range []string{"", "\n", "_'_", "n_'A:_%%%_qqq"} {
		if got, err := fromEspeak(bad); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func TestEverySoundIsAPhone(t *testing.T) {
	for name, phones := range espeakPhones {
		if err := checkPhones(phones); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkPhones(unspeakable); err != nil {
		t.Error(err)
	}
}

func FuzzFromEspeak(f *testing.F) {
	f.Add("n_'A:_b_u:")
	f.Add("_")
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := fromEspeak(s); err == nil && checkPhones(got) != nil {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestPronouncerAsksInOrder(t *testing.T) {
	dictionary := filepath.Join(t.TempDir(), "dict")
	if err := os.WriteFile(dictionary, []byte("lamp L AE M P\nlive L IH V\nlive(2) L AY V\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewPronouncer(dictionary, map[string]string{"lamp": "L AA M P"})
	p.command = filepath.Join(t.TempDir(), "not-installed")
	found, missing, err := p.All(t.Context(), []string{"lamp", "live", "nabu", "nabu"})
	if err != nil {
		t.Fatal(err)
	}
	if got := found["lamp"]; !slices.Equal(got, []string{"L AA M P"}) {
		t.Errorf("the configuration does not go first: %q", got)
	}
	if got := found["live"]; len(got) != 2 {
		t.Errorf("live has the pronunciations %q", got)
	}
	if !slices.Equal(missing, []string{"nabu"}) {
		t.Errorf("missing %q", missing)
	}
	p.own["lamp"] = "L Ä M P"
	if _, _, err := p.All(t.Context(), []string{"lamp"}); err == nil || !strings.Contains(err.Error(), `"Ä"`) {
		t.Errorf("a wrong phone in the configuration: %v", err)
	}
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	p = NewPronouncer(dictionary, nil)
	found, missing, err = p.All(t.Context(), []string{"nabu", "--help", "büro"})
	if err != nil || len(missing) > 0 || !slices.Equal(found["nabu"], []string{"N AA B UW"}) {
		t.Errorf("asking espeak-ng: %q, missing %q, %v", found, missing, err)
	}
}

// endsAfter is a context that is over once it has been asked a number of times.
type endsAfter struct{ asked, most int }

func (*endsAfter) Deadline() (end time.Time, set bool) { return end, false }
func (*endsAfter) Done() <-chan struct{}               { return nil }
func (*endsAfter) Value(any) any                       { return nil }

func (e *endsAfter) Err() error {
	if e.asked++; e.asked > e.most {
		return context.Canceled
	}
	return nil
}

// TestAPronouncerThatIsStopped ends at every moment: it has pronunciations or an
// error, never neither.
func TestAPronouncerThatIsStopped(t *testing.T) {
	script := filepath.Join(t.TempDir(), "espeak")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat >/dev/null; echo \"n_'A:_b_u:\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	dictionary := filepath.Join(t.TempDir(), "dictionary")
	if err := os.WriteFile(dictionary, []byte("lamp L AE M P\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewPronouncer(dictionary, nil)
	p.command = script
	for most := range 8 {
		found, _, err := p.All(&endsAfter{most: most}, []string{"zorbu"})
		if found == nil && err == nil {
			t.Errorf("asked %d times: neither pronunciations nor an error", most)
		}
	}
}

func TestJudge(t *testing.T) {
	tests := map[string]struct {
		result sphinx.Result
		text   string
		reason string
	}{
		"command":         {sphinx.Result{Text: "turn on the light", Span: 100, Speech: 95, Score: 1000, Loop: 0, Looped: true}, "turn on the light", ""},
		"nothing":         {sphinx.Result{}, "", "no sentence"},
		"other speech":    {sphinx.Result{Text: "turn on the light", Span: 100, Speech: 95, Score: -2000, Loop: 0, Looped: true}, "", "like other speech"},
		"drawn out":       {sphinx.Result{Text: "good night", Span: 200, Speech: 170, Looped: true}, "", "too long"},
		"a speech":        {sphinx.Result{Text: strings.Repeat("and ", 20), Span: 700, Speech: 650, Looped: true}, "", "too long"},
		"no phone loop":   {sphinx.Result{Text: "good night", Span: 80, Speech: 80}, "good night", ""},
		"loop found none": {sphinx.Result{Text: "good night", Span: 80, Speech: 80, Score: -9999}, "good night", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := judge(tc.result, rejectMargin)
			if got.Text != tc.text || !strings.Contains(got.Rejected, tc.reason) || (got.Rejected == "") != (tc.reason == "") {
				t.Errorf("got %+v, want %q because %q", got, tc.text, tc.reason)
			}
			if got.Confidence < 0 || got.Confidence > 1 {
				t.Errorf("confidence %g", got.Confidence)
			}
		})
	}
}
