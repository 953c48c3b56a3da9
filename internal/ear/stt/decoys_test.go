package stt

import (
	"slices"
	"testing"
)

func TestDecoysStandBesideTheSentences(t *testing.T) {
	t.Parallel()
	const grammar = "#JSGF V1.0;\ngrammar g;\n\npublic <command> = [ please ] <sentence> ;\n\n<sentence> = good night ;\n"
	for name, tc := range map[string]struct {
		grammar string
		phrases []string
		want    string
	}{
		"none":         {grammar, nil, grammar},
		"no grammar":   {"nonsense", []string{"hey jarvis"}, "nonsense"},
		"wake phrases": {grammar, []string{"hey jarvis", "okay nabu"}, "#JSGF V1.0;\ngrammar g;\n\n<command> = [ please ] <sentence> ;\n\n<sentence> = good night ;\n\npublic <anything> = <command> | hey jarvis | okay nabu ;\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := beside(tc.grammar, tc.phrases); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
	if got := decoys([]string{"Hey  Jarvis", "hey jarvis", " ", "okay nabu"}); !slices.Equal(got, []string{"hey jarvis", "okay nabu"}) {
		t.Errorf("decoys are %q", got)
	}
}
