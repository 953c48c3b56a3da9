package configure

import (
	"os"
	"path/filepath"
	"slices"
)

// Clone returns the clone of the repository in which a program was built, or "" for a
// program that is installed.
func Clone(program string) string {
	bin := filepath.Dir(program)
	dir := filepath.Dir(bin)
	if filepath.Base(bin) != "bin" {
		return ""
	}
	for _, name := range []string{"Makefile", Shipped} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return ""
		}
	}
	return dir
}

// units are where the unit of the service may be.
var units = []string{"/etc/systemd/system/voice-gateway.service", "/usr/lib/systemd/system/voice-gateway.service"}

// Serviced reports whether the service of this machine, if there is one, uses the
// configuration at a path; "" is the configuration without a file.
func Serviced(path string) bool {
	if path != "" && path != Installed {
		return false
	}
	return slices.ContainsFunc(units, func(unit string) bool {
		_, err := os.Stat(unit)
		return err == nil
	})
}

// StartCommand starts the gateway that uses the configuration at a path: the service where
// it is the service's, and make in a clone. program is our own, and command is how it is
// called.
func StartCommand(path, program, command string) string {
	if Serviced(path) {
		return "sudo systemctl start voice-gateway"
	}
	return startByHand(path, program, command)
}

// RestartCommand makes a gateway that runs take a changed configuration. If no service
// runs it, the command starts it when it has been stopped.
func RestartCommand(path, program, command string) string {
	if path == Installed || Serviced(path) {
		return "sudo systemctl restart voice-gateway"
	}
	return startByHand(path, program, command)
}

func startByHand(path, program, command string) string {
	clone := Clone(program)
	file, err := filepath.Abs(path)
	if clone == "" || err != nil || path != "" && !slices.Contains([]string{filepath.Join(clone, Local), filepath.Join(clone, Shipped)}, file) {
		return command + " run"
	}
	if here, err := os.Getwd(); err == nil && here == clone {
		return "make run"
	}
	return "make -C " + clone + " run"
}
