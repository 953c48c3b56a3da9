package upkeep

import (
	"fmt"

	"github.com/spf13/cobra"

	"voicegateway/internal/configure"
)

// pairs is cobra's argument check for one or several pairs; what names one of them.
func pairs(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 || len(args)%2 != 0 {
			return configure.Misused(fmt.Errorf("%s needs %s, or several of such pairs; %d arguments were given", c.CommandPath(), what, len(args)))
		}
		return nil
	}
}

// alias gives things of the house other names.
func (u commands) alias() *cobra.Command {
	return &cobra.Command{
		Use: "alias THING NAME [THING NAME]...", Short: "Give a thing or a room of the house another name",
		Long: `Adds another name to a thing or a room, beside those that it has, as home.aliases of
the configuration file. THING is the name, or the id, that voice-gateway home --json shows; of
several things with one name, the id tells which is meant.`,
		Args: pairs("a thing and another name for it"),
		RunE: func(_ *cobra.Command, args []string) error { return u.world().alias(args) },
	}
}

func (w World) alias(args []string) error {
	file, err := configure.Open(w.File, w.Environ)
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
		fmt.Fprintf(w.Out, "%s %s says that already\n", w.Paint.Good("✓"), file.Path)
	default:
		for _, n := range names {
			fmt.Fprintf(w.Out, "%s %s is also called %s\n", w.Paint.Good("✓"), n.Thing, n.Alias)
		}
		fmt.Fprintf(w.Out, "  in %s; %s\n", file.Path, restartHint)
	}
	return nil
}

// pronounce says how words of names are spoken.
func (u commands) pronounce() *cobra.Command {
	return &cobra.Command{
		Use: "pronounce WORD PHONES [WORD PHONES]...", Short: "Say how a word is pronounced that no dictionary has",
		Long: `Keeps how a word of a name is pronounced, as stt.pronunciations of the configuration
file. PHONES are those of the CMU pronouncing dictionary: pronounce nabu "N AA B UW".`,
		Args: pairs("a word and its phones"),
		RunE: func(_ *cobra.Command, args []string) error { return u.world().pronounce(args) },
	}
}

func (w World) pronounce(args []string) error {
	file, err := configure.Open(w.File, w.Environ)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(args); i += 2 {
		switch changed, err := file.Pronounce(args[i], args[i+1]); {
		case err != nil:
			return err
		case changed:
			fmt.Fprintf(w.Out, "%s %s is pronounced %s in %s; %s\n", w.Paint.Good("✓"), args[i], args[i+1], file.Path, restartHint)
		default:
			fmt.Fprintf(w.Out, "%s %s says that already\n", w.Paint.Good("✓"), file.Path)
		}
	}
	return nil
}
