package gateway

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/ear"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools"
)

// ending keeps the record of a turn that ended.
type ending struct{ record.Record }

// TurnEnded keeps it.
func (e *ending) TurnEnded(r record.Record) { e.Record = r }

// TestTheRecordOfWhatWasNotDone checks that the record of a turn tells what turned out
// not to be done, whether that is found out before the turn has ended or after: then it is
// told anew, once.
func TestTheRecordOfWhatWasNotDone(t *testing.T) {
	t.Parallel()
	phrases, err := reply.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	lamps := &home.House{Entities: []home.Entity{{ID: "light.lamp", Name: "Lamp", Domain: "light"}}}
	rooms, err := house.NewNamed(intent.English(), lamps, house.Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		group bool
		early bool          // it is found out while the turn is under way
		later time.Duration // it is found out so long after the turn
		lied  bool
	}{
		"after the turn":  {later: time.Second, lied: true},
		"during the turn": {early: true, lied: true},
		"one of a group":  {group: true, later: time.Second, lied: true},
		"of another turn": {later: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := &journal{log: slog.New(slog.DiscardHandler)}
				var told []record.Record
				correct := j.correcting(rooms, phrases, func(r record.Record) { told = append(told, r) })
				lie := home.Event{Kind: home.Belied, Server: "zwave", Entity: "light.lamp", Thing: "Lamp", Property: "on_off", Before: "on", State: "off"}
				receipt := record.Receipt{Device: "Lamp", Property: "on_off", Before: "off", Value: "on", Outcome: tools.Confirmed}
				if tc.group {
					receipt = record.Receipt{Device: "lights", Outcome: tools.Confirmed, Devices: []tools.Receipt{tools.Receipt(receipt)}}
				}
				ended := record.Record{ID: "t-1", Time: time.Now(), Verdict: record.Verdict{Outcome: record.Done, Calls: []record.CallMade{{Server: "zwave", Receipt: &receipt}}}}
				if tc.early {
					correct(lie)
				}
				after := &ending{}
				observers{discreet{}, j.truly, []ear.Observer{j}, []ear.Observer{follower{after}}}.TurnEnded(ended)
				if !after.Calls[0].Receipt.Done() {
					t.Error("what tells of it by itself does not know what was told")
				}
				<-time.After(tc.later)
				if !tc.early {
					correct(lie)
				}
				kept := j.last()[0]
				if lied := kept.Outcome == record.Failed && kept.Error == "The lamp did not come on after all."; lied != tc.lied || kept.Calls[0].Receipt.Done() == tc.lied {
					t.Errorf("%s %q, receipt %+v", kept.Outcome, kept.Error, kept.Calls[0].Receipt)
				}
				if lied := len(told) == 1 && told[0].Outcome == record.Failed; lied != (tc.lied && !tc.early) {
					t.Errorf("told anew: %+v", told)
				}
				if !receipt.Done() {
					t.Error("the receipt of others was changed")
				}
			})
		})
	}
}
