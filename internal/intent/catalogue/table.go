package catalogue

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

var (
	byName   = index()
	commands = slices.DeleteFunc(table(), func(i Intent) bool { return i.Plan != Command })
)

func index() map[string]Intent {
	out := make(map[string]Intent)
	for _, i := range table() {
		out[i.Name] = i
	}
	return out
}

// table lists every intent. If several commands set the same thing, the first of
// them is used to set it back.
func table() []Intent {
	return slices.Concat(devices(), players(), own(), talk())
}

// devices are the intents about things of the house.
func devices() []Intent {
	const (
		reversible = tools.Reversible
		lock       = "lock"
		alarm      = "alarm_control_panel"
	)
	return []Intent{
		{Name: TurnOn, Plan: Switch, Risk: reversible, Starts: always, Undo: Restored},
		{Name: TurnOff, Plan: Switch, Risk: reversible, Releases: []string{lock, alarm}, Undo: Restored},
		{
			Name: Toggle, Plan: Command, Sets: []Setting{{"", home.OnOff, "toggle", 0}},
			Risk: reversible, Starts: always, Releases: []string{lock}, Undo: Restored,
		},
		{
			Name: LightSet, Plan: Command, Sets: []Setting{{"brightness", home.Brightness, "level", 0}, {"color", home.Colour, "colour", 0}},
			Risk: reversible, Starts: unless(0.0, "brightness"), Undo: Restored,
		},
		{
			Name: BrightnessAdjust, Plan: Adjust, Sets: []Setting{{"delta", home.Brightness, "level", 20}}, // percent
			Risk: reversible, Starts: unless("down", "direction"), Undo: Restored,
		},
		{
			Name: SetPosition, Plan: Command, Sets: []Setting{{"position", home.Position, "position", 0}},
			Risk: reversible, Starts: unless(0.0, "position"), Undo: Restored,
		},
		{Name: StopMoving, Plan: Command, Sets: []Setting{{"", home.Stop, "stop", 0}}, Risk: reversible, Undo: Final},
		{
			Name: FanSetSpeed, Plan: Command, Sets: []Setting{{"percentage", home.Speed, "level", 0}},
			Risk: reversible, Starts: unless(0.0, "percentage", "speed"), Undo: Restored,
		},
		{
			Name: FanAdjust, Plan: Adjust, Sets: []Setting{{"delta", home.Speed, "level", 25}}, // percent: a fan has three or four speeds
			Risk: reversible, Starts: unless("down", "direction"), Undo: Restored,
		},
		{
			Name: ClimateSetTemperature, Plan: Command, Sets: []Setting{{"temperature", home.Setpoint, "setpoint", 0}},
			Risk: reversible, Starts: always, Undo: Restored,
		},
		{
			Name: ClimateAdjust, Plan: Adjust, Sets: []Setting{{"delta", home.Setpoint, "setpoint", 1}}, // degree
			Risk: reversible, Starts: unless("down", "direction"), Undo: Restored,
		},
		{
			Name: ClimateMode, Plan: Command, Sets: []Setting{{"mode", home.Mode, "mode", 0}},
			Risk: reversible, Starts: unless("off", "mode"), Undo: Restored,
		},
		{Name: ClimateGetTemperature, Plan: Question, Risk: tools.Read},
		{Name: GetState, Plan: Question, Risk: tools.Read},
		{Name: AlarmArm, Plan: Command, Risk: reversible},
		{Name: AlarmDisarm, Plan: Command, Risk: reversible, Releases: []string{alarm}},
	}
}

// players are the intents about what plays, drives around or keeps a list.
func players() []Intent {
	return []Intent{
		plain(VacuumStart, Restored, Setting{"", home.Start, "start", 0}),
		plain(VacuumReturnToBase, Restored, Setting{"", home.Dock, "dock", 0}),
		plain(VacuumStop, Restored, Setting{"", home.Pause, "pause", 0}, Setting{"", home.Stop, "stop", 0}),
		plain(MediaPause, Restored, Setting{"", home.Play, "pause", 0}),
		plain(MediaUnpause, Restored, Setting{"", home.Play, "play", 0}),
		plain(MediaNext, Final, Setting{"", home.Skip, "next", 0}),
		plain(MediaPrevious, Final, Setting{"", home.Skip, "previous", 0}),
		plain(PlayerStop, Restored, Setting{"", home.Stop, "stop", 0}, Setting{"", home.Play, "pause", 0}, Setting{"", home.OnOff, "off", 0}),
		plain(PlayerVolume, Restored, Setting{"volume_level", home.Volume, "level", 0}),
		{Name: PlayerAdjust, Plan: Adjust, Sets: []Setting{{"delta", home.Volume, "level", 10}}, Risk: tools.Reversible, Undo: Restored}, // percent
		plain(PlayerMute, Restored, Setting{"", home.Mute, "mute", 0}),
		plain(PlayerUnmute, Restored, Setting{"", home.Mute, "unmute", 0}),
		plain(PlayerSource, Restored, Setting{"source", home.Source, "source", 0}),
		plain(Preset, Restored, Setting{"preset", home.Preset, "preset", 0}),
		{
			Name: HumidifierSetpoint, Plan: Command, Sets: []Setting{{"humidity", home.TargetHumidity, "humidity", 0}},
			Risk: tools.Reversible, Starts: always, Undo: Restored,
		},
		plain(ListAddItem, Final, Setting{"item", home.List, "add", 0}),
		plain(ListCompleteItem, Final, Setting{"item", home.List, "complete", 0}),
		plain(ListRemoveItem, Final, Setting{"item", home.List, "remove", 0}),
	}
}

