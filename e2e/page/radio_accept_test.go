//go:build accept

package page

import (
	"bufio"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAcceptPageLeavesTheRadioAlone: while a page is open and the house changes all the time, the
// house is asked how it is, and devices are asked by radio more rarely. That its driver is down is
// seen by itself.
func TestAcceptPageLeavesTheRadioAlone(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Hallway Light")+` === "off"`)

	var asked, pinged atomic.Int32
	_, port, _ := strings.Cut(strings.TrimPrefix(g.broker, "mqtt://"), ":")
	listen := exec.CommandContext(t.Context(), "mosquitto_sub", "-h", "127.0.0.1", "-p", port, "-t", "zwave/_CLIENTS/+/api/+/set", "-F", "%t")
	out, err := listen.StdoutPipe()
	if err == nil {
		err = listen.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			switch {
			case strings.HasSuffix(lines.Text(), "/getInfo/set"):
				asked.Add(1)
			case strings.HasSuffix(lines.Text(), "/pingNode/set"):
				pinged.Add(1)
			}
		}
	}()
	turn := 0
	eventually(t, "the house was asked eight times how it is", func() bool {
		state := []string{"on", "off"}[turn%2]
		turn++
		if err := g.post("/api/control", map[string]any{"thing": "Hallway Light", "do": state}, new(any)); err != nil {
			t.Fatal(err)
		}
		p.eventually("the lamp is "+state, stateOf("Hallway Light")+" === "+quoted(state))
		return asked.Load() >= 8
	})
	t.Logf("%d changes of a lamp: the gateway was asked %d times, devices %d times", turn, asked.Load(), pinged.Load())
	if n := pinged.Load(); n >= asked.Load() {
		t.Errorf("in the time of %d changes of a lamp, the devices were asked %d times whether they are there", turn, n)
	}
	g.fault(`{"op":"driver_down"}`)
	p.eventually("it is said", `document.getElementById("away").textContent !== "" && document.querySelectorAll("#areas [data-tone=old]").length > 10`)
	g.fault(`{"op":"driver_up"}`)
	p.eventually("it is back", `document.getElementById("away").textContent === "" && !document.querySelector("#areas [data-tone=old]")`)
	w.stayedHome(t, g.url)
	if err := listen.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-heard
	_ = listen.Wait() // it was killed
}
