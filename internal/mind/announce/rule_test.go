package announce_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/announce"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  announce.Config
		want string // of the error; "" for none
	}{
		"as it comes":            {announce.Default(), ""},
		"no night":               {announce.Config{}, ""},
		"a rule of each kind":    {every(), ""},
		"no span":                {announce.Config{Quiet: "at night"}, "announce.quiet: "},
		"no hour":                {announce.Config{Quiet: "22:00-25:00"}, "announce.quiet: "},
		"an unknown kind":        {rules(announce.Rule{When: "closed"}), "announce.rules[0].when: "},
		"a state without things": {rules(announce.Rule{When: record.InState, State: "on"}), "announce.rules[0].things: "},
		"a state of no state":    {rules(announce.Rule{When: record.InState, Things: []string{"Iron"}}), "announce.rules[0].state: "},
		"a state of open":        {rules(announce.Rule{When: record.LeftOpen}, announce.Rule{When: record.LeftOpen, State: "closed"}), "announce.rules[1].state: "},
		"a time that is none":    {rules(announce.Rule{When: record.LeftOpen, For: -1}), "announce.rules[0].for: "},
		"a thing without a name": {rules(announce.Rule{When: record.LeftOpen, Things: []string{" "}}), "announce.rules[0].things: "},
		"too many":               {rules(slices.Repeat([]announce.Rule{{When: record.LeftOpen}}, 51)...), "announce.rules: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.cfg.Validate()
			if (err != nil) != (tt.want != "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, expected %q", err, tt.want)
			}
		})
	}
}