// plain is a command that is never dangerous: what it is for only plays, drives around or is
// written down.
func plain(name string, undo Undoing, sets ...Setting) Intent {
	return Intent{Name: name, Plan: Command, Sets: sets, Risk: tools.Reversible, Undo: undo}
}

// own are the intents for our own tools.
func own() []Intent {
	set := func(name string) Intent { return Intent{Name: name, Plan: Tool, Risk: tools.Reversible, Undo: Final} }
	return []Intent{
		{Name: GetCurrentTime, Plan: Tool, Risk: tools.Read, Reply: "clock"},
		{Name: GetCurrentDate, Plan: Tool, Risk: tools.Read, Reply: "date"},
		{Name: Houses, Plan: Tool, Risk: tools.Read, Reply: "houses_reached"},
		{Name: GetVolume, Plan: Tool, Risk: tools.Read, Reply: "volume"},
		{Name: SetVolume, Plan: Tool, Risk: tools.Reversible, Reply: "volume", Undo: Final},
		{Name: SetVolumeRelative, Plan: Tool, Risk: tools.Reversible, Reply: "volume", Undo: Final},
		{Name: MediaPlayerMute, Plan: Tool, Risk: tools.Reversible, Undo: Final},
		{Name: MediaPlayerUnmute, Plan: Tool, Risk: tools.Reversible, Undo: Final},
		{Name: ListDevices, Plan: List, Risk: tools.Read, Reply: "things_here"},
		set(StartTimer), set(SetAlarm), set(Remind), set(CancelTimer), set(CancelAllTimers), set(IncreaseTimer), set(DecreaseTimer),
		set(PauseTimer), set(UnpauseTimer), set(Snooze),
		{Name: TimerStatus, Plan: Tool, Risk: tools.Read},
		{Name: Until, Plan: Lasting, Risk: tools.Reversible},
	}
}

// talk are the intents that are about the conversation itself.
func talk() []Intent {
	return []Intent{
		{Name: Nevermind, Plan: Words, Risk: tools.Read, Reply: "nevermind"},
		{Name: Yes, Plan: Words, Risk: tools.Read, Reply: "nothing_asked"},
		{Name: No, Plan: Words, Risk: tools.Read, Reply: "nevermind"},
		{Name: Stop, Plan: Words, Risk: tools.Read}, // silence is what was asked for
		{Name: Resume, Plan: Words, Risk: tools.Read, Reply: "nothing_to_resume"},
		{Name: NotForYou, Plan: Words, Risk: tools.Read, Reply: "not_for_you"},
		{Name: Help, Plan: Words, Risk: tools.Read, Reply: "help"},
		{Name: Thanks, Plan: Words, Risk: tools.Read, Reply: "welcome"},
		{Name: GoodNight, Plan: Words, Risk: tools.Read, Reply: "good_night"},
		{Name: Leaving, Plan: Words, Risk: tools.Read, Reply: "goodbye"},
		{Name: Undo, Plan: Before, Risk: tools.Read, Reply: "nothing_to_undo"},
		{Name: Wrong, Plan: Before, Risk: tools.Read, Reply: "nothing_to_undo"},
		{Name: Remember, Plan: Before, Risk: tools.Read, Reply: "keep_nothing"},
		{Name: Other, Plan: Before, Risk: tools.Read, Reply: "nothing_to_undo"},
		{Name: Also, Plan: Before, Risk: tools.Read, Reply: "what_meant"},
		{Name: Rather, Plan: Before, Risk: tools.Read, Reply: "what_meant"},
		{Name: Except, Plan: Before, Risk: tools.Read, Reply: "what_meant"},
		{Name: More, Plan: Before, Risk: tools.Read, Reply: "what_meant"},
		{Name: Again, Plan: Before, Risk: tools.Read, Reply: "what_meant"},
		{Name: Repeat, Plan: Before, Risk: tools.Read, Reply: "nothing_to_repeat"},
		{Name: Why, Plan: Before, Risk: tools.Read, Reply: "nothing_lately"},
		{Name: Since, Plan: Before, Risk: tools.Read, Reply: "nothing_lately"},
		{Name: WhatDone, Plan: Before, Risk: tools.Read, Reply: "nothing_lately"},
		{Name: WhoDid, Plan: Before, Risk: tools.Read, Reply: "nothing_lately"},
		{Name: Overheard, Plan: Ignored, Risk: tools.Read},
	}
}
