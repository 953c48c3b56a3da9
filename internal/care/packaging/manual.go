package packaging

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Section is a part of a manual page: terms with what they mean, and settings.
type Section struct {
	Title    string
	Terms    [][2]string
	Settings []Setting
}

// Service are the sections of the gateway's own page about its service.
func Service() []Section {
	return []Section{
		{Title: "FILES", Terms: [][2]string{
			{"/etc/voice-gateway/voice-gateway.yaml", "the configuration, see voice-gateway(5)"},
			{"/etc/voice-gateway/credentials", "secrets, which only root reads"},
			{"/var/lib/voice-gateway", "what the service keeps: models, timers, what the family taught it"},
			{"/var/lib/voice-gateway-servers", "the home of the MCP servers of others"},
			{"/usr/share/doc/voice-gateway", "README, troubleshooting, the other documents, and examples"},
		}},
		{Title: "SERVICES", Terms: [][2]string{
			{"voice-gateway.service", "the gateway: systemctl status voice-gateway, journalctl -u voice-gateway"},
			{"voice-gateway-servers.service", "the MCP servers of others, which the gateway has started through voice-gateway-servers.socket"},
		}},
		{Title: "EXIT STATUS", Terms: [][2]string{
			{"0", "it is done"}, {"1", "it failed, or doctor found a part that does not work"}, {"2", "it was called in a wrong way"},
		}},
	}
}

// ConfigurationFiles are the sections of the configuration's page beside its keys.
func ConfigurationFiles() []Section {
	return []Section{{Title: "FILES", Terms: [][2]string{
		{"/etc/voice-gateway/voice-gateway.yaml", "the configuration of the service"},
		{"/usr/share/voice-gateway/voice-gateway.yaml", "the one that comes with this version: every key with its default"},
		{"/usr/share/doc/voice-gateway/examples", "profiles for other installations, and files for other programs"},
	}}}
}

// page is the text of a manual page.
type page struct{ strings.Builder }

// newPage begins a page about a program or a file.
func newPage(name, section, about string, day time.Time) *page {
	p := &page{}
	p.write(".TH \"%s\" \"%s\" \"%s\" \"voice-gateway\" \"voice-gateway\"\n.nh\n.ad l\n", strings.ToUpper(name), section, day.Format("January 2006"))
	p.section("NAME")
	p.write("%s \\- %s\n", plain(name), plain(about))
	return p
}

// plain escapes a text, so that nothing in it is taken for an instruction.
func plain(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func (p *page) write(format string, args ...any) { _, _ = fmt.Fprintf(p, format, args...) } // a builder has no errors

func (p *page) section(title string) { p.write(".SH \"%s\"\n", plain(title)) }

func (p *page) paragraph(text string) { p.write(".PP\n%s\n", plain(text)) }

// term writes a term and what it means.
func (p *page) term(term, meaning string) {
	if meaning == "" {
		meaning = "\\&"
	} else {
		meaning = plain(meaning)
	}
	p.write(".TP\n\\fB%s\\fR\n%s\n", plain(term), meaning)
}

// literal writes lines as they are.
func (p *page) literal(lines []string) {
	p.WriteString(".PP\n.nf\n")
	for _, line := range lines {
		p.WriteString(plain(line) + "\n")
	}
	p.WriteString(".fi\n")
}

// overview is the page of a program: its own options, and each of its commands with its
// options.
func overview(root *cobra.Command, day time.Time, further []Section) string {
	p := newPage(root.Name(), "1", root.Short, day)
	p.section("SYNOPSIS")
	p.paragraph(root.Name() + " [OPTIONS] [COMMAND]")
	if root.Long != "" {
		p.section("DESCRIPTION")
		p.paragraph(root.Long)
	}
	p.section("OPTIONS")
	p.options(root.NonInheritedFlags())
	p.section("COMMANDS")
	p.paragraph("Each command has a page of its own, such as " + example(root) + ".")
	p.commands(root)
	p.sections(further)
	p.section("SEE ALSO")
	p.paragraph(strings.Join(others(root), ", "))
	return p.String()
}

// example names the page of the first command.
func example(root *cobra.Command) string {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			return pageOf(c)
		}
	}
	return pageOf(root)
}

// others names the pages that belong to a program.
func others(root *cobra.Command) []string {
	list := []string{"voice-gateway(1)", "voice-gateway(5)", "zwave-mcp-server(1)", "home-assistant-mcp-server(1)"}
	var pages []string
	for _, name := range list {
		if name != pageOf(root) {
			pages = append(pages, name)
		}
	}
	return pages
}

func pageOf(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") + "(1)" }

// commands writes the commands below one, with their options.
func (p *page) commands(of *cobra.Command) {
	for _, c := range of.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		p.write(".SS \"%s\"\n", plain(strings.TrimSuffix(c.UseLine(), " [flags]")))
		p.paragraph(c.Short + ".")
		p.options(c.NonInheritedFlags())
		p.commands(c)
	}
}

// options writes options with their defaults; every command has help.
func (p *page) options(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		if kind != "" {
			term += " " + kind
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && f.DefValue != "0s" {
			usage += " (default: " + f.DefValue + ")"
		}
		p.term(term, usage)
	})
}

func (p *page) sections(list []Section) {
	for _, s := range list {
		p.section(s.Title)
		for _, t := range s.Terms {
			p.term(t[0], t[1])
		}
		for _, one := range s.Settings {
			p.setting(one)
		}
	}
}

// settingsPage is the page of a configuration.
func settingsPage(name, about string, day time.Time, settings []Setting, further []Section) string {
	p := newPage(name, "5", about, day)
	p.section("DESCRIPTION")
	for i, one := range settings {
		if i == 0 { // the head of the file is about all of it
			p.comment(one.Before)
			one.Before = nil
		}
		if !strings.Contains(one.Path, ".") {
			p.section(one.Path)
		}
		p.setting(one)
	}
	p.sections(further)
	p.section("SEE ALSO")
	p.paragraph("voice-gateway(1), zwave-mcp-server(1), home-assistant-mcp-server(1)")
	return p.String()
}

// setting writes a key with its default and its comment.
func (p *page) setting(s Setting) {
	p.comment(s.Before)
	switch {
	case s.Group && s.Comment == "":
	case s.Group:
		p.term(s.Path, s.Comment)
	default:
		p.term(s.Path+": "+s.Default, s.Comment)
	}
}

// comment writes the lines of a comment: indented lines, and those that begin a list, are
// examples and stay as they are.
func (p *page) comment(lines []string) {
	var prose, example []string
	flush := func() {
		if len(prose) > 0 {
			p.paragraph(strings.Join(prose, " "))
		}
		if len(example) > 0 {
			p.literal(example)
		}
		prose, example = nil, nil
	}
	for _, line := range lines {
		switch shown := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "- "); {
		case line == "":
			flush()
		case shown:
			if len(prose) > 0 {
				flush()
			}
			example = append(example, line)
		default:
			if len(example) > 0 {
				flush()
			}
			prose = append(prose, line)
		}
	}
	flush()
}
