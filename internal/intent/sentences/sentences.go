// Package sentences carries the text of our own languages inside the program:
// what is understood (en.yaml) and what is answered (en_replies.yaml). A new
// language is two files here with its code as their name.
package sentences

import "embed"

//go:embed *.yaml
var files embed.FS

// Understood is the sentence pack of a language; an error if there is none.
func Understood(language string) ([]byte, error) { return files.ReadFile(language + ".yaml") }

// Answered is the table of replies of a language; an error if there is none.
func Answered(language string) ([]byte, error) { return files.ReadFile(language + "_replies.yaml") }
