package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// pairs is cobra's argument check for one or several pairs; what says what a pair
// consists of.
func pairs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 || len(args)%2 != 0 {
			return configure.AsUseError(fmt.Errorf("%s needs %s, or several of such pairs; %d arguments were given", c.CommandPath(), what, len(args)))
		}
		return nil
	}
}

// aliasCommand gives things of the house other names.
func (a *app) aliasCommand() *cobra.Command {
	return &cobra.Command{
		Use: "alias THING NAME [THING NAME]...", Short: "Give a thing or a room of the house another name",
		Long: `Adds another name to a thing or a room, beside those that it has, as home.aliases of
the configuration file. THING is the name, or the id, that voice-gateway home --json shows; of
several things with one name, the id tells which is meant. Where a gateway runs, it is asked
whether the house has such a thing.`,
		Args: pairs("a thing and another name for it"),
		RunE: func(c *cobra.Command, args []string) error { return a.giveNames(c.Context(), args) },
	}
}

// giveNames adds names to the configuration file: pairs of a thing and another name for it.
func (a *app) giveNames(ctx context.Context, args []string) error {
	file, err := configure.Open(a.config, a.Environ)
	if err != nil {
		return err
	}
	var names []configure.Named
	for i := 0; i+1 < len(args); i += 2 {
		names = append(names, configure.Named{Thing: args[i], Alias: args[i+1]})
	}
	switch added, err := file.Alias(names); {
	case err != nil:
		return err
	case added == 0:
		fmt.Fprintf(a.Out, "%s %s says that already\n", a.paint.Good("✓"), file.Path)
	default:
		for _, n := range names {
			fmt.Fprintf(a.Out, "%s %s is also called %s\n", a.paint.Good("✓"), n.Thing, n.Alias)
		}
		fmt.Fprintf(a.Out, "  in %s; %s\n", file.Path, a.restartHint(file))
	}
	a.tellMissing(ctx, file, names)
	return nil
}

// tellMissing tells of names for what the house of the gateway that runs does not have.
func (a *app) tellMissing(ctx context.Context, file configure.File, names []configure.Named) {
	var snapshot home.Snapshot
	var l *loaded
	d, err := file.Draft("")
	if err == nil {
		l, err = a.loadDraft(ctx, d)
	}
	if err == nil {
		snapshot, err = doors.House.Ask(ctx, l.daemon().ask, struct{}{})
	}
	switch {
	case errors.Is(err, errNoDaemon):
		fmt.Fprintln(a.Out, "  whether the house has such things was not checked: no gateway runs")
		return
	case err != nil:
		fmt.Fprintf(a.Out, "  whether the house has such things was not checked: %v\n", err)
		return
	case len(snapshot.Entities) == 0:
		fmt.Fprintln(a.Out, "  whether the house has such things was not checked: the gateway that runs knows no house yet")
		return
	}
	lacks := map[string]bool{}
	for _, n := range names {
		named := func(name string) bool { return text.Same(name, n.Thing) }
		there := slices.ContainsFunc(snapshot.Areas, func(r home.Area) bool { return named(r.Name) }) ||
			slices.ContainsFunc(snapshot.Entities, func(e home.EntityState) bool { return named(e.Name) || e.ID == n.Thing })
		if !there && !lacks[n.Thing] {
			lacks[n.Thing] = true
			fmt.Fprintf(a.Out, "%s the house has no thing or room called %s; voice-gateway home shows those it has\n", a.paint.Warn("!"), n.Thing)
		}
	}
}

// pronounceCommand says how words of names are spoken.
func (a *app) pronounceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "pronounce WORD PHONES [WORD PHONES]...", Short: "Give the pronunciation of a word that is in no dictionary",
		Long: `Keeps how a word of a name is pronounced, as stt.pronunciations of the configuration
file. PHONES are those of the CMU pronouncing dictionary: pronounce nabu "N AA B UW".`,
		Args: pairs("a word and its phones"),
		RunE: func(_ *cobra.Command, args []string) error { return a.pronounce(args) },
	}
}

// pronounce keeps pronunciations: pairs of a word and its phones.
func (a *app) pronounce(args []string) error {
	file, err := configure.Open(a.config, a.Environ)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(args); i += 2 {
		switch changed, err := file.Pronounce(args[i], args[i+1]); {
		case err != nil:
			return err
		case changed:
			fmt.Fprintf(a.Out, "%s %s is pronounced %s in %s; %s\n", a.paint.Good("✓"), args[i], args[i+1], file.Path, a.restartHint(file))
		default:
			fmt.Fprintf(a.Out, "%s %s says that already\n", a.paint.Good("✓"), file.Path)
		}
	}
	return nil
}
