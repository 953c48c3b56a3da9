package timers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// happening is something that is done to the clock or the program during a day.
type happening struct {
	at  string // on a clock that is always right
	set time.Duration
	off time.Duration // without power, and without a clock of its own if wrong is set
	// wrong is what the clock shows at the start after that; it is put right a minute later.
	wrong bool
}

// planned is a timer of the day, and when it is to be heard of by a right clock.
type planned struct {
	started string
	order   timers.Wish
	want    []string
}

// TestADay lives through the night in which the clocks change and the day after, with
// forty timers, a clock that is set wrong and right, two power cuts, and a book that is
// read back after every write. It prints what rang when, and why.
func TestADay(t *testing.T) {
	t.Parallel()
	for name, night := range map[string]struct {
		begin time.Time
		early string // 02:30 of the alarm in the night
	}{
		"forward": {time.Date(2026, 3, 28, 18, 0, 0, 0, berlin(t)), "29 03:00"},
		"back":    {time.Date(2026, 10, 24, 18, 0, 0, 0, berlin(t)), "25 02:30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &day{world: newWorld(t, night.begin), right: night.begin, zone: night.begin.Location(), heard: map[string][]string{}, ids: map[string]string{}}
			plan := aDay(night.early)
			d.live(plan, []happening{
				{at: "19:10", set: 20 * time.Minute},
				{at: "19:40", set: -20 * time.Minute},
				{at: "20:30", set: -2 * time.Hour},
				{at: "20:45", set: 2 * time.Hour},
				{at: "22:00", off: 10 * time.Minute, wrong: true},
				{at: "08:10", off: 50 * time.Minute},
				{at: "12:00", off: 3 * time.Hour},
			})
			d.judge(plan)
		})
	}
}

// day is a world with a right clock beside the one on the wall.
type day struct {
	*world
	right time.Time
	zone  *time.Location
	heard map[string][]string
	ids   map[string]string
	table strings.Builder
}

// aDay lists forty timers.
func aDay(early string) []planned {
	next := early[:2]
	var all []planned
	plan := func(started string, o timers.Wish, want ...string) {
		o.Name = fmt.Sprintf("%02d", len(all)+1)
		all = append(all, planned{started, o, want})
	}
	minutes := func(kind timers.Kind, n int) timers.Wish { return lasting(kind, n*60, "") }
	every := func(o timers.Wish, every string) timers.Wish { o.Every = every; return o }
	for i := range 20 { // by the time that passes, whatever the clock shows
		start, length := 18*60+5+7*i, 10+3*i
		end := start + length
		plan(fmt.Sprintf("%02d:%02d", start/60, start%60), minutes([]timers.Kind{timers.Countdown, timers.Reminder, timers.Command}[i%3], length),
			fmt.Sprintf("+%d", end-start))
	}
	plan("18:05", clocked(timers.Alarm, "02:30", ""), early)
	plan("18:05", every(clocked(timers.Alarm, "07:00", ""), "day"), next+" 07:00")
	plan("18:05", every(clocked(timers.Alarm, "07:00", ""), "weekend"), next+" 07:00")
	plan("18:05", every(clocked(timers.Alarm, "07:00", ""), "weekday"))
	plan("18:05", every(clocked(timers.Alarm, "07:05", ""), "sunday"), next+" 07:05")
	plan("18:05", clocked(timers.Command, "06:30", ""), next+" 06:30")
	plan("18:05", clocked(timers.Reminder, "10:00", ""), next+" 10:00")
	plan("18:05", clocked(timers.Alarm, "08:45", ""), next+" 09:00 late")   // the power was away
	plan("18:05", clocked(timers.Alarm, "08:20", ""), next+" 09:00 missed") // for too long
	plan("08:05", minutes(timers.Countdown, 10), next+" 09:00 late")
	plan("08:05", minutes(timers.Command, 10), next+" 09:00 missed")
	plan("08:05", minutes(timers.Command, 53), next+" 09:00")
	plan("11:59", minutes(timers.Countdown, 60), next+" 15:00 missed")
	plan("11:59", minutes(timers.Countdown, 150), next+" 15:00 late")
	plan("11:59", minutes(timers.Reminder, 240), "+240")
	plan("21:55", minutes(timers.Countdown, 60), "+60") // over a power cut that stops the clock
	plan("21:55", minutes(timers.Countdown, 8), "22:12 late")
	plan("21:55", clocked(timers.Alarm, "22:20", ""), "22:20")
	plan("15:10", clocked(timers.Alarm, "15:20", ""), next+" 15:20")
	plan("15:10", minutes(timers.Countdown, 1), "+1")
	return all
}

