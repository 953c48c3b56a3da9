package gateway

import (
	"fmt"

	"voicegateway/internal/mind/guard"
)

// Doubts are what the configuration asks for and cannot have, each with what happens
// instead.
func (c Config) Doubts() []string {
	if why := c.whyUnchallenged(); why != "" {
		return []string{"safety.dangerous: challenge cannot be had: " + why + "; dangerous acts stay denied"}
	}
	return nil
}

// whyUnchallenged is why no challenges are asked although they are configured, "" if they
// are or need not be.
func (c Config) whyUnchallenged() string {
	switch language := c.Gateway.Language; {
	case !c.Safety.Challenges():
		return ""
	case len(guard.Words(language)) == 0:
		return fmt.Sprintf("there is no list of words for it in the language %s", language)
	case len(c.recognisers()) == 0:
		return fmt.Sprintf("no recogniser in stt.engines hears the language %s", language)
	}
	return ""
}

// limits returns the limits on acts. If no challenge is possible, dangerous acts are
// denied.
func (c Config) limits() guard.Limits {
	l := c.Safety
	if c.whyUnchallenged() != "" {
		l.Dangerous = guard.Deny
	}
	return l
}

// challengeWords are the words that the recognisers listen for; none if no challenge is
// asked.
func (c Config) challengeWords() []string {
	if !c.limits().Challenges() {
		return nil
	}
	return guard.Words(c.Gateway.Language)
}
