package truth

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/keep/record"
)

// message is what the family hears in a reply to a command.
type message string

// The messages are those of acts.yaml.
const (
	done          message = "done"
	underWay      message = "under_way"
	queued        message = "queued"
	unsure        message = "unsure"
	notDoneDevice message = "not_done_device"
	notDoneOther  message = "not_done_other"
	refused       message = "refused"
	askedBack     message = "asked"
	leftOut       message = "left_out"
)

// sentenced is the judge's opinion of a reply to a command.
type sentenced struct {
	told      message
	falseDone bool
	blamed    bool   // the device is called the cause of another's fault
	hidden    bool   // it was done, and the reply does not say so
	other     string // what else is not honest
}

func (s sentenced) honest() bool { return !s.falseDone && !s.blamed && !s.hidden && s.other == "" }

func (s sentenced) String() string {
	var faults []string
	for name, is := range map[string]bool{"false done": s.falseDone, "blamed wrongly": s.blamed, "done and not told": s.hidden} {
		if is {
			faults = append(faults, name)
		}
	}
	slices.Sort(faults)
	if s.other != "" {
		faults = append(faults, s.other)
	}
	return fmt.Sprintf("told as %s: %s", s.told, strings.Join(faults, ", "))
}

// sentence judges a reply to an act by the devices as they were when it came.
func (s *sets) sentence(a act, r record.Record, now facts) sentenced {
	named, text := s.house.named(a.Lang, fold(r.Reply))
	out := sentenced{told: tell(s.words[a.Lang], r, text)}
	if names := func(id int) bool { return slices.Contains(named, id) }; slices.ContainsFunc(a.Left, names) &&
		slices.Contains([]message{done, notDoneDevice, unsure}, out.told) {
		out.told = leftOut
	}
	so := a.so(now)
	out.falseDone = out.told == done && (!so || len(a.Left) > 0)
	out.blamed = a.Blameless && out.told == notDoneDevice
	honestDone := len(a.May) == 1 && a.May[0] == string(done)
	out.hidden = honestDone && so && out.told != done
	if out.honest() && !slices.Contains(a.May, string(out.told)) && (out.told != done || !so) {
		out.other = "it may be " + strings.Join(a.May, " or ")
	}
	return out
}

// tell reads what a reply to a command tells.
func tell(w *words, r record.Record, text string) message {
	switch {
	case r.Outcome == record.Asked || strings.HasSuffix(text, "?"):
		return askedBack
	case w.has("queued", text):
		return queued
	case r.Route == record.RouteRefused, w.has("denied", text):
		return refused
	case r.Outcome == record.Done && !w.has("under_way", text) && !w.has("unsure", text):
		return done
	case w.has("other", text):
		return notDoneOther
	case w.has("unsure", text):
		return unsure
	case w.has("under_way", text):
		return underWay
	case w.has("blame", text):
		return notDoneDevice
	case w.has("refused", text):
		return refused
	default:
		return unsure
	}
}

// so reports whether everything that an act wants is so.
func (a act) so(now facts) bool {
	met := meets(now[a.Node], a.Want)
	for id, want := range a.WantOthers {
		met = met && meets(now[id], want)
	}
	return met
}

// meets compares the state of a device with the wanted one.
func meets(now, want map[string]any) bool {
	for key, w := range want {
		if !fits(now[key], w, key) {
			return false
		}
	}
	return true
}

// fits compares one value. "on" and a full level fit any level that is not zero, because
// each device has its own full level.
func fits(got, want any, key string) bool {
	n, _ := got.(float64)
	switch {
	case got == nil:
		return false
	case want == "on", want == 99 && key == level:
		return n > 0
	case want == number(want):
		return strings.EqualFold(fmt.Sprint(got), fmt.Sprint(want))
	default:
		return n == number(want)
	}
}

// number makes the whole numbers of YAML those of a device.
func number(v any) any {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v
}
