package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep"
)

// installedUnit reports whether a unit of ours is installed, by hand or by the package.
func installedUnit(name string) bool {
	for _, dir := range []string{"/etc/systemd/system/", "/usr/lib/systemd/system/"} {
		if _, err := os.Stat(dir + name); err == nil {
			return true
		}
	}
	return false
}

// clock compares the clock with the age of our own program: it was not made in the
// future. A wrong clock fails every certificate, and every alarm.
func (v *visit) clock(context.Context) []Finding {
	now := v.Now()
	made, err := os.Stat(v.Executable)
	if err == nil && now.Before(made.ModTime().Add(-time.Hour)) {
		return []Finding{{
			State: Ill, Text: "the clock says " + now.Format(time.DateTime) + ", and this program was made on " + made.ModTime().Format(time.DateOnly),
			Mend: "sudo timedatectl set-ntp true",
		}}
	}
	return well("%s", now.Format("2006-01-02 15:04 MST"))
}

// state is the directory of the state, and that of recordings where there are any.
func (v *visit) state(context.Context) []Finding {
	dirs := []string{v.Gateway.StateDir}
	if v.Recorder.Enabled && v.Recorder.Dir != "" {
		dirs = append(dirs, v.Recorder.Dir)
	}
	var all []Finding
	for _, dir := range dirs {
		switch err := writable(dir); {
		case err == nil:
			all = append(all, well("%s can be written", dir)...)
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			all = append(all, Finding{State: Ill, Text: "the disk of " + dir + " is full: " + err.Error(), Do: "Make room there; df -h " + dir + " shows how much is used."})
		case errors.Is(err, fs.ErrPermission):
			all = append(all, Finding{State: Ill, Text: "nothing can be kept in " + dir + ": " + err.Error(), Mend: "sudo chown -R " + v.User + ": " + dir})
		default:
			f := Finding{State: Ill, Text: "nothing can be kept in " + dir + ": " + err.Error(), Do: "Make room there, or name another directory."}
			if v.Origins.Of("gateway.state_dir") != "default" && dir == v.Gateway.StateDir {
				f.Mend = v.set("gateway.state_dir", "")
			}
			all = append(all, f)
		}
	}
	return all
}

// lost are the damaged files that were set aside lately.
func (v *visit) lost(context.Context) []Finding {
	var all []Finding
	for _, b := range keep.BrokenIn(v.Gateway.StateDir) {
		if b.News() {
			all = append(all, Finding{
				State: Poor, Text: b.File + " was damaged, and what was saved in it is lost; it is shown here for a week",
				Mend: console.Shell("rm", b.File),
			})
		}
	}
	return all
}

// writable tries whether a file can be made in a directory, or in the nearest one above
// that exists, which is where the directory would be made.
func writable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		return writable(filepath.Dir(dir))
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "using", Path: dir, Err: errors.New("it is no directory")}
	}
	opened, err := trust.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(trust.Try(opened), opened.Close())
}

// secrets are files that others must not read.
func (v *visit) secrets(context.Context) []Finding {
	if v.Locked != nil {
		return []Finding{{State: Ill, Text: v.Locked.Error(), Mend: v.Command + " config secret " + v.findLockedKey()}}
	}
	var all []Finding
	for _, file := range slices.Concat(slices.Collect(maps.Values(v.secretFiles())), v.tokenFiles()) {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o004 != 0 {
			all = append(all, Finding{State: Poor, Text: "everybody on this machine can read " + file, Mend: "chmod o-rwx " + file})
		}
	}
	if token := v.Secrets.HTTPToken; token != "" && httpguard.Short(token) {
		short := Finding{State: Poor, Text: fmt.Sprintf("the token of http.token_file has fewer than %d characters and can be guessed", httpguard.MinToken), Mend: v.Command + " config secret http.token"}
		if host, _, err := net.SplitHostPort(v.HTTP.Listen); err == nil && !httpguard.Loopback(host) {
			short.State = Ill // the gateway does not start with it
		}
		all = append(all, short)
	}
	return all
}

// secretFiles are the files that hold secrets, by the keys of the secrets.
func (v *visit) secretFiles() map[string]string {
	all := map[string]string{
		"mqtt.password": v.MQTT.PasswordFile, "ai.api_key": v.AI.APIKeyFile, "stt.openai.api_key": v.STT.OpenAI.APIKeyFile,
		"tts.openai.api_key": v.TTS.OpenAI.APIKeyFile, "tools.search.key": v.Tools.Search.KeyFile, "http.token": v.HTTP.TokenFile,
	}
	for key, file := range all {
		if file == "" {
			delete(all, key)
		}
	}
	return all
}

// findLockedKey is the secret whose file cannot be read.
func (v *visit) findLockedKey() string {
	for key, file := range v.secretFiles() {
		if data, err := os.ReadFile(file); err != nil || len(data) == 0 {
			return key
		}
	}
	return "mqtt.password"
}
