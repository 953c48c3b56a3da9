package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
)

// meet finds out whether a gateway runs, and how it says that it is. All other looks rely
// on this one answer, so that a silent program at the port is waited for once.
func (v *visit) meet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var none struct{}
	v.alive = v.Ask(ctx, doors.Alive.Path(), &none)
	if v.runs = v.alive == nil; v.runs {
		_ = v.Ask(ctx, doors.Ready.Path(), &v.ready) // one that does not answer is told of by the other looks
	}
}

// gateway says whether a gateway runs, and whether it is the one of this configuration and
// this program.
func (v *visit) gateway(ctx context.Context) []Finding {
	switch {
	case errors.Is(v.alive, v.NoDaemon):
		return []Finding{{State: Poor, Text: "no gateway runs at " + v.HTTP.Listen, Mend: configure.StartCommand(v.Path, v.Executable, v.Command)}}
	case errors.Is(v.alive, context.DeadlineExceeded):
		return []Finding{{
			State: Ill, Text: fmt.Sprintf("the program at %s takes connections and says nothing within %s: it is no gateway, or one that hangs", v.HTTP.Listen, patience),
			Do: "See which program it is: sudo ss -ltnp" + v.portOnly(),
		}}
	case v.alive != nil:
		return []Finding{{State: Ill, Text: "what runs at " + v.HTTP.Listen + " cannot be asked: " + v.alive.Error(), Do: "See which program it is: sudo ss -ltnp" + v.portOnly()}}
	}
	var other doors.About
	if err := v.Ask(ctx, doors.Gateway.Path(), &other); err != nil {
		return []Finding{{State: Ill, Text: "what runs at " + v.HTTP.Listen + " does not say which gateway it is: " + err.Error(), Do: "Look at what it says: journalctl -u voice-gateway"}}
	}
	if strange := v.strange(other); len(strange) > 0 {
		return strange
	}
	return well("%s runs at %s: process %d, version %s, configuration %s", other.ID, v.HTTP.Listen, other.PID, other.Version, orNone(other.Config))
}

// Status is what the gateway that runs says of itself, and whether it is the one of this
// configuration and this program.
func Status(ctx context.Context, p Patient) []Finding {
	v := &visit{Patient: p}
	v.meet(ctx)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all := v.gateway(ctx)
	for i := range all {
		all[i].Part = "gateway"
	}
	return v.agree(all, "Run "+v.Command+" doctor, which examines more.")
}

// portOnly limits the list of a machine's ports to ours.
func (v *visit) portOnly() string {
	_, port, err := net.SplitHostPort(v.HTTP.Listen)
	if err != nil {
		return ""
	}
	return " 'sport = :" + port + "'"
}

// strange says how the gateway that runs differs from the one that is asked about. With
// another configuration, all that is said here of this one is not true of it.
func (v *visit) strange(other doors.About) []Finding {
	running := fmt.Sprintf("the gateway %s at %s (process %d, version %s)", other.ID, v.HTTP.Listen, other.PID, other.Version)
	if other.PID == 0 {
		running = fmt.Sprintf("the gateway %s at %s (version %s)", other.ID, v.HTTP.Listen, other.Version)
	}
	again := Finding{State: Poor, Mend: "sudo systemctl restart voice-gateway"}
	if start := configure.StartCommand(v.Path, v.Executable, v.Command); !strings.HasPrefix(start, "sudo systemctl") {
		again.Mend, again.Do = "", fmt.Sprintf("End process %d, and start it again: %s", other.PID, start)
	}
	ours := AbsolutePath(v.Path)
	switch {
	case other.PID != 0 && AbsolutePath(other.Config) != ours, other.ID != v.Gateway.ID:
		f := again
		f.State, f.Text = Ill, running+" has another configuration: "+orNone(other.Config)+", and not "+orNone(ours)
		if f.Mend == "" && other.Config != "" {
			f.Do += "; or ask about that one: " + console.Shell(v.Executable+" --config", other.Config) + " doctor"
		}
		return []Finding{f}
	case other.Version != v.Version:
		f := again
		f.Text = running + " is another version than this program, which is " + v.Version
		return []Finding{f}
	case other.PID != 0 && AbsolutePath(other.Program) != AbsolutePath(v.Executable):
		f := again
		f.Text = running + " is the program " + other.Program + ", and this one is " + v.Executable
		return []Finding{f}
	}
	return nil
}

// AbsolutePath is a path from the root and without links, as far as it exists, so that two can be
// compared; "" stays "".
func AbsolutePath(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil {
		path = direct
	}
	return path
}

func orNone(path string) string {
	if path == "" {
		return "none"
	}
	return path
}

// named are the names of this package for the parts of a gateway, where they differ.
var named = map[string]string{
	"mqtt": "broker", "audio": "microphone", "mcp": "house", "ai": "model", "tts": "voice", "stt": "recogniser", "wake": "wake word", "grammar": "names", "losses": "lost",
}

// agree lets the gateway that runs have its say: where it says that a part is not well and
// the looks have found nothing, the finding is the gateway's. next is what to do about it.
func (v *visit) agree(all []Finding, next string) []Finding {
	for _, p := range v.ready.Parts {
		state := State(p.Health)
		if p.Why == "" || state != Poor && state != Ill {
			continue
		}
		name := cmp.Or(named[p.Name], p.Name)
		if p.Name == "mcp" && v.lacksOnlyOthers(p.Why) {
			name = "servers"
		}
		of := func(f Finding) bool { return f.Part == name || p.Name == "mcp" && strings.HasPrefix(f.Part, "server ") }
		if slices.ContainsFunc(all, func(f Finding) bool { return of(f) && worse(f.State, state) == f.State && f.State != Well }) {
			continue
		}
		f := Finding{Part: name, State: state, Text: p.Why, Do: next}
		if at := slices.IndexFunc(all, func(f Finding) bool { return f.Part == name }); at >= 0 && all[at].State == Well {
			all[at] = f
		} else {
			all = append(all, f)
		}
	}
	return all
}

// lacksOnlyOthers reports whether the gateway says that some of its MCP servers are not
// connected, and no house is behind any of them.
func (v *visit) lacksOnlyOthers(why string) bool {
	list, found := strings.CutPrefix(why, "not connected: ")
	if !found {
		return false
	}
	list, _, _ = strings.Cut(list, ";")
	return !slices.ContainsFunc(strings.Split(list, ", "), func(id string) bool { return v.MCP.Servers[id].House })
}

// worse is the worse one of two states.
func worse(a, b State) State {
	if a == Ill || b == Ill {
		return Ill
	}
	if a == Poor || b == Poor {
		return Poor
	}
	return Well
}
