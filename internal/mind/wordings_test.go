package mind_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// What becomes of the wordings without a model: at least so many are right at once, at
// least so many more after a yes, and at most so many do or answer something else.
const (
	wordingsRight       = 24
	wordingsAsked       = 0
	wordingsWrong       = 4 // a wrong question does nothing, but nobody likes to hear it
	wordingsDoneWrongly = 0 // something else was changed, and nothing was asked
)

// TestWordings says what people say at home in words of their own, without a model, and
// counts what is right, by kind.
func TestWordings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(15 * time.Hour)
		count := map[string]map[string]int{}
		sum := map[string]int{}
		for kind, line := range readSet(t, "testdata/wordings/en.txt") {
			text, want, ok := strings.Cut(line, " => ")
			if !ok {
				continue // what the file is about
			}
			came, did, rec := wordAtHome(t, text, want)
			if came != "right" {
				t.Logf("%s: %q is %s: it does %q and says %q, expected %s", kind, text, came, did, rec.Reply, want)
			}
			if count[kind] == nil {
				count[kind] = map[string]int{}
			}
			count[kind][came]++
			count[kind]["all"]++
			sum[came]++
			sum["all"]++
		}
		for _, kind := range slices.Sorted(maps.Keys(count)) {
			t.Logf("%-16s %v", kind, count[kind])
		}
		t.Logf("%-16s %v", "all", sum)
		if sum["right"] < wordingsRight || sum["right"]+sum["asked"] < wordingsRight+wordingsAsked {
			t.Errorf("%d are right and %d after a yes, expected %d and %d", sum["right"], sum["asked"], wordingsRight, wordingsAsked)
		}
		if sum["wrong"] > wordingsWrong || sum["done wrongly"] > wordingsDoneWrongly {
			t.Errorf("%d are answered wrongly and %d done wrongly, expected at most %d and %d", sum["wrong"], sum["done wrongly"], wordingsWrong, wordingsDoneWrongly)
		}
	})
}

// wordAtHome says a text in the living room of the bungalow. It reports what came of it:
// right, asked (right after a yes), left (nothing is changed, and it is said that it was
// not understood), wrong (another answer or question) or done wrongly; and what was done.
func wordAtHome(t *testing.T, text, want string) (came, did string, rec record.Record) {
	t.Helper()
	own, volume := localKit(t, nil)
	f := settleByClock(t, "en", "bungalow", own...)
	if _, err := volume.Set(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	for id, state := range f.world.State {
		if state["brightness"] != nil {
			f.world.Set(id, "level", 50.0)
		}
	}
	for _, w := range []timers.Wish{{Kind: timers.Alarm, At: "06:00", Day: "tomorrow"}, {Kind: timers.Alarm, At: "07:30", Every: "wednesday"}} {
		if r := f.book.Start(t.Context(), w); r.Outcome != timers.Started {
			t.Fatalf("setting an alarm: %s %s", r.Outcome, r.Reason)
		}
	}
	f.area = "Living Room"
	before := f.alarms()
	made := func(rec record.Record) string {
		all := slices.Sorted(slices.Values(f.world.Calls))
		return strings.Join(append(append(all, soundCalls(rec)...), differences(before, f.alarms())...), "; ")
	}
	rec = f.hearTurn(text)
	did = made(rec)
	answer, read := strings.CutPrefix(want, "says ")
	right := func(rec record.Record, did string) bool {
		if read {
			return did == "" && rec.Outcome == record.Done && regexp.MustCompile(`(?i)\b`+answer+`\b`).MatchString(rec.Reply)
		}
		return regexp.MustCompile(`^` + want + `$`).MatchString(did)
	}
	switch {
	case right(rec, did):
		return "right", did, rec
	case did != "":
		return "done wrongly", did, rec
	case rec.Outcome == record.Asked:
		if agreed := f.agree(); right(agreed, made(agreed)) {
			return "asked", did, rec
		}
		return "wrong", did, rec
	case rec.Outcome == record.Failed, rec.Outcome == record.Ignored:
		return "left", did, rec
	}
	return "wrong", did, rec
}

// soundCalls are the changes of the volume in a turn.
func soundCalls(rec record.Record) (all []string) {
	for _, c := range rec.Calls {
		var args struct {
			Action string
			Level  *int
		}
		if c.Tool != "set_volume" || json.Unmarshal(c.Args, &args) != nil || args.Action == "get" {
			continue
		}
		did := "volume " + args.Action
		if args.Level != nil {
			did += fmt.Sprint(" ", *args.Level)
		}
		all = append(all, did)
	}
	return all
}

// alarms are the timers of the book, by what they are and when they end.
func (f *family) alarms() (all []string) {
	for _, one := range f.book.List(timers.Which{}, "").Timers {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", one.Kind, one.Due.UTC().Format("Jan 2 15:04"), one.Every)))
	}
	return all
}

// differences are what is missing of what was before, and what is new.
func differences(before, now []string) (all []string) {
	for _, one := range before {
		if !slices.Contains(now, one) {
			all = append(all, "-"+one)
		}
	}
	for _, one := range now {
		if !slices.Contains(before, one) {
			all = append(all, "+"+one)
		}
	}
	return all
}
