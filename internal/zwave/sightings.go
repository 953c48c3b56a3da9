package zwave

import (
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// noteTopic records a node's topic; true means that no refresh has looked at it
// yet.
func (l *link) noteTopic(topic string, retained bool) bool {
	if strings.HasPrefix(topic, "Broadcast/") || strings.HasPrefix(topic, strconv.Itoa(wire.Broadcast)+"/") {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.topics[topic]
	is := sighting{examined: was.examined, live: was.live || !retained}
	if is != was && (known || len(l.topics) < maxTopics) || !known && len(l.topics) < maxTopics {
		l.topics[topic] = is
	}
	return !was.examined
}

// hasPublished reports whether the gateway itself was seen to publish on a topic;
// what the broker has retained may be left over from other settings.
func (l *link) hasPublished(topic string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.topics[topic].live
}

// topicsInSight returns the topics that were seen, which show the gateway's scheme; false
// marks those that may be left over from other settings.
func (l *link) topicsInSight() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]bool, len(l.topics))
	for t, s := range l.topics {
		out[t] = s.live
	}
	return out
}

// examinedTopics marks topics as looked at by a refresh, so that they do not ask
// for another one, whether or not the refresh explained them.
func (l *link) examinedTopics(topics map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range topics {
		l.topics[t] = sighting{examined: true, live: l.topics[t].live}
	}
}

// forgetTopics marks all topics as neither examined nor live: a gateway that has
// come back may have other settings, and publishes everything again.
func (l *link) forgetTopics() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.topics {
		l.topics[t] = sighting{}
	}
}
