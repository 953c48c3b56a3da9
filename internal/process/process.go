// Package process starts programs and owns them until they are gone. It exists
// because a program that is started and forgotten costs a house more than one that
// fails: it keeps the sound card, holds a pipe, or goes on after we have ended.
//
// Run is for a program that does one thing and ends, Start for a child that lives
// beside us. Both give it a process group of its own, which ends as a whole, with
// us at the latest; an environment that is told and not inherited, because ours may
// hold keys; and a bounded place for what it complains about. Nothing else starts
// programs. What a program is asked and what its failure means belongs to the part
// that needs it.
package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Program is what to start.
type Program struct {
	Path string // a path, or a name looked up in PATH
	Args []string
	Dir  string // where it runs; "" is where we do
	// Env is all it is told of the environment, and what is added to ours where
	// Inherit is set: for our own program, and for those that have to find the
	// person's sound server.
	Env     []string
	Inherit bool
}

// SmallEnv is for programs that need nothing of ours.
func SmallEnv() []string { return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"} }

// ErrNotFound is the error of a program that is not installed, if it was named
// without a slash.
var ErrNotFound = exec.ErrNotFound

// prepare makes the command. Should we be killed, the kernel kills the child, even
// a hung one. It does so at the end of the thread that started it, so that thread
// has to be kept as long.
func (p Program) prepare(cmd *exec.Cmd) {
	cmd.Dir = p.Dir
	cmd.Env = append([]string{}, p.Env...)
	if p.Inherit {
		cmd.Env = append((&exec.Cmd{Dir: p.Dir}).Environ(), p.Env...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// onOwnThread runs f on a thread that does nothing else meanwhile.
func onOwnThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}

// signalGroup reaches a child and whatever it started; the error of a group that is
// gone is no news.
func signalGroup(pid int, s syscall.Signal) { _ = syscall.Kill(-pid, s) }
