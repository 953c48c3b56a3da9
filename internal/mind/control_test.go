package mind_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
)

// tap orders an act on a thing without words.
func (k *talk) tap(source record.Source, thing, do string, value any) record.Record {
	k.t.Helper()
	rec := k.answer.Turn(k.t.Context(), record.Request{
		Area: k.area, Source: source, Control: &record.Control{Thing: thing, Name: thing, Do: do, Value: value},
	})
	k.said = append(k.said, rec.Reply)
	return rec
}

// TestTaps: a tap is an act like a spoken one: with a receipt, a sentence and an undo by
// voice, and what may not be done is refused with the same sentence.
func TestTaps(t *testing.T) {
	t.Parallel()
	type tap struct {
		thing, do string
		value     any
	}
	for name, tt := range map[string]struct {
		taps    []tap
		says    []string // after them, aloud in the kitchen
		calls   []string
		said    []string
		outcome record.Outcome // of the last tap
	}{
		"a lamp":          {[]tap{{"light.Kitchen Light", "on", nil}}, nil, []string{"Kitchen Light on"}, []string{"The kitchen light is on."}, record.Done},
		"a level":         {[]tap{{"light.Left Lamp", "level", 40.0}}, nil, []string{"Left Lamp level 40"}, []string{"The left lamp is at 40 percent."}, record.Done},
		"undone by voice": {[]tap{{"light.Kitchen Light", "on", nil}}, []string{"undo that"}, []string{"Kitchen Light on", "Kitchen Light off"}, []string{"The kitchen light is on.", "The kitchen light is off again."}, record.Done},
		"an undo is undone": {
			[]tap{{"light.Kitchen Light", "on", nil}},
			[]string{"undo that", "undo that"},
			[]string{"Kitchen Light on", "Kitchen Light off", "Kitchen Light on"},
			[]string{"The kitchen light is on.", "The kitchen light is off again.", "The kitchen light is on again."},
			record.Done,
		},
		"undo is about what came last": {
			[]tap{{"light.Kitchen Light", "on", nil}},
			[]string{"turn on the left lamp", "undo that"},
			[]string{"Kitchen Light on", "Left Lamp on", "Left Lamp off"},
			[]string{"The kitchen light is on.", "The left lamp is on.", "The left lamp is off again."},
			record.Done,
		},
		"no is no word about a tap": {
			[]tap{{"light.Kitchen Light", "on", nil}}, []string{"no"}, []string{"Kitchen Light on"}, []string{"The kitchen light is on.", "Okay."}, record.Done,
		},
		"a lock":                      {[]tap{{"lock.Front Door", "lock", nil}}, nil, []string{"Front Door lock"}, []string{"The front door is locked."}, record.Done},
		"a door is not unlocked":      {[]tap{{"lock.Front Door", "unlock", nil}}, nil, nil, []string{"Unlocking is switched off here."}, record.Failed},
		"a thing that is gone":        {[]tap{{"light.Nothing", "on", nil}}, nil, nil, []string{"That device is gone."}, record.Failed},
		"what a thing cannot do":      {[]tap{{"light.Kitchen Light", "open", nil}}, nil, nil, []string{"I can't do that with the kitchen light."}, record.Failed},
		"a value that is none":        {[]tap{{"light.Left Lamp", "level", "bright"}}, nil, nil, []string{"I can't do that with the left lamp."}, record.Failed},
		"a lamp that does not answer": {[]tap{{"light.Right Lamp", "on", nil}}, nil, []string{"Right Lamp on"}, []string{"I can't reach the right lamp. Check the power."}, record.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, "en", nil)
				k.world.Outcome["Right Lamp"] = "no_answer/dead"
				k.area = "Kitchen"
				var last record.Record
				for _, c := range tt.taps {
					last = k.tap(record.FromPage, c.thing, c.do, c.value)
				}
				if last.Outcome != tt.outcome || last.Transcript != nil || last.Control == nil || last.Source != record.FromPage {
					t.Errorf("the record is %+v", last)
				}
				<-time.After(time.Second)
				for _, l := range tt.says {
					k.line(l)
				}
				if !slices.Equal(k.world.Calls, tt.calls) || !slices.Equal(k.said, tt.said) {
					t.Errorf("calls %q, said %q; want %q, %q", k.world.Calls, k.said, tt.calls, tt.said)
				}
			})
		})
	}
}

// TestTapsLeaveQuestionsAlone: a tap between a question and its answer answers nothing.
func TestTapsLeaveQuestionsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, "en", nil)
		k.line("turn on the lamp")
		k.tap(record.FromHTTP, "light.Kitchen Light", "on", nil)
		k.line("the left one")
		if want := []string{"Kitchen Light on", "Left Lamp on"}; !slices.Equal(k.world.Calls, want) {
			t.Errorf("calls %q, said %q", k.world.Calls, k.said)
		}
	})
}

// TestTapsOfOneGroupAreTakenBackTogether: acts that one tap has ordered on several things are
// taken back by one undo, and by the next one done again. An act of another group is taken back
// alone.
func TestTapsOfOneGroupAreTakenBackTogether(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		groups [3]string
		says   []string
		want   []string // after the taps
	}{
		"one group":          {[3]string{"a", "a", "a"}, []string{"undo that"}, []string{"Coffee Machine off", "Kitchen Light off", "Left Lamp off"}},
		"done again":         {[3]string{"a", "a", "a"}, []string{"undo that", "undo that"}, []string{"Coffee Machine off", "Kitchen Light off", "Left Lamp off", "Coffee Machine on", "Kitchen Light on", "Left Lamp on"}},
		"another group":      {[3]string{"a", "a", "b"}, []string{"undo that"}, []string{"Left Lamp off"}},
		"without any group":  {[3]string{"", "", ""}, []string{"undo that"}, []string{"Left Lamp off"}},
		"a group of its own": {[3]string{"", "a", "a"}, []string{"undo that"}, []string{"Coffee Machine off", "Left Lamp off"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, "en", nil)
				k.area = "Kitchen"
				for i, thing := range []string{"light.Kitchen Light", "switch.Coffee Machine", "light.Left Lamp"} {
					k.answer.Turn(t.Context(), record.Request{
						Area: k.area, Source: record.FromPage, Group: tt.groups[i], Control: &record.Control{Thing: thing, Name: thing, Do: "on"},
					})
					<-time.After(time.Second)
				}
				k.world.Calls = nil
				for _, l := range tt.says {
					k.line(l)
				}
				if !slices.Equal(k.world.Calls, tt.want) {
					t.Errorf("calls %q, said %q; want %q", k.world.Calls, k.said, tt.want)
				}
			})
		})
	}
}
