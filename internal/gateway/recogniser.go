package gateway

import (
	"slices"

	"voicegateway/internal/speech/stt"
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
	if engines := g.cfg.recognisers(); len(engines) > 0 {
		c.Engines = engines
	}
	c.Command, c.Language, c.Wakes = command, g.cfg.Gateway.Language, WakePhrases(g.cfg.Wake.Words)
	c.OpenAI.Key, c.Log = g.opts.Secrets.STTKey, g.log.With("part", "stt")
	return c
}
