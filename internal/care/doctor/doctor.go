// Package doctor examines an installation, reports the condition of each part and, for
// a part with a problem, gives the one command that solves it. It exists because a
// family that hears nothing does not know whether a microphone, a model, a password or
// a port is missing. A new check is a function and a line in the table of looks.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
)

// State is how a part is.
type State string

// The states, the worst last.
const (
	Well State = "well"
	Poor State = "poor" // it works, and not as well as it could
	Ill  State = "ill"  // it does not work
)

// Finding is what is said of one part.
type Finding struct {
	Part  string `json:"part"`
	State State  `json:"state"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"` // the command that mends it, "" where there is none
	Do    string `json:"do,omitempty"`   // what hands have to do where no command mends it
}

// Patient is the installation that is looked at.
type Patient struct {
	*configure.Loaded
	Executable string // our own program
	Version    string // of it
	Command    string // how it is called, with the flags that name the configuration
	User       string // who runs it, as commands name him
	// Ask asks the gateway that runs; NoDaemon is its error where none does.
	Ask      func(ctx context.Context, path string, answer any) error
	NoDaemon error
	// Sound lists the sound devices: those of the gateway that runs, or as found here.
	Sound func(ctx context.Context, runs bool) (audio.Equipment, error)
	// Reads measures how long the neural recogniser takes here to read a short command; nil:
	// it is not measured.
	Reads func(ctx context.Context) (time.Duration, error)
	Now   func() time.Time
	Log   *slog.Logger
}

// look examines one part. A look that finds nothing to say returns nothing.
type look struct {
	part string
	// living looks need a gateway that runs, or speak about one.
	living bool
	does   func(p *visit, ctx context.Context) []Finding
}

// looks are told in this order.
func looks() []look {
	return []look{
		{"gateway", true, (*visit).gateway},
		{"clock", false, (*visit).clock},
		{"state", false, (*visit).state},
		{"lost", false, (*visit).lost},
		{"secrets", false, (*visit).secrets},
		{"sound", false, (*visit).sound},
		{"wake word", false, (*visit).wakeWord},
		{"recogniser", false, (*visit).recogniser},
		{"voice", false, (*visit).voice},
		{"broker", false, (*visit).broker},
		{"strangers", false, (*visit).strangers},
		{"http", false, (*visit).http},
		{"model", false, (*visit).model},
		{"servers", false, (*visit).servers},
		{"home assistant", false, (*visit).homeAssistants},
		{"house", true, (*visit).house},
		{"names", true, (*visit).names},
	}
}

// visit is one examination.
type visit struct {
	Patient
	whole bool            // everything is looked at, whatever time it takes
	runs  bool            // a gateway runs
	alive error           // of asking it whether it is alive
	ready doors.Readiness // what it says of its parts
}

// longestLook bounds one look: a sound library takes seconds on a small machine.
const longestLook = 30 * time.Second

// Examine looks at everything.
func Examine(ctx context.Context, p Patient) []Finding { return examine(ctx, p, true) }

// Check looks at what the configuration names: programs, addresses, ports, devices,
// models, voices and directories. It does not ask whether a gateway runs, or how the
// house is.
func Check(ctx context.Context, p Patient) []Finding { return examine(ctx, p, false) }

func examine(ctx context.Context, p Patient, all bool) []Finding {
	v := &visit{Patient: p, whole: all}
	v.meet(ctx)
	list := slices.DeleteFunc(looks(), func(l look) bool { return l.living && !all })
	found := make([][]Finding, len(list))
	var g errgroup.Group
	for i, l := range list {
		g.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, longestLook)
			defer cancel()
			found[i] = l.does(v, ctx)
			for j := range found[i] {
				found[i][j].Part = cmp.Or(found[i][j].Part, l.part)
			}
			return nil
		})
	}
	_ = g.Wait() // looks return no errors
	if !all {
		return slices.Concat(found...)
	}
	return v.agree(slices.Concat(found...), "Look at what the gateway says: journalctl -u voice-gateway")
}

// Worst is the worst state of all.
func Worst(all []Finding) State {
	worst := Well
	for _, f := range all {
		if f.State == Ill || worst == Well {
			worst = f.State
		}
	}
	return worst
}

// Tell prints a line for each finding, and below it what mends it.
func Tell(out io.Writer, paint console.Paint, all []Finding) {
	var b strings.Builder
	width := 0
	for _, f := range all {
		width = max(width, len(f.Part))
	}
	signs := map[State]string{Well: paint.Good("✓"), Poor: paint.Warn("!"), Ill: paint.Bad("✗")}
	for _, f := range all {
		fmt.Fprintf(&b, "%s %-*s  %s\n", signs[f.State], width, f.Part, f.Text)
		switch indent := strings.Repeat(" ", width+4); {
		case f.Mend != "":
			fmt.Fprintf(&b, "%s%s %s\n", indent, paint.Bold("mend:"), f.Mend)
		case f.Do != "":
			fmt.Fprintf(&b, "%s%s %s\n", indent, paint.Bold("by hand:"), f.Do)
		}
	}
	_, _ = io.WriteString(out, b.String()) // an error is dropped: a terminal that is gone cannot show it
}

func well(format string, args ...any) []Finding {
	return []Finding{{State: Well, Text: fmt.Sprintf(format, args...)}}
}

// set is the command that changes a value of the configuration.
func (v *visit) set(key, value string) string { return v.config("set", key, value) }

// config is a command about the configuration.
func (v *visit) config(what string, args ...string) string {
	return console.Shell(v.Command+" config "+what, args...)
}
