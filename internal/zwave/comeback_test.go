package zwave_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAListThatARestartLosesIsAskedForAgain loses the request for the list of devices in a restart
// of zwave-js-ui: the list is asked for again once zwave-js-ui is back, and not only when an
// answer has been waited for in vain.
func TestAListThatARestartLosesIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		r.warm()
		b, lost := r.mine.bus, 0
		b.mu.Lock()
		b.divert = func(topic string, _ []byte) bool {
			swallow := lost == 0 && strings.HasSuffix(topic, "/api/getNodes/set")
			if swallow {
				lost++
			}
			return swallow
		}
		b.mu.Unlock()
		r.call("list_devices", map[string]any{}, nil) // the list is old by now
		b.mu.Lock()
		if b.divert = nil; lost != 1 {
			t.Error("no list was asked for")
		}
		b.mu.Unlock()
		before := r.listsAskedFor()
		if err := r.mine.Publish(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/status", []byte(`{"value":true,"time":1}`)); err != nil {
			t.Fatal(err)
		}
		pass(4 * time.Second)
		if r.listsAskedFor() == before {
			t.Error("four seconds after zwave-js-ui has come back, the list was not asked for again")
		}
	})
}
