package configure

import "testing"

// TestMayUse asks about the users that every Debian has.
func TestMayUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, group string
		want        bool
	}{
		{"root", "audio", true},
		{"daemon", "daemon", true},
		{"daemon", "root", false},
		{"daemon", "no such group", false},
		{"no such user", "daemon", false},
	} {
		if got := MayUse(c.name, c.group); got != c.want {
			t.Errorf("%s, %s: %v", c.name, c.group, got)
		}
	}
}
