package console

import (
	"slices"
	"strings"

	"voicegateway/internal/ground/process"
)

// Shell is a command with arguments that may come from others, as a shell takes it.
func Shell(command string, args ...string) string {
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		command += " --" // what follows is no flag
	}
	for _, a := range args {
		command += " " + process.ShellWord(Clean(a))
	}
	return command
}
