package crowd

import (
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/learn"
)

// The judge itself is judged by decisions that are plainly right or wrong.
func TestJudge(t *testing.T) {
	t.Parallel()
	j := judge{loadHouse(t)}
	do := func(acts ...intent.Action) intent.Decision {
		return intent.Decision{Route: intent.Local, Actions: acts}
	}
	on := func(name string, ids ...string) intent.Action { return intent.Action{Intent: name, Devices: ids} }
	step := func(slot, direction string, ids ...string) intent.Action {
		return intent.Action{Intent: catalogue.BrightnessAdjust, Slots: map[string]any{slot: direction}, Devices: ids}
	}
	remind := func(slots map[string]any) intent.Decision {
		return do(intent.Action{Intent: catalogue.Remind, Slots: slots})
	}
	later := func(inner intent.Action) intent.Action {
		return intent.Action{Intent: catalogue.StartTimer, Later: []intent.Action{inner}}
	}
	ten := []learn.Part{{Type: "time", Text: "ten"}}
	for name, tt := range map[string]struct {
		said learn.Sentence
		does intent.Decision
		want verdict
	}{
		"the light of the room":         {learn.Sentence{Text: "lights off", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff, "light.living_room")), right},
		"the other direction":           {learn.Sentence{Text: "lights off", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOn, "light.living_room")), wrong},
		"no light":                      {learn.Sentence{Text: "lights off", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff, "switch.tv")), wrong},
		"nothing":                       {learn.Sentence{Text: "lights off", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff)), wrong},
		"a second, wrong act":           {learn.Sentence{Text: "lights off", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff, "light.kitchen"), on(catalogue.TurnOn, "light.study")), wrong},
		"a question about a light":      {learn.Sentence{Text: "is the light off", Label: "iot/hue_lightoff"}, do(on(catalogue.GetState, "light.living_room")), right},
		"the room that was named":       {learn.Sentence{Text: "lights off in the hall", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff, "light.hallway")), right},
		"another room":                  {learn.Sentence{Text: "lights off in the hall", Label: "iot/hue_lightoff"}, do(on(catalogue.TurnOff, "light.kitchen")), wrong},
		"darker":                        {learn.Sentence{Text: "darker", Label: "iot/hue_lightdim"}, do(step("direction", "down", "light.living_room")), right},
		"brighter for darker":           {learn.Sentence{Text: "darker", Label: "iot/hue_lightdim"}, do(step("direction", "up", "light.living_room")), wrong},
		"later":                         {learn.Sentence{Text: "make coffee at ten", Label: "iot/coffee", Parts: ten}, do(later(on(catalogue.TurnOn, "switch.coffee"))), right},
		"its time is lost":              {learn.Sentence{Text: "make coffee at ten", Label: "iot/coffee", Parts: ten}, do(on(catalogue.TurnOn, "switch.coffee")), wrong},
		"its condition is lost":         {learn.Sentence{Text: "make coffee when i arrive", Label: "iot/coffee"}, do(on(catalogue.TurnOn, "switch.coffee")), wrong},
		"silence":                       {learn.Sentence{Text: "don't speak", Label: "audio/volume_mute"}, do(on(catalogue.MediaPlayerMute)), right},
		"what was forbidden":            {learn.Sentence{Text: "don't make coffee", Label: "iot/coffee"}, do(on(catalogue.TurnOn, "switch.coffee")), wrong},
		"a volume of nothing":           {learn.Sentence{Text: "volume to zero", Label: "audio/volume_mute"}, do(intent.Action{Intent: catalogue.SetVolume, Slots: map[string]any{"volume_level": 0.0}}), right},
		"a volume of something":         {learn.Sentence{Text: "no volume", Label: "audio/volume_mute"}, do(intent.Action{Intent: catalogue.SetVolume, Slots: map[string]any{"volume_level": 20.0}}), wrong},
		"a question about an alarm":     {learn.Sentence{Text: "is my alarm set", Label: "alarm/set"}, do(on(catalogue.TimerStatus)), right},
		"an order that is taken for it": {learn.Sentence{Text: "my alarm at six", Label: "alarm/set"}, do(on(catalogue.TimerStatus)), wrong},
		"an alarm on its day":           {learn.Sentence{Text: "wake me on tuesday at six", Label: "alarm/set"}, do(intent.Action{Intent: catalogue.SetAlarm, Slots: map[string]any{"day": "tuesday"}}), right},
		"an alarm without its day":      {learn.Sentence{Text: "wake me on tuesday at six", Label: "alarm/set"}, do(intent.Action{Intent: catalogue.SetAlarm}), wrong},
		"asked":                         {learn.Sentence{Text: "an alarm", Label: "alarm/set"}, intent.Decision{Route: intent.Ask}, asked},
		"refused":                       {learn.Sentence{Text: "an alarm", Label: "alarm/set"}, intent.Decision{Route: intent.Reject}, refused},
		"handed on":                     {learn.Sentence{Text: "an alarm", Label: "alarm/set"}, intent.Decision{Route: intent.Model}, handedOn},
		"done without an order":         {learn.Sentence{Text: "play jazz", Label: "play/music"}, do(on(catalogue.TurnOn, "switch.tv")), act},
		"one that would come later":     {learn.Sentence{Text: "remind me", Label: "calendar/set"}, do(later(on(catalogue.TurnOn, "switch.tv"))), act},
		"an answer":                     {learn.Sentence{Text: "how warm is it", Label: "weather/query"}, do(on(catalogue.ClimateGetTemperature, "climate.living")), answered},
		"a question about no order":     {learn.Sentence{Text: "play jazz", Label: "play/music"}, intent.Decision{Route: intent.Ask}, question},
		"a question about a reminder":   {learn.Sentence{Text: "remind me of it", Label: "calendar/set"}, intent.Decision{Route: intent.Ask}, left},
		"a reminder on its day":         {learn.Sentence{Text: "remind me of it tomorrow at ten", Label: "calendar/set"}, remind(map[string]any{"day": "tomorrow"}), answered},
		"a reminder on no day":          {learn.Sentence{Text: "remind me of tomorrow's meeting at ten", Label: "calendar/set"}, remind(map[string]any{"text": "tomorrow's meeting"}), wrongDay},
		"a reminder that comes once":    {learn.Sentence{Text: "remind me of it on wednesdays", Label: "calendar/set"}, remind(map[string]any{"day": "wednesday"}), wrongDay},
		"a reminder that comes often":   {learn.Sentence{Text: "remind me of it on wednesdays", Label: "calendar/set"}, remind(map[string]any{"every": "wednesday"}), answered},
	} {
		if got := j.of(tt.said, tt.does); got != tt.want {
			t.Errorf("%s: %q is %s, want %s", name, tt.said.Text, got, tt.want)
		}
	}
}
