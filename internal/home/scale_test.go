package home_test

import (
	"testing"

	"voicegateway/internal/home"
)

// A set point that is converted to the other scale and commanded back is unchanged, so
// that an undo restores it.
func TestSetPointsComeBack(t *testing.T) {
	t.Parallel()
	for own, to := range map[home.Scale]home.Scale{home.Celsius: home.Fahrenheit, home.Fahrenheit: home.Celsius} {
		low, high := own.Usual()
		step := map[home.Scale]float64{home.Celsius: 0.5, home.Fahrenheit: 1}[own]
		for v := low; v <= high; v += step {
			if told := own.Setting(v, to); to.Command(told, own) != v {
				t.Errorf("%v %s is told as %v %s and commanded as %v", v, own, told, to, to.Command(told, own))
			}
		}
	}
}

// A round set point in one scale becomes the round set point in the other that people
// mean.
func TestSetPointsAreRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		say  float64
		from home.Scale
		want float64
	}{
		{68, home.Fahrenheit, 20},
		{70, home.Fahrenheit, 21},
		{72, home.Fahrenheit, 22},
		{41, home.Fahrenheit, 5},
		{69.5, home.Fahrenheit, 20.8},
		{20, home.Celsius, 68},
		{21, home.Celsius, 70},
		{22, home.Celsius, 72},
		{22.5, home.Celsius, 72.5},
	} {
		to := map[home.Scale]home.Scale{home.Celsius: home.Fahrenheit, home.Fahrenheit: home.Celsius}[tt.from]
		if got := tt.from.Setting(tt.say, to); got != tt.want {
			t.Errorf("%v %s is %v %s, expected %v", tt.say, tt.from, got, to, tt.want)
		}
	}
	if got := home.Fahrenheit.Reading(41, home.Celsius); got != 5 {
		t.Errorf("41 °F is %v °C", got)
	}
	if got := home.Scale("").Setting(41, home.Celsius); got != 41 {
		t.Errorf("a number without a scale becomes %v", got)
	}
}

// A house speaks as most of its thermostats count.
func TestDegreesOfAHouse(t *testing.T) {
	t.Parallel()
	thing := func(domain, unit string) home.Entity {
		return home.Entity{Domain: domain, Attributes: map[string]any{"unit": unit}}
	}
	for name, tt := range map[string]struct {
		house home.House
		want  home.Scale
	}{
		"empty":                {home.House{}, home.Celsius},
		"one thermometer":      {home.House{Entities: []home.Entity{thing("sensor", "°F")}}, home.Fahrenheit},
		"thermostats count":    {home.House{Entities: []home.Entity{thing("climate", "°F"), thing("sensor", "°C"), thing("sensor", "°C")}}, home.Fahrenheit},
		"more thermostats":     {home.House{Entities: []home.Entity{thing("climate", "°F"), thing("climate", "°C"), thing("climate", "°C")}}, home.Celsius},
		"as many of each":      {home.House{Entities: []home.Entity{thing("climate", "°F"), thing("climate", "°C")}}, home.Celsius},
		"chosen":               {home.House{Scale: home.Fahrenheit, Entities: []home.Entity{thing("climate", "°C")}}, home.Fahrenheit},
		"other units are none": {home.House{Entities: []home.Entity{thing("sensor", "%"), thing("sensor", "lx")}}, home.Celsius},
	} {
		if got := tt.house.Degrees(); got != tt.want {
			t.Errorf("%s: %s, expected %s", name, got, tt.want)
		}
	}
}
