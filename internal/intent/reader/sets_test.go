package reader_test

import (
	"os"
	"strings"
	"testing"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/tools"
)

// What a television says, and what tells, asks, forbids or plans, does nothing with the
// weights of the program either, in a house that has the things.
func TestWhatIsNoOrderIsNotRead(t *testing.T) {
	t.Parallel()
	match, h := cottage(t)
	model, err := reader.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	said, asked := 0, []string{}
	for _, set := range []struct {
		path string
		may  func(label string) bool
	}{
		{"../testdata/television_en.txt", func(string) bool { return false }},
		{"../testdata/acts_en.txt", mayAct},
		{"../testdata/unseen_en.txt", mayAct},
	} {
		data, err := os.ReadFile(set.path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			label, text, labelled := strings.Cut(line, ": ")
			if line == "" || strings.HasPrefix(line, "#") || labelled && set.may(label) {
				continue
			}
			if !labelled || !strings.HasPrefix(set.path, "../testdata/acts") && !strings.HasPrefix(set.path, "../testdata/unseen") {
				text = line
			}
			said++
			d := match(text)
			if !reader.Reads(d) {
				continue
			}
			r := reader.WordsOf("en").Read(reader.Text{Words: text, Act: d.Act}, model, h, match)
			for _, a := range r.Means.Actions {
				if r.Verdict == reader.Do && catalogue.Of(a.Intent).Risk != tools.Read {
					t.Errorf("%q would do %s by %q (%s, %.2f)", text, a.Intent, r.Sentence, r.Kind, r.Share)
				}
			}
			if r.Verdict == reader.Ask {
				asked = append(asked, text)
			}
		}
	}
	if said < 200 || len(asked)*40 > said {
		t.Errorf("of %d sentences that are no orders %d are asked about: %q", said, len(asked), asked)
	}
}

// mayAct reports whether the sentences with a label of the sets may change something.
func mayAct(label string) bool {
	return label == "command" || label == "request" || label == "wish" || label == "may"
}
