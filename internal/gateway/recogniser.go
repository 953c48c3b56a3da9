package gateway

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/speech/openai"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/speech/wyoming"
)

// A recogniser that takes longer than this keeps nobody's interest, and two of
// them in a row still end within the turn's own deadline.
const (
	leastHearing = 500 * time.Millisecond
	mostHearing  = 15 * time.Second
)

// recognisers are the configured engines that know the gateway's language.
func (c Config) recognisers() []string {
	return slices.DeleteFunc(slices.Clone(c.STT.Engines), func(e string) bool { return !stt.Knows(e, c.Gateway.Language) })
}

// deaf says that no engine understands what is spoken in the gateway's language:
// PocketSphinx knows English, and would take anything else for it.
func (g *Gateway) deaf() bool { return len(g.cfg.recognisers()) == 0 }

// tellLanguages logs which recognisers the gateway's language leaves out.
func (g *Gateway) tellLanguages() {
	for _, e := range g.cfg.STT.Engines {
		if !stt.Knows(e, g.cfg.Gateway.Language) {
			g.log.Warn("a recogniser does not know the language and is left out", "part", "stt", "engine", e, "language", g.cfg.Gateway.Language)
		}
	}
	if g.deaf() {
		g.log.Warn("spoken commands are off: the recogniser hears English only; text commands work", "part", "stt", "language", g.cfg.Gateway.Language)
	}
}

// recogniser is the configuration of the engines that write down what is said.
// A deaf gateway has the configured ones all the same: they are never woken.
func (g *Gateway) recogniser(command []string) stt.Config {
	c := g.cfg.STT
	engines := g.cfg.recognisers()
	if len(engines) == 0 {
		engines = c.Engines
	}
	return stt.Config{
		Engines: engines, Command: command, ModelDir: c.ModelDir, Pronunciations: c.Pronunciations,
		Wakes: WakePhrases(g.cfg.Wake.Words), Reject: stt.Default().Reject, Denoise: c.Denoise, Log: g.log.With("part", "stt"),
		Open: stt.Open{
			Language: g.cfg.Gateway.Language, Timeout: c.Timeout, Wyoming: c.Wyoming.URI,
			OpenAI: openai.Config{BaseURL: c.OpenAI.BaseURL, Model: c.OpenAI.Model, Key: g.opts.Secrets.STTKey},
		},
	}
}

// validate checks the recognisers and what each of them needs.
func (c STTConfig) validate(bad reporter) {
	if len(c.Engines) == 0 {
		bad("stt.engines", "is empty; name at least one of %s", strings.Join(stt.Engines(), ", "))
	}
	for i, e := range c.Engines {
		oneOf(bad, "stt.engines", e, stt.Engines()...)
		if slices.Contains(c.Engines[:i], e) {
			bad("stt.engines", "%s is named twice", e)
		}
	}
	if slices.Contains(c.Engines, "openai") || c.OpenAI.BaseURL != "" {
		if err := openai.Check(c.OpenAI.BaseURL); err != nil {
			bad("stt.openai.base_url", "%v", err)
		}
	}
	if slices.Contains(c.Engines, "wyoming") || c.Wyoming.URI != "" {
		if err := wyoming.Check(c.Wyoming.URI); err != nil {
			bad("stt.wyoming.uri", "%v", err)
		}
	}
	if c.Timeout < leastHearing || c.Timeout > mostHearing {
		bad("stt.timeout", "%s is outside %s to %s", c.Timeout, leastHearing, mostHearing)
	}
	oneOf(bad, "stt.denoise", c.Denoise, stt.Denoise()...)
}

// names are the names in a house as people write them, those that are said most
// first: areas, then what can be told to do something, then what only measures.
func names(h *home.House) []string {
	all := h.AreaNames()
	for _, acts := range []bool{true, false} {
		for _, e := range h.Entities {
			if (e.Control != nil) == acts && !slices.Contains(all, e.Name) {
				all = append(all, e.Name)
			}
		}
	}
	return all
}
