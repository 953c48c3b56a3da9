// Package process starts programs and owns them until they are gone. It exists
// because a program that is started and forgotten does more harm than one that
// fails: it keeps the sound card, holds a pipe, or runs on after we have ended.
//
// Run is for a program that does one thing and ends, Start for a child that runs
// beside us. Both give the program a process group of its own, which ends as a
// whole, at the latest with us; a child that runs beside us also ends with whatever
// left its group; an explicit environment that is not inherited,
// because ours may hold keys; and bounded memory for its stderr. No other package
// starts programs. The part that needs a program decides what to ask it and what
// its failure means.
//
// ReadUntil is for our own process: it lets a signal end a wait that the system does not
// let a program end.
package process

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// Program is what to start.
type Program struct {
	Path string // a path, or a name looked up in PATH
	Args []string
	Dir  string // working directory; "" is ours
	// Env is the whole environment of the program. Where Inherit is set it is added
	// to those parts of ours that tell where libraries, the home and the person's
	// sound server are: for our own program, and for mixers. Keys and passwords are
	// never among them.
	Env     []string
	Inherit bool
}

// inherited are the names that Inherit passes on, and inheritedPrefixes the
// beginnings of further ones.
var (
	inherited = []string{
		"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "DBUS_SESSION_BUS_ADDRESS", "AUDIODEV",
		"GODEBUG", "GOTRACEBACK", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GORACE", "GOCOVERDIR",
	}
	inheritedPrefixes = []string{"LC_", "XDG_", "ALSA_", "PULSE_", "PIPEWIRE_", "JACK_", "PA_"}
)

// ours is the part of an environment that Inherit passes on.
func ours(environ []string) []string {
	return slices.DeleteFunc(environ, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(inherited, name) &&
			!slices.ContainsFunc(inheritedPrefixes, func(begin string) bool { return strings.HasPrefix(name, begin) })
	})
}

// SmallEnv returns an environment for programs that need nothing from ours.
func SmallEnv() []string { return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"} }

// ErrNotFound is the error of a program that is not installed, if it was named
// without a slash.
var ErrNotFound = exec.ErrNotFound

// prepare makes the command. Should we be killed, the kernel kills the child,
// even a hung one. It does so at the end of the thread that started the child, so
// that thread must live as long as the child.
func (p Program) prepare(cmd *exec.Cmd) {
	cmd.Dir = p.Dir
	cmd.Env = append([]string{}, p.Env...)
	if p.Inherit {
		cmd.Env = append(ours((&exec.Cmd{Dir: p.Dir}).Environ()), p.Env...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// onOwnThread runs f on a thread that is used for nothing else until f returns.
func onOwnThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}

// signalGroup signals a child and everything it started. The error is ignored: it
// only says that the group is gone.
func signalGroup(pid int, s syscall.Signal) { _ = syscall.Kill(-pid, s) }
