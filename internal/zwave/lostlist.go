package zwave

import (
	"context"
	"errors"
)

// waitingForList is what check_zwave_health calls it that the list of devices does not
// come through.
const waitingForList = "large messages"

// noteList records whether the gateway's list of devices arrives. It is by far the largest
// of its answers: where the gateway answers a small question right after it has seemed to
// say nothing to this one, something on the way refuses large messages, such as a broker
// with a limit. The error is that of getNodes.
func (l *link) noteList(ctx context.Context, err error) {
	lost := false
	if errors.Is(err, errNoAnswer) {
		if l.connected() {
			_, small := l.call(ctx, "getInfo")
			lost = small == nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listLost = lost
}

// losesList reports whether the list of devices does not come through, though the gateway
// answers.
func (l *link) losesList() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listLost
}

// listRefused says why the house is not known, and what to do.
const listRefused = "The Z-Wave gateway answers, but its list of devices never arrives. The MQTT broker seems to refuse large messages: " +
	"raise message_size_limit in mosquitto, or the limit of your broker, to at least 10 MB, and restart the broker."
