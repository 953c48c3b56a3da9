package stt

import "testing"

func TestJoined(t *testing.T) {
	t.Parallel()
	const one = "#JSGF V1.0;\ngrammar g;\n\npublic <command> = [ please ] <sentence> ;\n\n<sentence> = good night ;\n"
	for name, tt := range map[string]struct {
		jsgf string
		join []string
		want string
	}{
		"one sentence after another": {one, []string{"and", "and then"}, "#JSGF V1.0;\ngrammar g;\n\n<command> = [ please ] <sentence> ;\n\n<sentence> = good night ;\n\npublic <several> = <command> [ ( and | and then ) <command> ] ;\n"},
		"a language without joints":  {one, nil, ""},
		"no grammar":                 {"good night", []string{"and"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := joinSentences(tt.jsgf, tt.join); got != tt.want {
				t.Errorf("got:\n%s\nexpected:\n%s", got, tt.want)
			}
		})
	}
}
