package timers

// Request is a program's request, over HTTP, MQTT or from the command line: a new timer
// for the action start, which is the default, and a change for any other action.
type Request struct {
	Action  Action `json:"action,omitempty"`
	Timer   string `json:"timer,omitempty"` // its id
	Kind    Kind   `json:"kind,omitempty"`  // of a new one; by default what the other members speak for
	Name    string `json:"name,omitempty"`
	Seconds *int   `json:"seconds,omitempty"`
	At      string `json:"at,omitempty"` // HH:MM
	Day     string `json:"day,omitempty"`
	Every   string `json:"every,omitempty"`
	Text    string `json:"text,omitempty"`
	Command string `json:"command,omitempty"`
	Area    string `json:"area,omitempty"`
}

// Begin is the action that starts a timer.
const Begin Action = "start"

// Starts reports whether a new timer is asked for.
func (r Request) Starts() bool { return r.Action == "" || r.Action == Begin }

// Wish is the new timer that is asked for.
func (r Request) Wish() Wish {
	o := Wish{Kind: r.Kind, Seconds: r.Seconds, At: r.At, Day: r.Day, Every: r.Every, Name: r.Name, Text: r.Text, Command: r.Command, Area: r.Area}
	switch {
	case o.Kind != "":
	case o.Command != "":
		o.Kind = Command
	case o.Text != "":
		o.Kind = Reminder
	case o.At != "":
		o.Kind = Alarm
	default:
		o.Kind = Countdown
	}
	return o
}

// Change returns the requested change. A program has no room of its own, so it names a
// timer or means all that match.
func (r Request) Change() Change {
	c := Change{Action: r.Action, Which: Which{ID: r.Timer, Name: r.Name, Kind: r.Kind, At: r.At, Area: r.Area}}
	if r.Seconds != nil {
		c.Seconds = *r.Seconds
	}
	return c
}
