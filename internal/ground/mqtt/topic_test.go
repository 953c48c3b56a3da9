package mqtt

import (
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	for name, tc := range map[string]struct {
		filter, topic string
		want          bool
	}{
		"same":                      {"a/b", "a/b", true},
		"other":                     {"a/b", "a/c", false},
		"shorter topic":             {"a/b", "a", false},
		"longer topic":              {"a", "a/b", false},
		"plus":                      {"a/+/c", "a/b/c", true},
		"plus is one level":         {"a/+", "a/b/c", false},
		"plus takes an empty level": {"a/+/c", "a//c", true},
		"hash":                      {"a/#", "a/b/c", true},
		"hash holds its parent":     {"a/#", "a", true},
		"hash is not a prefix":      {"a/#", "ab", false},
		"everything":                {"#", "a/b", true},
		"not the system's":          {"#", "$SYS/x", false},
		"plus, not the system's":    {"+/x", "$SYS/x", false},
		"the system's by name":      {"$SYS/#", "$SYS/x", true},
		"plus and hash":             {"+/#", "a", true},
		"leading slash":             {"/a", "/a", true},
		"leading slash matters":     {"a", "/a", false},
	} {
		if got := matches(tc.filter, tc.topic); got != tc.want {
			t.Errorf("%s: %q on %q: %v", name, tc.filter, tc.topic, got)
		}
	}
}

func TestCheckFilter(t *testing.T) {
	for filter, ok := range map[string]bool{
		"a": true, "a/#": true, "#": true, "+": true, "+/a/+": true, "/": true,
		"": false, "a#": false, "a/#/b": false, "a+": false, "a/b+/c": false, "\x00": false, "\xff": false,
		"$share/g/a": false, strings.Repeat("a", maxTopic+1): false,
	} {
		if err := checkFilter(filter); (err == nil) != ok {
			t.Errorf("%.20q: %v", filter, err)
		}
	}
}

// FuzzMatches makes a filter by putting wildcards into a topic, and demands that
// it matches the topic.
func FuzzMatches(f *testing.F) {
	f.Add("zwave/kitchen/37/0/targetValue", uint8(1), true)
	f.Add("$SYS/x", uint8(0), false)
	f.Add("//", uint8(2), true)
	f.Fuzz(func(t *testing.T, topic string, at uint8, hash bool) {
		if checkTopic(topic) != nil {
			return
		}
		levels := strings.Split(topic, "/")
		i := int(at) % len(levels)
		levels[i] = "+"
		if hash {
			levels = append(levels[:i], "#")
		}
		filter := strings.Join(levels, "/")
		if checkFilter(filter) != nil {
			return
		}
		want := i > 0 || topic[0] != '$'
		if got := matches(filter, topic); got != want {
			t.Errorf("%q on %q: %v", filter, topic, got)
		}
	})
}
