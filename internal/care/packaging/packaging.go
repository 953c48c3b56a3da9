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

// Manual writes a page of section 1 for a command and for each below it, below the root
// of the package. Hidden ones have none, and neither has the one that prints completions,
// which a package brings along. The command's own page lists all others with their
// options, and further sections. The pages of the same day are the same.
func Manual(root string, day time.Time, command *cobra.Command, further ...Section) error {
	command.DisableAutoGenTag = true
	command.CompletionOptions.HiddenDefaultCmd = true
	header := &doc.GenManHeader{Section: "1", Date: &day, Source: command.Name(), Manual: "voice-gateway"}
	dir := filepath.Join(root, manuals, "man1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the directory of manual pages: %w", err)
	}
	if err := doc.GenManTree(command, header, dir); err != nil {
		return fmt.Errorf("writing the manual of %s: %w", command.Name(), err)
	}
	return writePage(filepath.Join(dir, command.Name()+".1"), overview(command, day, further))
}

// ConfigurationManual writes the page of section 5 for a configuration, from the shipped
// file with every key, its default and a comment.
func ConfigurationManual(root string, day time.Time, name, about, shipped string, further ...Section) error {
	settings, err := Settings(shipped)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", name, err)
	}
	dir := filepath.Join(root, manuals, "man5")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the directory of manual pages: %w", err)
	}
	return writePage(filepath.Join(dir, name+".5"), settingsPage(name, about, day, settings, further))
}

// manuals is where Debian's packages have their manual pages, below the root.
const manuals = "usr/share/man"

func writePage(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // everybody reads a manual
		return fmt.Errorf("writing a manual page: %w", err)
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
