package audio

// Equipment describes the sound devices for users and programs.
type Equipment struct {
	Devices       []Device `json:"devices"`
	Input         string   `json:"input"`  // the open microphone; "" when there is none
	Output        string   `json:"output"` // the speaker; "" until something was played
	InputProblem  string   `json:"input_problem"`
	OutputProblem string   `json:"output_problem"`
	Muted         bool     `json:"muted"`
}

// Device is one sound device as the system lists it.
type Device struct {
	// Name stays the same when the device is plugged in again elsewhere, so it is
	// what belongs in the configuration. Only if there are two devices of the same
	// name does it hold ALSA's number, which may change.
	Name     string `json:"name"`
	Hardware string `json:"hardware"` // ALSA's number of it at present, such as "hw:1,0"; "" if it has none
	Inputs   int    `json:"inputs"`   // channels it can record
	Outputs  int    `json:"outputs"`  // channels it can play
	Rate     int    `json:"rate"`     // its own sample rate in Hz
	Default  bool   `json:"default"`  // the system's default microphone or speaker
	Used     string `json:"used"`     // "input", "output", "input, output" or ""
	Why      string `json:"why"`      // why it is used, or what speaks against it
}

// Use notes one of the two things a device may be used for.
func (i *Device) Use(what, why string) {
	if i.Used == "" {
		i.Used, i.Why = what, why
		return
	}
	i.Used += ", " + what
	if why != i.Why {
		i.Why += "; " + why
	}
}
