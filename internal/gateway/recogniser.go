package gateway

import (
	"slices"

	"voicegateway/internal/ear/stt"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/language/sentences"
)

// recognisers are the configured engines that know the gateway's language.
func (c Config) recognisers() []string {
	return slices.DeleteFunc(slices.Clone(c.STT.Engines), func(e string) bool { return !stt.Knows(e, c.Gateway.Language) })
}

// deaf reports whether no engine understands the gateway's language: PocketSphinx
// knows English only and would hear English words in any other.
func (s setup) deaf() bool { return len(s.cfg.recognisers()) == 0 }

// tellLanguages logs which recognisers the gateway's language leaves out.
func (s setup) tellLanguages() {
	for _, e := range s.cfg.STT.Engines {
		if !stt.Knows(e, s.cfg.Gateway.Language) {
			s.log.Warn("a recogniser does not know the language and is left out", "part", "stt", "engine", e, "language", s.cfg.Gateway.Language)
		}
	}
	for _, doubt := range s.cfg.Doubts() {
		s.log.Warn("part of the configuration cannot be had", "part", "safety", "why", doubt)
	}
	if s.deaf() {
		s.log.Warn("spoken commands are off: the recogniser hears English only; text commands work", "part", "stt", "language", s.cfg.Gateway.Language)
	}
}

// recogniser is the configuration of the recognisers. A deaf gateway also gets the
// configured ones: it is never woken, so they are never used.
func (s setup) recogniser(command []string) stt.Config {
	c := s.cfg.STT
	if engines := s.cfg.recognisers(); len(engines) > 0 {
		c.Engines = engines
	}
	c.Command, c.Language, c.Wakes = command, s.cfg.Gateway.Language, WakePhrases(s.cfg.Wake.Words)
	c.ModelsDir, c.Challenge = s.cfg.Wake.ModelsDir, s.cfg.challengeWords()
	if len(c.Challenge) > 0 {
		c.Asking = sentences.AskingWords(c.Language)
	}
	if s.opts.Pack != nil {
		c.Language = s.opts.Pack.Language
	}
	if words, err := choosing.Ours(c.Language); err == nil {
		c.Alert = words.Reactions()
	}
	c.OpenAI.Key, c.Log = s.opts.Secrets.STTKey, s.log.With("part", "stt")
	c.Restarted, c.Idle = s.counts.Restarted, s.workerIdle()
	return c
}
