package gateway

import (
	"strings"
	"testing"

	"voicegateway/internal/mind/guard"
)

// TestChallengesThatCannotBeHad: dangerous acts stay denied, the child process may not do
// them, the recogniser gets no words, and the reason is reported.
func TestChallengesThatCannotBeHad(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Config)
		allows bool
		doubt  string
	}{
		"denied":                        {func(*Config) {}, false, ""},
		"denied in German":              {func(c *Config) { c.Gateway.Language = "de" }, false, ""},
		"English":                       {func(c *Config) { c.Safety.Dangerous = guard.Challenge }, true, ""},
		"English by another recogniser": {func(c *Config) { c.Safety.Dangerous, c.STT.Engines = guard.Challenge, []string{"openai"} }, true, ""},
		"no words in German":            {func(c *Config) { c.Safety.Dangerous, c.Gateway.Language = guard.Challenge, "de" }, false, "no list of words"},
	} {
		c := Default()
		tt.change(&c)
		env := setup{cfg: c}.brokerEnv("mqtt://b")
		if hass := (setup{cfg: c}).hassEnv(map[string]string{"HASS_URL": "x"}); (hass["HASS_ALLOW_DANGEROUS"] == "true") != tt.allows || hass["HASS_URL"] != "x" || hass["HASS_HOST_ASKS"] != "true" {
			t.Errorf("%s: %q", name, hass)
		}
		if (env["ZWAVE_ALLOW_DANGEROUS"] == "true") != tt.allows || c.limits().Challenges() != tt.allows || (len(c.challengeWords()) > 0) != tt.allows {
			t.Errorf("%s: %q, %+v, %d words", name, env, c.limits(), len(c.challengeWords()))
		}
		if got := strings.Join(c.Doubts(), "; "); (got == "") != (tt.doubt == "") || !strings.Contains(got, tt.doubt) {
			t.Errorf("%s: it doubts %q, expected %q", name, got, tt.doubt)
		}
	}
}
