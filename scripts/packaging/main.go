// Command packaging writes the papers of a package into its root, from the programs
// that are there already: manual pages, completions, NOTICE and the bill of materials.
// scripts/package.sh runs it from the root of the repository.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/configs"
	"voicegateway/internal/care/packaging"
	"voicegateway/internal/cli"
	hass "voicegateway/internal/hass/serve"
	"voicegateway/internal/zwave/serve"
)

func main() {
	root := flag.String("root", "", "the `DIRECTORY` that stands for the root of the machine")
	version := flag.String("version", "", "of the package")
	seconds := flag.Int64("time", 0, "of the source, in seconds since 1970")
	modules := flag.String("modules", "", "Go's module `CACHE`")
	goRoot := flag.String("go", "", "the `DIRECTORY` of Go itself")
	flag.Parse()
	sources := packaging.Sources{Modules: *modules, Go: *goRoot}
	if err := write(*root, *version, time.Unix(*seconds, 0).UTC(), sources); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func write(root, version string, day time.Time, sources packaging.Sources) error {
	if err := manuals(root, version, day); err != nil {
		return err
	}
	linked, err := packaging.Read(sources, filepath.Join(root, "usr/bin/voice-gateway"), filepath.Join(root, "usr/bin/zwave-mcp-server"), filepath.Join(root, "usr/bin/home-assistant-mcp-server"))
	if err != nil {
		return err
	}
	papers := filepath.Join(root, "usr/share/doc/voice-gateway")
	if err := os.MkdirAll(papers, 0o755); err != nil {
		return fmt.Errorf("making the directory of the papers: %w", err)
	}
	own, err := ownTexts()
	if err != nil {
		return err
	}
	notice, err := os.Create(filepath.Join(papers, "NOTICE"))
	if err != nil {
		return fmt.Errorf("making the notice: %w", err)
	}
	defer func() { _ = notice.Close() }()
	if err := packaging.Notice(notice, own, linked); err != nil {
		return err
	}
	bill, err := os.Create(filepath.Join(papers, "voice-gateway.cdx.json"))
	if err != nil {
		return fmt.Errorf("making the bill of materials: %w", err)
	}
	defer func() { _ = bill.Close() }()
	return packaging.Bill(bill, version, day, linked)
}

// manuals writes the manual pages and completions of the programs.
func manuals(root, version string, day time.Time) error {
	settings, err := packaging.Settings(configs.Server)
	if err != nil {
		return fmt.Errorf("reading the settings of zwave-mcp-server: %w", err)
	}
	hassSettings, err := packaging.Settings(configs.HomeAssistantServer)
	if err != nil {
		return fmt.Errorf("reading the settings of home-assistant-mcp-server: %w", err)
	}
	for _, program := range []struct {
		command *cobra.Command
		further []packaging.Section
	}{
		{cli.Root(), packaging.Service()},
		{serve.Program{Version: version}.Command(), []packaging.Section{{Title: "SETTINGS", Settings: settings}}},
		{hass.Program{Version: version}.Command(), []packaging.Section{{Title: "SETTINGS", Settings: hassSettings}}},
	} {
		if err := packaging.Manual(root, day, program.command, program.further...); err != nil {
			return err
		}
		if err := packaging.Completions(root, program.command); err != nil {
			return err
		}
	}
	return packaging.ConfigurationManual(root, day, "voice-gateway", "configuration of the voice gateway", configs.Profile, packaging.ConfigurationFiles()...)
}

// ownTexts are the licences of what the repository itself contains.
func ownTexts() ([]packaging.Own, error) {
	var own []packaging.Own
	for _, text := range []struct{ about, path string }{
		{"voice-gateway", "LICENSE"},
		{"The spoken numbers, made from Unicode CLDR data", "internal/language/numbers/LICENSE-unicode.txt"},
		{"The weights that read what no sentence fits", "internal/intent/reader/NOTICE"},
		{"The places and their time zones, made from GeoNames and Unicode CLDR", "internal/tools/local/NOTICE-places.txt"},
	} {
		data, err := os.ReadFile(text.path)
		if err != nil {
			return nil, fmt.Errorf("reading a licence of ours: %w", err)
		}
		own = append(own, packaging.Own{About: text.about, Text: string(data)})
	}
	return own, nil
}
