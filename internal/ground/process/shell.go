package process

import (
	"regexp"
	"strings"
)

// bare matches what a shell takes as it stands.
var bare = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+=-]+$`)

// ShellWord returns a text as one word of a shell's command, whatever signs are in it.
func ShellWord(text string) string {
	if bare.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
