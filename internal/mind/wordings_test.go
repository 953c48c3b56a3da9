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

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// bounds are what becomes of the wordings of a file without a model: at least so many are
// right at once, at least so many more after a yes, at most so many are answered wrongly
// (a wrong question does nothing, but nobody likes to hear it), and none is done wrongly.
type bounds struct{ right, asked, wrong int }

// wordings are the files of wordings.
var wordings = map[string]bounds{
	"en":      {right: 24, wrong: 4},
	"more_en": {right: 7}, "more_de": {right: 10}, "more_es": {right: 11}, "more_fr": {right: 10},
}

// TestWordings says what people say at home in words of their own, without a model, and
// counts what is right, by kind.
func TestWordings(t *testing.T) {
	t.Parallel()
	for file, limits := range wordings {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { countWordings(t, file, limits) })
		})
	}
}

// countWordings says the wordings of a file, whose name ends with its language.
func countWordings(t *testing.T, file string, limits bounds) {
	t.Helper()
	<-time.After(15 * time.Hour)
	count, sum := map[string]map[string]int{}, map[string]int{}
	for kind, line := range readSet(t, "testdata/wordings/"+file+".txt") {
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			continue // what the file is about
		}
		came, did, rec := wordAtHome(t, file[len(file)-2:], text, want)
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
	if sum["right"] < limits.right || sum["right"]+sum["asked"] < limits.right+limits.asked {
		t.Errorf("%d are right and %d after a yes, expected %d and %d", sum["right"], sum["asked"], limits.right, limits.asked)
	}
	if sum["wrong"] > limits.wrong || sum["done wrongly"] > 0 {
		t.Errorf("%d are answered wrongly and %d done wrongly, expected at most %d and none", sum["wrong"], sum["done wrongly"], limits.wrong)
	}
}

// wordAtHome says a text in the living room of the bungalow. It reports what came of it:
// right, asked (right after a yes), left (nothing is changed, and it is said that it was
// not understood), wrong (another answer or question) or done wrongly; and what was done.
func wordAtHome(t *testing.T, language, text, want string) (came, did string, rec record.Record) {
	t.Helper()
	own, volume := localKit(t, nil)
	f := settleByClock(t, language, "bungalow", own...)
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
	f.area = fake.Bungalow(language).Areas[0].Name // the living room
	before := f.alarms()
	made := func(rec record.Record) string {
		all := slices.Sorted(slices.Values(f.world.Calls))
		return strings.Join(append(append(all, soundCalls(rec)...), differences(before, f.alarms())...), "; ")
	}
	rec = f.hearTurn(text)
	did = made(rec)
	answer, read := strings.CutPrefix(want, "says ")
	right := func(rec record.Record, did string) bool {
		if want == "asks" {
			return did == "" && rec.Outcome == record.Asked
		}
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
		all = append(all, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", one.Kind, one.Due.UTC().Format("Jan 2 15:04"), one.Every, one.Name)), " "))
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
