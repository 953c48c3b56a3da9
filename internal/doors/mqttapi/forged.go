package mqttapi

import (
	"slices"
	"strings"
	"time"
)

// retainedTopics are the topics below the base that hold a retained message of ours.
var retainedTopics = []string{"/availability", "/state", "/servers", "/recorder", "/muted", "/volume", "/timers", "/wakes"}

const (
	// mendPause lies between two times that forged words are put right: two programs that
	// hold the same topics for theirs write six times a minute each, and no more.
	mendPause = 10 * time.Second
	// mostEchoes bounds the words of one topic that are expected back. A broker that
	// forbids to read the topic never sends them.
	mostEchoes = 32
)

// expectEcho remembers that a retained word of ours will come back.
func (a *API) expectEcho(m message) {
	topic := strings.TrimPrefix(m.topic, a.base)
	a.mu.Lock()
	defer a.mu.Unlock()
	words := append(a.echoes[topic], string(m.payload))
	a.echoes[topic] = slices.Clone(words[max(0, len(words)-mostEchoes):])
}

// overhear checks a message on one of our topics. A message that arrives because we have
// just subscribed is older than what we publish after each connection, and does not
// count.
func (a *API) overhear(topic string, payload []byte, retained bool) {
	if retained {
		return
	}
	topic, word := strings.TrimPrefix(topic, a.base), string(payload)
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.echoes[topic], word); i >= 0 {
		a.echoes[topic] = slices.Delete(a.echoes[topic], 0, i+1)
		return
	}
	if own, known := a.word(topic); !known || own == word {
		return
	}
	a.wrong[topic] = true
	select {
	case a.forged <- struct{}{}:
	default:
	}
}

// word is what a retained topic of ours should hold. The caller holds mu.
func (a *API) word(topic string) (word string, known bool) {
	if topic == "/availability" {
		return "online", true
	}
	word, known = a.standing[topic]
	return word, known
}

// putRight publishes again what another program has overwritten.
func (a *API) putRight() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for topic := range a.wrong {
		if word, known := a.word(topic); known {
			a.log.Warn("another program has written on a topic of the gateway; what belongs there is published again", "topic", a.base+topic)
			a.put(message{a.base + topic, []byte(word), true})
		}
	}
	clear(a.wrong)
}
