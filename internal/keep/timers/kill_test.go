package timers_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// killed ends a run of a victim.
type killed struct{}

// victim is a program that keeps a book as it should, and is killed at random between any
// two of its steps.
type victim struct {
	*world
	rand  *rand.Rand
	rung  map[string]bool // by name: it could be heard
	over  map[string]int  // by name: it was stopped, or announced
	begun map[string]int  // by name: commands
}

// mayDie ends the program here, now and then.
func (v *victim) mayDie() {
	if v.rand.IntN(6) == 0 {
		panic(killed{})
	}
}

// live is one round of the program, which may end anywhere.
func (v *victim) live() {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			v.wall = v.wall.Add(time.Duration(v.rand.IntN(120)) * time.Second)
			v.up = 0
			v.open()
		}
	}()
	if v.book.Advance(v.now()) {
		v.mayDie()
		v.keep()
		v.mayDie()
	}
	for _, r := range v.book.Rings() {
		v.rung[r.Name] = true
		v.mayDie()
		if v.rand.IntN(3) > 0 {
			continue
		}
		v.book.Change(timers.Change{Action: timers.Stop, Which: timers.Which{ID: r.ID}}, v.now())
		v.mayDie()
		v.keep()
		v.over[r.Name]++ // what a person hears comes after what is written
		v.mayDie()
	}
	for _, e := range v.book.Errands() {
		v.begun[e.Name]++
		v.mayDie()
		v.book.Done(e.ID, timers.Carried, "", v.now())
		v.mayDie()
		v.keep()
		v.mayDie()
	}
	for _, n := range v.book.Notices() {
		v.book.DropNotice(n.ID)
		v.keep()
		v.over[n.Timer.Name]++
		v.mayDie()
	}
}

// keep writes the book without reading it back.
func (v *victim) keep() {
	text, err := json.Marshal(v.book.Save())
	if err != nil {
		v.t.Fatal(err)
	}
	v.saved = text
}

// TestKilledAnywhere: every timer is heard and ended once at most, and every command is
// begun once at most, whenever the program is killed.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	deaths := 0
	for seed := range uint64(200) {
		v := &victim{
			world: newWorld(t, time.Date(2026, 11, 3, 12, 0, 0, 0, berlin(t))), rand: rand.New(rand.NewPCG(seed, 1)),
			rung: map[string]bool{}, over: map[string]int{}, begun: map[string]int{},
		}
		const all = 20
		for i := range all {
			kind := []timers.Kind{timers.Countdown, timers.Reminder, timers.Command, timers.Alarm}[i%4]
			wish := lasting(kind, 1+v.rand.IntN(1800), fmt.Sprint(i))
			if kind == timers.Alarm {
				wish = clocked(kind, v.wall.Add(time.Duration(1+v.rand.IntN(30))*time.Minute).Format("15:04"), fmt.Sprint(i))
			}
			v.start(wish)
		}
		for round := 0; len(v.book.List(timers.Which{}, "", v.now()).Timers)+len(v.book.Errands())+len(v.book.Notices()) > 0; round++ {
			if round > 5000 {
				t.Fatalf("seed %d: it never comes to an end: %+v", seed, v.book.List(timers.Which{}, "", v.now()))
			}
			up := v.up
			v.live()
			if v.up < up {
				deaths++
			}
			v.up, v.wall = v.up+10*time.Second, v.wall.Add(10*time.Second)
		}
		for i := range all {
			name := fmt.Sprint(i)
			heard := v.rung[name] || v.over[name] > 0
			if !heard || v.over[name] > 1 || v.begun[name] > 1 {
				t.Errorf("seed %d: timer %d was heard: %t, ended %d times, begun %d times", seed, i, heard, v.over[name], v.begun[name])
			}
		}
	}
	if deaths < 1000 {
		t.Errorf("it was killed %d times only", deaths)
	}
}
