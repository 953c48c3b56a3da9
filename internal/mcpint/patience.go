package mcpint

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
)

// The bounds of a slow start (REQUIREMENTS M21). Launchers that fetch or unpack a
// program before they run it need 10 to 30 s after a power cut.
const (
	launcherTimeout   = 30 * time.Second
	maxConnectTimeout = time.Minute
)

// patienceFactors are the multiples of ConnectTimeout for an attempt after no silent one,
// after one, and after more.
var patienceFactors = []int{1, 3, 6}

// startingTime is how long a program that is still starting is left alone, counted from
// its start: a program that needs up to 30 s after a power cut is then there, and is not started again.
const startingTime = 35 * time.Second

// StartingTime returns how long a program may take that has not answered within patience
// and is still starting. It starts on beside the next attempt, which may be the one that
// answers. A server of another transport is not started by us: a new attempt takes
// nothing from it, and so patience is all there is.
func (s Server) StartingTime(patience time.Duration) time.Duration {
	if s.WithDefaults().Transport != "stdio" {
		return patience
	}
	return max(patience, startingTime)
}

// Patience returns how long an attempt may take, for start, handshake and tool list
// together. silences is how many attempts before it got no answer in their time: the next
// one waits longer, up to one minute; a longer ConnectTimeout counts as it is. An attempt
// that failed at once says nothing about the time that a start takes, so it does not count:
// else the first start that hangs would be waited for a minute. took is how long the last
// successful attempt took, 0 if there was none: a server that once needed longer gets
// twice that.
func (s Server) Patience(silences int, took time.Duration) time.Duration {
	first := cmp.Or(s.ConnectTimeout, defaultConnectTimeout)
	if first == defaultConnectTimeout && s.Transport != "http" && s.Transport != "sse" && isSlowLauncher(s.Command, s.Args) {
		first = launcherTimeout
	}
	longest := max(first, maxConnectTimeout)
	factor := patienceFactors[min(silences, len(patienceFactors)-1)]
	return min(max(time.Duration(factor)*first, 2*took), longest)
}

// slowLaunchers are programs that fetch, unpack or build a server before they run it.
// The value lists the subcommands that do so; none means that every call does.
var slowLaunchers = map[string][]string{
	"npx": nil, "bunx": nil, "pnpx": nil, "uvx": nil, "docker": nil, "podman": nil, "nerdctl": nil, "deno": nil,
	"docker-compose": nil, "podman-compose": nil, "flatpak": nil,
	"npm": {"exec", "x", "run", "run-script", "start"}, "pnpm": {"dlx", "exec", "run", "start"},
	"yarn": {"dlx", "exec", "run", "start"}, "bun": {"x", "run"},
	"uv": {"run", "tool", "x"}, "pipx": {"run"}, "poetry": {"run"}, "pdm": {"run"}, "hatch": {"run"}, "conda": {"run"},
	"go": {"run"}, "cargo": {"run"}, "dotnet": {"run", "tool", "dnx"}, "dnx": nil, "nix": {"run", "shell", "develop"}, "nix-shell": nil,
	"mvn": nil, "gradle": nil, "jbang": nil,
}

// wrappers are programs that run another one, which is named after their own options.
// The value lists the options that take a separate value.
var wrappers = map[string][]string{
	"env": {"-u", "--unset", "-C", "--chdir"}, "sudo": {"-u", "--user", "-g", "--group"}, "doas": {"-u"},
	"nice": {"-n", "--adjustment"}, "ionice": {"-c", "-n"}, "chrt": nil, "timeout": {"-s", "--signal", "-k", "--kill-after"},
	"stdbuf": {"-i", "-o", "-e"}, "setsid": nil, "nohup": nil, "exec": nil, "command": nil, "time": nil, "xvfb-run": nil,
}

// shells run the command line that follows -c.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "fish", "busybox"}

// isSlowLauncher reports whether a command is a launcher, by whatever path and behind
// whatever wrapper or shell it is called.
func isSlowLauncher(command string, args []string) bool {
	name := path.Base(command)
	if subcommands, known := slowLaunchers[name]; known {
		return subcommands == nil || slices.ContainsFunc(args, func(a string) bool { return slices.Contains(subcommands, a) })
	}
	if valued, known := wrappers[name]; known {
		return wrapsLauncher(valued, args)
	}
	return slices.Contains(shells, name) && shellLaunches(name, args)
}

// wrapsLauncher reports whether the arguments of a wrapper run a launcher. valued are its
// options that take a separate value.
func wrapsLauncher(valued, args []string) bool {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case slices.Contains(valued, arg):
			i++
		case arg == "-S" || arg == "--split-string": // of env
			return i+1 < len(args) && lineLaunches(args[i+1])
		case strings.HasPrefix(arg, "-") || isAssignment(arg) || isNumber(arg):
		default:
			return isSlowLauncher(arg, args[i+1:])
		}
	}
	return false
}

// shellLaunches reports whether a shell is given a command line that runs a launcher.
func shellLaunches(shell string, args []string) bool {
	for i, arg := range args[:max(len(args)-1, 0)] {
		if strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.HasSuffix(arg, "c") {
			return lineLaunches(args[i+1])
		}
	}
	return shell == "busybox" && len(args) > 0 && isSlowLauncher(args[0], args[1:])
}

// lineLaunches reports whether a command line of a shell runs a launcher. It looks at
// the beginning of each command in it.
func lineLaunches(line string) bool {
	ends := func(r rune) bool { return strings.ContainsRune(";&|\n(){}", r) }
	return slices.ContainsFunc(strings.FieldsFunc(line, ends), func(part string) bool {
		words := strings.Fields(part)
		for i := range words {
			words[i] = strings.Trim(words[i], `"'`)
		}
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		return len(words) > 0 && isSlowLauncher(words[0], words[1:])
	})
}

// isAssignment reports whether a word sets a variable for the command that follows.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && !strings.ContainsAny(name, "/-.")
}

// isNumber reports whether a word begins with a digit, as a priority or a duration does.
func isNumber(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }
