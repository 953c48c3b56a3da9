package console

import (
	"regexp"
	"slices"
	"strings"
)

// bare matches what a shell takes as it stands.
var bare = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+=-]+$`)

// Shell is a command with arguments that may come from others, as a shell takes it.
func Shell(command string, args ...string) string {
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		command += " --" // what follows is no flag
	}
	for _, a := range args {
		if a = Clean(a); !bare.MatchString(a) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		command += " " + a
	}
	return command
}
