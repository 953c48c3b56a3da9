package zwave

import (
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// sawTopic notes a node's topic; true means that no refresh has looked at it yet.
func (l *link) sawTopic(topic string, retained bool) bool {
	if strings.HasPrefix(topic, "Broadcast/") || strings.HasPrefix(topic, strconv.Itoa(wire.Broadcast)+"/") {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.topics[topic]
	is := sighting{looked: was.looked, live: was.live || !retained}
	if is != was && (known || len(l.topics) < maxTopics) || !known && len(l.topics) < maxTopics {
		l.topics[topic] = is
	}
	return !was.looked
}

// heard says whether anything was ever published on a topic.
func (l *link) heard(topic string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.topics[topic]
	return known
}

// seenTopics returns the topics by which the gateway's scheme can be told; true
// are those that are no leftovers.
func (l *link) seenTopics() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]bool, len(l.topics))
	for t, s := range l.topics {
		out[t] = s.live
	}
	return out
}

// looked keeps topics that a refresh has seen, explained or not, from asking for
// another one.
func (l *link) looked(topics map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range topics {
		l.topics[t] = sighting{looked: true, live: l.topics[t].live}
	}
}

// whenBack returns a channel that is closed when the broker or the gateway come
// back after having been away.
func (l *link) whenBack() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.back
}

// cameBack tells those who wait for an answer that it will not come.
func (l *link) cameBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.back)
	l.back = make(chan struct{})
}

// restarted forgets what the topics meant: a gateway that has come back may have
// other settings, and publishes everything again.
func (l *link) restarted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.topics {
		l.topics[t] = sighting{}
	}
}
