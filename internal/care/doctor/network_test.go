package doctor

import (
	"net"
	"strings"
	"testing"
)

func TestTake(t *testing.T) {
	t.Parallel()
	r := Retained{Houses: map[string]Site{}}
	for topic, payload := range map[string]string{
		"zwave/_CLIENTS/ZWAVE_GATEWAY-Home/version":  `{"value":"11.22.2","time":1}`,
		"zwave/_CLIENTS/ZWAVE_GATEWAY-Home/status":   `{"value":false}`,
		"attic/_CLIENTS/ZWAVE_GATEWAY-Attic/version": `{"value":"9.0.0"}`,
		"zwave/_CLIENTS/other-program/version":       `{"value":"1"}`,
		"zwave/_CLIENTS/ZWAVE_GATEWAY-/version":      `{"value":"1"}`,
	} {
		r.note(topic, []byte(payload))
	}
	if len(r.Houses) != 2 || r.Houses["zwave/Home"] != (Site{"11.22.2", true}) || r.Houses["attic/Attic"] != (Site{Version: "9.0.0"}) {
		t.Errorf("%+v", r.Houses)
	}
}

// FuzzTake: whatever a broker keeps, it takes up at most one place, or is ignored.
func FuzzTake(f *testing.F) {
	f.Add("zwave/_CLIENTS/ZWAVE_GATEWAY-Home/version", []byte(`{"value":"11.22.2"}`))
	f.Add("zwave/_CLIENTS/ZWAVE_GATEWAY-Home/status", []byte(`{"value":[{}]}`))
	f.Add("a/b", []byte(`x`))
	f.Fuzz(func(t *testing.T, topic string, payload []byte) {
		r := Retained{Houses: map[string]Site{}}
		for range 2 * mostHouses {
			r.note(topic, payload)
		}
		if len(r.Houses) > 1 {
			t.Errorf("one topic made %+v", r.Houses)
		}
	})
}

// The next port that is free is taken in place of one that is not.
func TestFreePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	taken := l.Addr().String()
	free, err := FreePort(t.Context(), taken)
	if err != nil || free == taken || !strings.HasPrefix(free, "127.0.0.1:") {
		t.Errorf("%s: %s, %v", taken, free, err)
	}
	if _, err := FreePort(t.Context(), "nowhere"); err == nil {
		t.Error("an address without a port is free")
	}
}
