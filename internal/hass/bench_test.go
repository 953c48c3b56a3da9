package hass_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home/form"
)

// large starts a house of 10,000 entities, of which 2,000 are shown, and says how long it
// took to read it.
func large(b *testing.B) (*fake.HomeAssistant, *hass.House, time.Duration) {
	b.Helper()
	things := map[string]fake.Thing{}
	for i := range 10_000 {
		things[fmt.Sprintf("light.lamp_%d", i)] = fake.Thing{
			State: "off", Hidden: i >= 2000, Area: "kitchen",
			Attributes: attributes{"friendly_name": fmt.Sprintf("Lamp %d", i), "supported_color_modes": []any{"brightness"}},
		}
	}
	home := fake.NewHomeAssistant(things)
	home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
		home.Set(c.Entity, c.Service[len("light.turn_"):], nil, c.Context)
		return nil
	}
	cfg := hass.DefaultConfig()
	cfg.Socket = socket.Config{URL: "http://house.test:8123", Dial: home.Dial}
	cfg.Token = func() (string, error) { return fake.HomeAssistantToken, nil }
	house, err := hass.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan struct{})
	began := time.Now()
	go func() { defer close(ended); _ = house.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-ended; _ = home.Close() })
	<-house.Loaded()
	return home, house, time.Since(began)
}

// BenchmarkCommand is a command until the thing's report has been told, with a Home
// Assistant that does it at once.
func BenchmarkCommand(b *testing.B) {
	_, house, took := large(b)
	for i := 0; b.Loop(); i++ {
		c := form.Command{Device: fmt.Sprintf("Lamp %d", i%2000), Action: []string{"on", "off"}[i/2000%2]}
		if r, err := house.Control(b.Context(), c, false); err != nil || !r.Done() {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	b.ReportMetric(float64(took.Milliseconds()), "load-ms")
}

// BenchmarkState is a question, which costs no way there and back.
func BenchmarkState(b *testing.B) {
	_, house, _ := large(b)
	for i := 0; b.Loop(); i++ {
		if _, _, err := house.State(b.Context(), fmt.Sprintf("Lamp %d", i%2000)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChange is a change of a state until the mirror has it.
func BenchmarkChange(b *testing.B) {
	home, _, _ := large(b)
	for i := 0; b.Loop(); i++ {
		home.Set(fmt.Sprintf("light.lamp_%d", i%10_000), []string{"on", "off"}[i/10_000%2], attributes{"brightness": float64(i % 255)}, nil)
	}
}
