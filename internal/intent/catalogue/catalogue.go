// Package catalogue names every intent once and says what the gateway does with it: how
// it is planned, what it risks, how it is answered and how it is undone. Code that needs
// one of these facts reads this table and does not compare names. A new intent is a
// constant here, a line in the table and a sentence in the files of
// internal/language/sentences.
package catalogue

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// The intents. Those that begin with Hass are Home Assistant's, so that its
// sentences can be taken as they are; those that begin with Local are our own.
const (
	TurnOn    = "HassTurnOn" // also opens and locks
	TurnOff   = "HassTurnOff"
	Toggle    = "HassToggle"
	GetState  = "HassGetState"
	Nevermind = "HassNevermind"

	LightSet         = "HassLightSet"
	BrightnessAdjust = "LocalBrightnessAdjust"
	FanSetSpeed      = "HassFanSetSpeed"
	FanAdjust        = "LocalFanAdjust"
	SetPosition      = "HassSetPosition"
	StopMoving       = "HassStopMoving"

	ClimateSetTemperature = "HassClimateSetTemperature"
	ClimateGetTemperature = "HassClimateGetTemperature"
	ClimateAdjust         = "LocalClimateAdjust"
	ClimateMode           = "LocalClimateMode"

	MediaPause    = "HassMediaPause"
	MediaUnpause  = "HassMediaUnpause"
	MediaNext     = "HassMediaNext"
	MediaPrevious = "HassMediaPrevious"
	PlayerStop    = "LocalPlayerStop"
	PlayerVolume  = "LocalPlayerVolume"
	PlayerAdjust  = "LocalPlayerAdjust"
	PlayerMute    = "LocalPlayerMute"
	PlayerUnmute  = "LocalPlayerUnmute"
	PlayerSource  = "LocalPlayerSource"

	Preset             = "LocalPreset"
	HumidifierSetpoint = "HassHumidifierSetpoint"
	ListAddItem        = "HassListAddItem"
	ListCompleteItem   = "HassListCompleteItem"
	ListRemoveItem     = "HassListRemoveItem"

	VacuumStart        = "HassVacuumStart" // also what mows
	VacuumReturnToBase = "HassVacuumReturnToBase"
	VacuumStop         = "LocalVacuumStop"
	AlarmArm           = "LocalAlarmArm"
	AlarmDisarm        = "LocalAlarmDisarm"

	GetCurrentTime    = "HassGetCurrentTime"
	GetCurrentDate    = "HassGetCurrentDate"
	GetVolume         = "LocalGetVolume"
	Houses            = "LocalHouses" // which houses are reached
	SetVolume         = "HassSetVolume"
	SetVolumeRelative = "HassSetVolumeRelative"
	MediaPlayerMute   = "HassMediaPlayerMute"
	MediaPlayerUnmute = "HassMediaPlayerUnmute"
	ListDevices       = "LocalListDevices"

	StartTimer      = "HassStartTimer"
	CancelTimer     = "HassCancelTimer"
	CancelAllTimers = "HassCancelAllTimers"
	IncreaseTimer   = "HassIncreaseTimer"
	DecreaseTimer   = "HassDecreaseTimer"
	PauseTimer      = "HassPauseTimer"
	UnpauseTimer    = "HassUnpauseTimer"
	TimerStatus     = "HassTimerStatus"
	SetAlarm        = "LocalSetAlarm"
	Remind          = "LocalRemind"
	Snooze          = "LocalSnooze" // what rings rings again in some minutes
	Until           = "LocalUntil"  // done now, and put back after a time: "for ten minutes"

	Yes       = "LocalYes"
	No        = "LocalNo"
	Stop      = "LocalStop"
	Resume    = "LocalResume"
	Undo      = "LocalUndo"
	Wrong     = "LocalWrong"    // undo, and it was not what was meant
	Remember  = "LocalRemember" // the words of the turn before are to be understood from now on
	Other     = "LocalOther"    // the user meant the other thing
	Also      = "LocalAlso"     // the same elsewhere, or with another thing
	Rather    = "LocalRather"   // not there but elsewhere, not that thing but another
	Except    = "LocalExcept"   // all but one
	More      = "LocalMore"     // by one step
	Again     = "LocalAgain"
	Repeat    = "LocalRepeat"   // the last answer is said once more, and nothing is done
	Why       = "LocalWhy"      // why, or who, changed a thing
	Since     = "LocalSince"    // how long a thing has been so
	WhatDone  = "LocalWhatDone" // what was done last
	WhoDid    = "LocalWhoDid"   // by whom
	Happened  = "LocalHappened" // what happened in the house at some time
	Help      = "LocalHelp"     // what can be said here
	Thanks    = "LocalThanks"
	GoodNight = "LocalGoodNight"
	Leaving   = "LocalLeaving"
	Overheard = "LocalOverheard" // talk that is no command
	NotForYou = "LocalNotForYou" // the wake before was nobody's
)

