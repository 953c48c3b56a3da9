package reader

import "strings"

// Kind is a kind of order to a house, by the name that it has in the files of words and of
// weights; None is none.
type Kind string

// The kinds. Each is what people of a crowd took a sentence for, so those of lights and of
// the volume are about the direction and not about the act.
const (
	None Kind = "" // not for the house

	LightOn     Kind = "light_on"
	LightOff    Kind = "light_off"
	LightUp     Kind = "light_up"
	LightDown   Kind = "light_down"
	LightChange Kind = "light_change" // another colour, or a mood

	Coffee  Kind = "coffee" // make some
	Clean   Kind = "clean"  // with the robot vacuum
	PlugOn  Kind = "plug_on"
	PlugOff Kind = "plug_off"

	VolumeUp   Kind = "volume_up"
	VolumeDown Kind = "volume_down"
	VolumeMute Kind = "volume_mute"
	VolumeSet  Kind = "volume_set" // to a level, or how loud it is

	AlarmSet    Kind = "alarm_set"
	AlarmQuery  Kind = "alarm_query"
	AlarmRemove Kind = "alarm_remove"

	Clock   Kind = "clock"   // the time, the date, the calendar
	Convert Kind = "convert" // the time of one place in another

	// Nobody has labelled these, so only the words say them.
	CoffeeStop Kind = "coffee_stop"
	CleanStop  Kind = "clean_stop"
)

// Kinds returns all kinds in the order in which files of weights have them; None is the
// first.
func Kinds() []Kind {
	return []Kind{
		None, LightOn, LightOff, LightUp, LightDown, LightChange, Coffee, Clean, PlugOn, PlugOff,
		VolumeUp, VolumeDown, VolumeMute, VolumeSet, AlarmSet, AlarmQuery, AlarmRemove, Clock, Convert,
	}
}

// Things says what a kind is about: "light", "volume". Of kinds about the same things, what is
// said decides better than what was learned.
func (k Kind) Things() string {
	things, _, _ := strings.Cut(string(k), "_")
	return things
}

// labels are the labels of a crowd's sentences that are for the house.
var labels = map[string]Kind{
	"iot/hue_lighton": LightOn, "iot/hue_lightoff": LightOff, "iot/hue_lightup": LightUp,
	"iot/hue_lightdim": LightDown, "iot/hue_lightchange": LightChange,
	"iot/coffee": Coffee, "iot/cleaning": Clean, "iot/wemo_on": PlugOn, "iot/wemo_off": PlugOff,
	"audio/volume_up": VolumeUp, "audio/volume_down": VolumeDown, "audio/volume_mute": VolumeMute, "audio/volume_other": VolumeSet,
	"alarm/set": AlarmSet, "alarm/query": AlarmQuery, "alarm/remove": AlarmRemove,
	"datetime/query": Clock, "datetime/convert": Convert,
}

// Labelled returns the kind of a label of the crowd, "iot/coffee"; None for every label that
// is not a house's.
func Labelled(label string) Kind { return labels[label] }
