package client

import (
	"slices"
	"testing"
)

func TestChildEnvironment(t *testing.T) {
	got := childEnv([]string{"PATH=/bin", "HOME=/root", "LC_ALL=C", "AWS_SECRET=x", "TZ=UTC", "broken"}, map[string]string{"TZ": "Europe/Vienna", "MQTT_PASSWORD": "p"})
	want := []string{"HOME=/root", "LC_ALL=C", "MQTT_PASSWORD=p", "PATH=/bin", "TZ=Europe/Vienna"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}