// Intent is what the gateway knows of one intent.
type Intent struct {
	Name string
	Plan Plan
	// Sets are the settings of a device that the intent changes. The first one whose slot the
	// sentence fills counts. Only Command and Adjust have them.
	Sets []Setting
	// Risk is the least risk of the intent. On some things it is dangerous: see
	// Starts and Releases.
	Risk tools.Risk
	// Starts reports whether the intent opens a thing, switches it on or turns it
	// up. That is dangerous where the thing is dangerous. Nil means never.
	Starts func(slots map[string]any) bool
	// Releases are the domains in which the intent is always dangerous: unlocking,
	// disarming.
	Releases []string
	// Reply is the phrase the intent is answered with; "" where the device's
	// receipt or the tool's own words decide (done_on, done_level …).
	Reply string
	Undo  Undoing
}

// Plan is how an intent becomes tool calls.
type Plan uint8

// The ways to plan.
const (
	Unknown  Plan = iota // in no table: the gateway has nothing for it
	Switch               // a control call: on or off, in the words of the thing's kind
	Command              // a control call that sets one of Sets; without Sets no call can do it yet
	Adjust               // the same, starting from what is set now
	Question             // a reading call
	Tool                 // a call of one of our own tools
	List                 // no call: tells what is in a room
	Words                // no call: answered with its phrase
	Before               // about the turn before, which decides what to do
	Lasting              // other acts, which are put back after a time
	Ignored              // never planned: the text was not meant for the house
)

// Setting is one thing an intent sets on a device.
type Setting struct {
	Slot    string       // where the value is; "" where there is none: then the first that the thing can counts
	Ability home.Ability // what the device must be able to do
	Action  string       // what its control tool calls it, and its reply: done_<action>
	Step    float64      // Adjust: how much, when no number is said
}

// Undoing says how an act is taken back.
type Undoing uint8

// The ways of taking back.
const (
	Nothing  Undoing = iota // there is nothing to take back
	Restored                // the device is set to what it was before the act
	Final                   // it cannot be taken back: there is no state to go back to
)

func always(map[string]any) bool { return true }

// unless reports whether none of the slots has the value.
func unless(value any, slots ...string) func(map[string]any) bool {
	return func(filled map[string]any) bool {
		for _, slot := range slots {
			if same(filled[slot], value) {
				return false
			}
		}
		return true
	}
}

func same(v, want any) bool {
	if n, ok := v.(int); ok {
		v = float64(n)
	}
	return v == want
}

// Of looks an intent up. An intent without a line in the table, such as one of a foreign
// pack, is Unknown.
func Of(name string) Intent { return byName[name] }

// All are the intents in the order of the table.
func All() []Intent { return table() }

// Setter returns the intent that gives a device's ability a value, and its
// setting.
func Setter(a home.Ability) (name string, s Setting, ok bool) {
	return find(func(s Setting) bool { return s.Slot != "" && s.Ability == a })
}

// Doing returns the intent that makes a control call with this action on a thing
// that has these abilities. A nil can stands for a thing that has them all.
func Doing(action string, can func(home.Ability) bool) (name string, s Setting, ok bool) {
	return find(func(s Setting) bool { return s.Action == action && (can == nil || can(s.Ability)) })
}

// Actions are what control tools call the settings of all Commands, in the order of the table.
func Actions() (all []string) {
	for _, i := range commands {
		for _, s := range i.Sets {
			if !slices.Contains(all, s.Action) {
				all = append(all, s.Action)
			}
		}
	}
	return all
}

// find is the first setting of a Command that fits.
func find(fits func(Setting) bool) (string, Setting, bool) {
	for _, i := range commands {
		for _, s := range i.Sets {
			if fits(s) {
				return i.Name, s, true
			}
		}
	}
	return "", Setting{}, false
}
