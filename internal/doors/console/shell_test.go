package console_test

import (
	"testing"

	"voicegateway/internal/doors/console"
)

// A name from outside reaches a shell as one argument and has no other effect.
func TestShell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"gateway.id", "kitchen-2"}, "set gateway.id kitchen-2"},
		{[]string{"Mary's Lamp", "reading lamp"}, `set 'Mary'\''s Lamp' 'reading lamp'`},
		{[]string{"$(reboot)", "a; b"}, "set '$(reboot)' 'a; b'"},
		{[]string{"--help", ""}, "set -- --help ''"},
	} {
		if got := console.Shell("set", c.args...); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}
