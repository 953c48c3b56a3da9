// Package packaging writes the files of a package other than the programs: manual pages,
// completions, the notice of what is linked, and the bill of materials. It exists so that
// each of them is made from the programs themselves and cannot become outdated. Another
// paper is a file with one exported function, and a line in scripts/packaging/main.go.
package packaging

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Manual writes a page of section 1 for a command and for each below it. Hidden ones
// have none, and neither has the one that prints completions, which a package brings
// along. The pages of the same day are the same.
func Manual(dir string, day time.Time, root *cobra.Command) error {
	root.DisableAutoGenTag = true
	root.CompletionOptions.HiddenDefaultCmd = true
	header := &doc.GenManHeader{Section: "1", Date: &day, Source: root.Name(), Manual: "voice-gateway"}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the directory of manual pages: %w", err)
	}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("writing the manual of %s: %w", root.Name(), err)
	}
	return nil
}

// Completions writes what bash, zsh and fish complete a command by, where Debian's
// packages have it, below the root of the package.
func Completions(root string, command *cobra.Command) error {
	name := command.Name()
	for _, shell := range []struct {
		place string
		write func(string) error
	}{
		{"usr/share/bash-completion/completions/" + name, func(path string) error { return command.GenBashCompletionFileV2(path, true) }},
		{"usr/share/zsh/vendor-completions/_" + name, command.GenZshCompletionFile},
		{"usr/share/fish/vendor_completions.d/" + name + ".fish", func(path string) error { return command.GenFishCompletionFile(path, true) }},
	} {
		path := filepath.Join(root, shell.place)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the directory of a completion: %w", err)
		}
		if err := shell.write(path); err != nil {
			return fmt.Errorf("writing the completion %s: %w", shell.place, err)
		}
	}
	return nil
}
