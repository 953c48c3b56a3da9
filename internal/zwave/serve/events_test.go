package serve

import (
	"context"
	"encoding/json"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
)

// events reads zwave://events as an MCP host does.
func (s *server) events() form.Events {
	s.Helper()
	var answer struct{ Contents []struct{ Text string } }
	s.ask("resources/read", map[string]any{"uri": "zwave://events"}, &answer)
	if len(answer.Contents) != 1 {
		s.Fatalf("zwave://events: %+v", answer)
	}
	var all form.Events
	must(s.T, json.Unmarshal([]byte(answer.Contents[0].Text), &all))
	return all
}

// happens makes something happen in the simulated house.
func happens(t *testing.T, url, fault string) {
	t.Helper()
	other := connect(t, url)
	must(t, other.Publish(t.Context(), "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault/set", []byte(fault)))
}

// news returns the events from a number on that are neither how things are nor ours.
func (s *server) news(from uint64) []home.Event {
	s.Helper()
	var out []home.Event
	for _, e := range s.events().Events {
		if e.Seq >= from && !e.First && !e.Ours {
			out = append(out, e)
		}
	}
	return out
}

// TestTheHouseIsFollowedOverARealBroker presses a button and a switch, then restarts
// the broker, which forgets everything, and the server: nothing happens a second time.
func TestTheHouseIsFollowedOverARealBroker(t *testing.T) {
	t.Parallel()
	address := fake.FreeAddr(t)
	url, stop := startBroker(t, address)
	startSimulator(t, url)
	s := startServer(t, url)
	s.shakeHands()
	on := func(device string) func() bool {
		return func() bool {
			return s.call("control_zwave_device", map[string]any{"device_name": device, "action": "on"}).StructuredContent["outcome"] == "confirmed"
		}
	}
	s.until("the light works", on("Kitchen Light"))
	from := s.events().Next
	happens(t, url, `{"op":"scene","node":"Workshop Remote","key":"002","value":3}`)
	happens(t, url, `{"op":"change","node":"Hallway Light","key":"37-0-currentValue","value":true}`)
	s.until("both are told", func() bool { return len(s.news(from)) >= 2 })
	told := s.news(from)
	if len(told) != 2 || told[0].Press != "double" || told[1].State != "on" || told[1].Before != "off" {
		t.Fatalf("told %+v", told)
	}
	from = s.events().Next
	stop() // all retained messages are lost with it
	startBroker(t, address)
	s.until("the light works again", on("Office Light"))
	happens(t, url, `{"op":"flood","count":5000}`)
	happens(t, url, `{"op":"change","node":"Ceiling Fan","key":"38-0-currentValue","value":50}`)
	s.until("what happens now is told", func() bool { return len(s.news(from)) > 0 })
	if again := s.news(from); len(again) != 1 || again[0].Thing != "Ceiling Fan" {
		t.Errorf("after the broker's restart: %+v", again)
	}
	other := startServer(t, url)
	other.shakeHands()
	other.until("the new server knows the house", func() bool { return len(other.events().Events) > 0 })
	if again := other.news(0); len(again) != 0 || other.events().Boot == s.events().Boot {
		t.Errorf("after the server's restart: %+v", again)
	}
}

// TestSubscribersHearOfEvents checks that a subscriber of zwave://events is notified of a
// change.
func TestSubscribersHearOfEvents(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	startSimulator(t, url)
	s := startServer(t, url)
	s.shakeHands()
	s.until("the house is known", func() bool { return !s.call("list_devices", nil).IsError })
	s.ask("resources/subscribe", map[string]any{"uri": "zwave://events"}, &struct{}{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	context.AfterFunc(ctx, func() { _ = s.in.Close() })
	happens(t, url, `{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`)
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("nobody is told of smoke: %v; stderr: %s", err, s.err)
		}
		var m struct {
			Method string
			Params struct{ URI string }
		}
		if json.Unmarshal(line, &m) == nil && m.Method == "notifications/resources/updated" && m.Params.URI == "zwave://events" {
			return
		}
	}
}
