package zwave_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// relabel has another client of the broker name or move a node, and returns when
// the gateway has answered it.
func (r *rig) relabel(api string, node int, text string) {
	r.Helper()
	other := r.mine.bus.client(r.T)
	const base = "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/"
	answered := make(chan struct{}, 10)
	if err := other.Subscribe(r.ctx, base+api, func(topic string, _ []byte, _ bool) {
		if !strings.HasSuffix(topic, "/set") {
			answered <- struct{}{}
		}
	}); err != nil {
		r.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"args": []any{node, text}})
	if err != nil {
		r.Fatal(err)
	}
	if err := other.Publish(r.ctx, base+api+"/set", body); err != nil {
		r.Fatal(err)
	}
	<-answered
	synctest.Wait() // our client has seen the answer as well
}

// TestSwappedNamesActOnTheRightDevice swaps the names of two devices the way a
// family does it in zwave-js-ui, and speaks at once.
func TestSwappedNamesActOnTheRightDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		<-time.After(10 * time.Second) // nothing is asked for or refreshed at the moment
		r.relabel("setNodeName", 2, "Coffee Machine")
		r.relabel("setNodeName", 3, "Kitchen Light")
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("%+v", got)
		}
		facts := func(node string) any { return r.fact(node, "37-0-currentValue") }
		if facts("Kitchen Light") != true || facts("Coffee Machine") != false {
			t.Errorf("the command went to the former device: light %v, coffee machine %v", facts("Kitchen Light"), facts("Coffee Machine"))
		}
	})
}

// TestAMovedDeviceIsFoundInItsNewRoom moves a device and speaks at once.
func TestAMovedDeviceIsFoundInItsNewRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		<-time.After(10 * time.Second)
		r.relabel("setNodeLocation", 3, "Attic")
		if !r.exists("Attic Coffee Machine") {
			t.Error("the device is still looked for in its former room")
		}
		if r.exists("Kitchen Coffee Machine") {
			t.Error("the device is found in the room it has left")
		}
	})
}
