package zwave

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// waitingForList is what check_zwave_health calls it that the list of devices does not
// come through.
const waitingForList = "large messages"

// enoughLost is how many lists in a row get lost until something on the way is thought to
// refuse large messages. A single one gets lost on a busy machine, too.
const enoughLost = 2

// errNoList says that the gateway answers, and that its list of devices has not arrived.
var errNoList = fmt.Errorf("the list of devices has not arrived: %w", errNoAnswer)

// list asks for the list of devices. It is by far the largest of the gateway's answers: a
// gateway that answers a small question meanwhile gets as long again for it.
//
// Where the small answers arrive and the list never does, time after time, something on the
// way refuses large messages, such as a broker with a limit, which may also throw out the
// gateway that sends one. A gateway that says nothing at all shows nothing.
func (l *link) list(ctx context.Context) (answer, error) {
	level, err := l.gateway()
	if err != nil {
		return answer{}, err
	}
	back := l.whenReconnected()
	got, drop, _, err := l.requestTo(ctx, level, outgoing{api: "getNodes"})
	if err != nil {
		return answer{}, err
	}
	defer drop()
	a, lost, err := awaitList(ctx, got, back)
	if errors.Is(err, errNoList) {
		if _, err := l.callTo(ctx, level, "getInfo"); err != nil || !l.connected() {
			l.noteLists(0)
			return a, err
		}
		if !lost {
			a, _, err = awaitList(ctx, got, nil)
		}
	}
	if errors.Is(err, errNoList) {
		l.noteLists(l.lostLists() + 1)
	}
	return a, err
}

// listGrace is how long a list may still take after the gateway, or the broker, has come back:
// what was asked for before is most often lost, and is asked for again.
const listGrace = 3 * time.Second

// awaitList waits for the list as long as for any answer; lost means that it was given up
// because the gateway has come back meanwhile, which back tells.
func awaitList(ctx context.Context, got <-chan answer, back <-chan struct{}) (a answer, lost bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	var over <-chan time.Time
	for {
		select {
		case a := <-got:
			return a, false, a.err
		case <-back:
			back, over = nil, time.After(listGrace)
		case <-over:
			return answer{}, true, errNoList
		case <-ctx.Done():
			return answer{}, false, errNoList
		}
	}
}

// noteLists records how many lists in a row were lost.
func (l *link) noteLists(lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listsLost = lost
}

func (l *link) lostLists() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listsLost
}

// losesList reports whether the list of devices does not come through, though the gateway
// answers.
func (l *link) losesList() bool { return l.lostLists() >= enoughLost }

// listRefused says why the house is not known, and what to do.
const listRefused = "The Z-Wave gateway answers, but its list of devices never arrives. The MQTT broker seems to refuse large messages: " +
	"raise message_size_limit in mosquitto, or the limit of your broker, to at least 10 MB, and restart the broker."

// listAwaited says that the house is not known yet.
const listAwaited = "The Z-Wave gateway answers, but has not listed its devices yet. Try again in a moment."
