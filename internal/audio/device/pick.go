package device

import (
	"fmt"
	"regexp"
	"strings"

	"voicegateway/internal/audio"
)

// byDefault is the name that means the system's choice.
const byDefault = "default"

// candidate is a device as the library lists it.
type candidate struct {
	name            string // may end in ALSA's number, such as "(hw:1,0)"
	inputs, outputs int    // channels
	rate            int    // in Hz
	defaultInput    bool
	defaultOutput   bool
}

func (c candidate) channels(output bool) int {
	if output {
		return c.outputs
	}
	return c.inputs
}

func (c candidate) isDefault(output bool) bool {
	if output {
		return c.defaultOutput
	}
	return c.defaultInput
}

// number matches how the library writes where a card is plugged in.
var number = regexp.MustCompile(`\s*\((hw:\d+(?:,\d+)?)\)`)

// stable is a device's name without the number that changes when it is plugged
// in again.
func stable(name string) string { return strings.TrimSpace(number.ReplaceAllString(name, "")) }

// hardware is ALSA's name for the place of a device, such as hw:1,0, or "".
func hardware(name string) string {
	if m := number.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

func isDefaultName(name string) bool { return name == "" || strings.EqualFold(name, byDefault) }

// pick chooses a device by the configured name and says why: by the whole name,
// else by the name without the number, else by a part of either. It returns -1
// when none fits.
func pick(all []candidate, want string, output bool) (index int, why string) {
	if isDefaultName(want) {
		for i, c := range all {
			if c.isDefault(output) {
				return i, "the system's default " + direction(output)
			}
		}
		return -1, ""
	}
	full, name := strings.ToLower(want), strings.ToLower(stable(want))
	same := func(c candidate) bool { return strings.ToLower(c.name) == full }
	rules := []struct {
		why string
		fit func(c candidate) bool
	}{
		{"its name is " + want, same},
		{"its name is " + stable(want), func(c candidate) bool { return strings.ToLower(stable(c.name)) == name }},
		{fmt.Sprintf("its name contains %q", want), func(c candidate) bool { return strings.Contains(strings.ToLower(c.name), full) }},
		{fmt.Sprintf("its name contains %q", stable(want)), func(c candidate) bool {
			return name != "" && strings.Contains(strings.ToLower(stable(c.name)), name)
		}},
	}
	for _, r := range rules {
		for i, c := range all {
			if c.channels(output) > 0 && r.fit(c) {
				return i, r.why
			}
		}
	}
	return -1, ""
}

func direction(output bool) string {
	if output {
		return "speaker"
	}
	return "microphone"
}

// absentError says that no device fits.
type absentError struct {
	want   string
	output bool
	others []string // names of devices that could be meant
}

func (e *absentError) Error() string {
	key := "audio.input"
	if e.output {
		key = "audio.output"
	}
	if isDefaultName(e.want) {
		return fmt.Sprintf("no %s found; plug one in, or name one in %s", direction(e.output), key)
	}
	if len(e.others) == 0 {
		return fmt.Sprintf("no %s is called %q, and there is no other; plug it in, or change %s", direction(e.output), e.want, key)
	}
	return fmt.Sprintf("no %s is called %q; there are: %s; plug it in, or change %s", direction(e.output), e.want, strings.Join(e.others, "; "), key)
}

func absent(all []candidate, want string, output bool) error {
	e := &absentError{want: want, output: output}
	for _, c := range all {
		if c.channels(output) > 0 {
			e.others = append(e.others, stable(c.name))
		}
	}
	return e
}

// manyChannels is more than any microphone has. Devices that claim so many
// convert the sound, and give as many channels as they are asked for.
const manyChannels = 16

// channelCounts are the numbers of channels to open a microphone with, best
// first, so that channel (from 1) is among them.
func channelCounts(name string, has, channel int) ([]int, error) {
	switch {
	case channel > has:
		return nil, fmt.Errorf("audio.channel is %d, but %s has %s; set audio.channel to 1%s", channel, name, plural(has), upTo(has))
	case channel <= 1:
		return []int{1, 2, has}, nil
	case has > manyChannels:
		return []int{channel}, nil
	}
	return []int{has, channel}, nil
}

func plural(channels int) string {
	if channels == 1 {
		return "1 channel"
	}
	return fmt.Sprintf("%d channels", channels)
}

func upTo(channels int) string {
	if channels == 1 {
		return ""
	}
	return fmt.Sprintf(" … %d", channels)
}

// describe makes the list people see.
func describe(all []candidate, q openRequest) []audio.Device {
	count := map[string]int{}
	for _, c := range all {
		count[stable(c.name)]++
	}
	infos := make([]audio.Device, len(all))
	for i, c := range all {
		infos[i] = audio.Device{
			Name: stable(c.name), Hardware: hardware(c.name), Inputs: c.inputs, Outputs: c.outputs, Rate: c.rate,
			Default: c.defaultInput || c.defaultOutput,
		}
		if count[infos[i].Name] > 1 {
			infos[i].Name = c.name
		}
	}
	if i, why := pick(all, q.Input, false); i >= 0 {
		if _, err := channelCounts(stable(all[i].name), all[i].inputs, q.Channel); err != nil {
			why = "cannot be used: " + err.Error()
		}
		infos[i].Use("input", why)
	}
	if i, why := pick(all, q.Output, true); i >= 0 {
		infos[i].Use("output", why)
	}
	return infos
}