// live lets twenty-four hours pass, second by second where something happens.
func (d *day) live(plan []planned, happenings []happening) {
	const step = 10 * time.Second
	cursor := 0
	for end := d.right.Add(24 * time.Hour); d.right.Before(end); {
		for i := range plan {
			if p := &plan[i]; d.ids[p.order.Name] == "" && d.right.Format("15:04") == p.started {
				d.ids[p.order.Name] = d.start(p.order).Timers[0].ID
				for j, want := range p.want { // counted from now
					var after int
					if n, _ := fmt.Sscanf(want, "+%d", &after); n == 1 {
						p.want[j] = d.right.Add(time.Duration(after) * time.Minute).Format("02 15:04")
					} else if len(want) < len("02 15:04") || want[2] == ':' {
						p.want[j] = d.right.Format("02 ") + want
					}
				}
			}
		}
		if cursor < len(happenings) && d.right.Format("15:04") == happenings[cursor].at {
			d.happen(happenings[cursor])
			cursor++
		}
		d.right = d.right.Add(step)
		d.pass(step)
		d.listen()
	}
	if cursor < len(happenings) {
		d.t.Fatalf("only %d things happened", cursor)
	}
}

// happen sets the clock, or cuts the power.
func (d *day) happen(h happening) {
	if h.off == 0 {
		d.wall = d.wall.Add(h.set)
		d.note("the clock is set by " + h.set.String())
		return
	}
	d.right, d.up = d.right.Add(h.off), 0
	d.wall = d.right
	if h.wrong {
		d.wall = time.Date(2024, 1, 1, 0, 0, 0, 0, d.zone)
	}
	d.note("the power was away for " + h.off.String())
	d.open()
	d.pass(0)
	d.listen()
	if h.wrong {
		d.right, d.up = d.right.Add(2*time.Minute), d.up+2*time.Minute
		d.wall = d.right
		d.note("the clock is set right by the net")
		d.pass(0)
		d.listen()
	}
}

// listen notes everything that rings, is due as a command or is announced, and marks it
// as done.
func (d *day) listen() {
	for _, r := range d.book.Rings() {
		how := ""
		if r.Late > 0 {
			how = " late"
		}
		d.note(r.Name + how)
		d.change(timers.Change{Action: timers.Stop, Which: timers.Which{ID: r.ID}})
	}
	for _, n := range d.book.Notices() {
		how := " missed"
		if n.Kind == timers.Interrupted { // its time came; killed when that was written down, before it was begun
			how = ""
		}
		d.note(n.Timer.Name + how)
		d.book.DropNotice(n.ID)
		d.write()
	}
}

func (d *day) note(text string) {
	name, how, _ := strings.Cut(text, " ")
	if len(name) == 2 {
		d.heard[name] = append(d.heard[name], strings.TrimSpace(d.right.Format("02 15:04")+" "+how))
	}
	fmt.Fprintf(&d.table, "%s  wall %s  %s\n", d.right.Format("02 15:04:05 MST"), d.wall.Format("2006-01-02 15:04:05"), text)
}

// judge compares what each timer did with what it should have done.
func (d *day) judge(plan []planned) {
	if len(plan) != 40 {
		d.t.Errorf("%d timers were planned", len(plan))
	}
	lost, double, wrong := 0, 0, 0
	for _, p := range plan {
		got := d.heard[p.order.Name]
		switch {
		case len(got) < len(p.want):
			lost++
		case len(got) > len(p.want):
			double++
		case !slices.Equal(got, p.want):
			wrong++
		default:
			continue
		}
		d.t.Errorf("%s, a %s of %s: heard of %q, expected %q", p.order.Name, p.order.Kind, p.started, got, p.want)
	}
	d.t.Logf("%s\n%d timers: %d lost, %d double, %d at the wrong time", d.table.String(), len(plan), lost, double, wrong)
}
