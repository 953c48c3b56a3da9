package ear_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/mind/guard"
)

// guarded is a scene in a house whose doors open after a challenge.
func guarded(t *testing.T) *scene {
	t.Helper()
	house := fake.Cottage()
	for i, e := range house.Entities {
		house.Entities[i].Dangerous = &home.Control{Tool: "operate_dangerous_device", ID: e.Control.ID}
	}
	s := newSceneIn(t, ear.Config{Earcons: earcon.Soft}, house, guard.Limits{Dangerous: guard.Challenge, FanOutLimit: 5})
	s.world.Set("Front Door", "lock", nil)
	return s
}

// asked are the two words that were asked for last, "" before that.
func (s *scene) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range slices.Backward(s.voices) {
		if words, ok := strings.CutPrefix(v, "Say "); ok {
			words, _, _ = strings.Cut(words, ",")
			return words
		}
	}
	return ""
}

// enact performs the lines. WORDS stands for the words that were asked for, FIRST and
// SECOND for each of them.
func (s *scene) enact(lines []string) {
	s.t.Helper()
	s.fill = func(l string) string {
		first, second, _ := strings.Cut(s.asked(), " ")
		return strings.NewReplacer("WORDS", first+" "+second, "FIRST", first, "SECOND", second).Replace(l)
	}
	s.play(lines...)
}

// TestChallengeAtTheMicrophone: the answer opens the door only if a person says the
// words, after our voice has ended, in time and without a wake word between. The words
// are never shown or recorded.
func TestChallengeAtTheMicrophone(t *testing.T) {
	t.Parallel()
	order := []string{"quiet 1s", "wake", "say unlock the front door"}
	for name, tt := range map[string]struct {
		lines []string
		acts  int
		said  string // in the last reply
	}{
		"the words":                  {[]string{"quiet 3s", "say WORDS", "quiet 8s"}, 1, "The front door is unlocked."},
		"after nine seconds":         {[]string{"quiet 11s", "say WORDS", "quiet 8s"}, 1, "The front door is unlocked."},
		"begun at the last moment":   {[]string{"quiet 11500ms", "say WORDS", "quiet 4s"}, 0, "That was too late. Nothing was done."},
		"after ten seconds":          {[]string{"quiet 13s", "say WORDS", "quiet 4s"}, 0, ""},
		"silence":                    {[]string{"quiet 20s"}, 0, ""},
		"one word":                   {[]string{"quiet 3s", "say FIRST", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"the other order":            {[]string{"quiet 3s", "say SECOND FIRST", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"a word too many":            {[]string{"quiet 3s", "say WORDS please", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"a word after a breath":      {[]string{"quiet 3s", "say WORDS", "quiet 500ms", "say garage", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"half of it was lost":        {[]string{"quiet 3s", "say WORDS", "lost 700ms", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"its beginning was lost":     {[]string{"quiet 3s", "lost 300ms", "say WORDS", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"silence before it was lost": {[]string{"quiet 3s", "lost 300ms", "quiet 700ms", "say WORDS", "quiet 8s"}, 1, "The front door is unlocked."},
		"a moment was lost":          {[]string{"quiet 3s", "say WORDS", "lost 40ms", "quiet 8s"}, 1, "The front door is unlocked."},
		"nobody understands it":      {[]string{"quiet 3s", "mumble", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"a second try":               {[]string{"quiet 3s", "say SECOND FIRST", "quiet 4s", "say WORDS", "quiet 4s"}, 0, "Those were not the words. Nothing was done."},
		"over our own voice":         {[]string{"quiet 1s", "early WORDS", "quiet 20s"}, 0, ""},
		"as our voice ends":          {[]string{"quiet 1700ms", "early WORDS", "quiet 20s"}, 0, ""},
		"the television says them":   {[]string{"quiet 3s", "television WORDS", "quiet 20s"}, 0, ""},
		"after a wake word":          {[]string{"quiet 3s", "wake", "say WORDS", "quiet 4s"}, 0, ""},
		"the wake word in the voice": {[]string{"quiet 1s", "wake", "say WORDS", "quiet 4s"}, 0, ""},
		"another order between":      {[]string{"quiet 3s", "wake", "say turn on the kitchen light", "quiet 3s", "say WORDS", "quiet 8s"}, 1, "The kitchen light is on."},
		"the stop word":              {[]string{"quiet 1s", "stopword", "quiet 2s", "say WORDS", "quiet 4s"}, 0, ""},
		"a stop":                     {[]string{"quiet 3s", "stop", "say WORDS", "quiet 4s"}, 0, ""},
		"muted":                      {[]string{"quiet 3s", "mute", "say WORDS", "quiet 1s", "unmute", "say WORDS", "quiet 4s"}, 0, ""},
		"button after it":            {[]string{"quiet 20s", "listen", "say WORDS", "quiet 4s"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := guarded(t)
				s.enact(slices.Concat(order, tt.lines))
				log := strings.Join(s.events(), "\n")
				if s.asked() == "" {
					t.Fatalf("nothing was asked:\n%s", log)
				}
				if n := strings.Count(log, " call "); n != tt.acts || strings.Contains(log, "operate_dangerous_device") != (tt.said == "The front door is unlocked.") {
					t.Errorf("%d calls, expected %d:\n%s", n, tt.acts, log)
				}
				if tt.said != "" && s.voices[len(s.voices)-1] != tt.said {
					t.Errorf("it said %q at last, expected %q", s.voices[len(s.voices)-1], tt.said)
				}
				s.keptSecret(t, name)
			})
		})
	}
}

// keptSecret demands that the words were neither shown, nor kept, nor recorded.
func (s *scene) keptSecret(t *testing.T, name string) {
	t.Helper()
	if !strings.Contains(name, "wake") && !strings.Contains(name, "between") && !strings.Contains(name, "button") { // then they are an ordinary sentence
		for _, shown := range s.shown {
			if shown != "" && strings.Contains(shown, s.asked()) {
				t.Errorf("it showed %q", shown)
			}
		}
		for _, note := range s.log {
			if strings.Contains(note, " turn ") && strings.Contains(note, s.asked()) {
				t.Errorf("it is in a record: %s", note)
			}
		}
		if len(s.clips) > 1 {
			t.Errorf("%d sounds were kept", len(s.clips))
		}
	}
	if s.stt.Challenges() == 0 && name != "the stop word" && name != "the wake word in the voice" {
		t.Error("the recogniser did not listen for the words")
	}
	if open, _ := s.stt.Open(); open {
		t.Error("the recogniser's utterance is open for ever")
	}
}
