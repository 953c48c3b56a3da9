package cli

import (
	"bytes"
	"strings"
	"testing"

	"voicegateway/internal/doors"
)

// TestCommandsOfTheTable checks that every command that the table of operations names
// exists, with its flag where it names one.
func TestCommandsOfTheTable(t *testing.T) {
	t.Parallel()
	root := Root()
	for _, row := range doors.Table {
		e := row.Describe()
		if e.Command == "" {
			continue
		}
		name, flag, _ := strings.Cut(e.Command, " --")
		words := strings.Fields(name)
		c, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 || c.Name() != words[len(words)-1] {
			t.Errorf("%s: there is no command %q: %v", e.Name, name, err)
			continue
		}
		if flag != "" && c.Flags().Lookup(flag) == nil {
			t.Errorf("%s: the command %s has no flag --%s", e.Name, name, flag)
		}
		if e.Usage.Use != "" && (c.Use != e.Usage.Use || c.Short != e.Usage.Short) {
			t.Errorf("%s: the command is %q, %q", e.Name, c.Use, c.Short)
		}
	}
}

// TestArgumentsOfDerivedCommands checks that wrong arguments are told before a gateway is
// asked.
func TestArgumentsOfDerivedCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"stop now":             "voice-gateway stop needs no arguments; 1 arguments were given",
		"home sweet":           "voice-gateway home needs no arguments; 1 arguments were given",
		"servers zwave":        "voice-gateway servers needs no arguments, retry or accept; 1 arguments were given",
		"servers accept":       "voice-gateway servers accept needs the name of a server, and perhaps that of one of its tools",
		"mute perhaps":         "voice-gateway mute takes on or off, or no argument to show the state",
		"mute on off":          "voice-gateway mute takes on or off, or no argument to show the state",
		"volume 101":           `the volume "101" is no number from 0 to 100`,
		"volume loud":          `the volume "loud" is no number from 0 to 100`,
		"volume 1 2":           "volume needs a number from 0 to 100, or nothing; 2 arguments were given",
		"servers accept a b c": "voice-gateway servers accept needs the name of a server, and perhaps that of one of its tools",
	} {
		var told bytes.Buffer
		status := Main(t.Context(), strings.Fields(line), "v", IO{In: strings.NewReader(""), Out: &told, Err: &told})
		if want = "voice-gateway: " + want + "\n"; status != exitUsage || told.String() != want {
			t.Errorf("%s: status %d, %q, want %q", line, status, told.String(), want)
		}
	}
}
