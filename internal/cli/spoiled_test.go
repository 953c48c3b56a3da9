package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// stranger is a user that is neither the caller nor root.
const stranger = 65533

// spoiled are ways in which other users can decide what a configuration in the working
// directory holds. Each makes one, in a directory that only the user can change; names is
// the path that the error must name.
var spoiled = map[string]struct {
	root  bool // only root can make it
	spoil func(work, elsewhere string) error
	names string // what is named, below the two directories
}{
	"a file of others":                      {true, func(work, _ string) error { return give(work + "/configs/voice-gateway.yaml") }, "work/configs/voice-gateway.yaml belongs to "},
	"a file that everybody may write":       {false, func(work, _ string) error { return os.Chmod(work+"/configs/voice-gateway.yaml", 0o666) }, "work/configs/voice-gateway.yaml can be written by everybody"},
	"a file that a group may write":         {true, func(work, _ string) error { return share(work+"/configs/voice-gateway.yaml", 0o664) }, "work/configs/voice-gateway.yaml can be written by the group "},
	"a file that a list of users may write": {false, func(work, _ string) error { return list(work + "/configs/voice-gateway.yaml") }, "work/configs/voice-gateway.yaml can be written by the group "},
	"a local file that everybody may write": {false, func(work, _ string) error {
		local := work + "/configs/local.yaml"
		return errors.Join(os.WriteFile(local, []byte("gateway: {id: a}\n"), 0o600), os.Chmod(local, 0o666))
	}, "work/configs/local.yaml can be written by everybody"},
	"configs of others":                    {true, func(work, _ string) error { return give(work + "/configs") }, "work/configs belongs to "},
	"configs that everybody may write":     {false, func(work, _ string) error { return os.Chmod(work+"/configs", 0o777) }, "work/configs can be written by everybody"},
	"configs that a group may write":       {true, func(work, _ string) error { return share(work+"/configs", 0o775) }, "work/configs can be written by the group "},
	"configs like /tmp":                    {false, func(work, _ string) error { return os.Chmod(work+"/configs", 0o777|fs.ModeSticky) }, "work/configs can be written by everybody"},
	"a directory of others":                {true, func(work, _ string) error { return give(work) }, "work belongs to "},
	"a directory that everybody may write": {false, func(work, _ string) error { return os.Chmod(work, 0o777) }, "work can be written by everybody"},
	"a directory that a group may write":   {true, func(work, _ string) error { return share(work, 0o775) }, "work can be written by the group "},
	"configs of others in one like /tmp": {true, func(work, _ string) error {
		return errors.Join(os.Chmod(work, 0o777|fs.ModeSticky), give(work+"/configs"))
	}, "work can be written by everybody"},
	"a directory like /tmp that is of others": {true, func(work, _ string) error {
		return errors.Join(give(work), os.Chmod(work, 0o777|fs.ModeSticky))
	}, "work belongs to "},
	"a link to a file of others": {true, func(work, elsewhere string) error {
		return errors.Join(link(work+"/configs/voice-gateway.yaml", elsewhere+"/there.yaml"), give(elsewhere+"/there.yaml"))
	}, "elsewhere/there.yaml belongs to "},
	"a link to where everybody may write": {false, func(work, elsewhere string) error {
		return errors.Join(link(work+"/configs/voice-gateway.yaml", elsewhere+"/there.yaml"), os.Chmod(elsewhere, 0o777))
	}, "elsewhere can be written by everybody"},
	"a link over one that everybody may lay": {false, func(work, elsewhere string) error {
		err := errors.Join(link(work+"/configs/voice-gateway.yaml", elsewhere+"/there.yaml"), os.Mkdir(elsewhere+"/open", 0o755))
		err = errors.Join(err, os.Symlink("../there.yaml", elsewhere+"/open/hop.yaml"), os.Remove(work+"/configs/voice-gateway.yaml"))
		return errors.Join(err, os.Symlink(elsewhere+"/open/hop.yaml", work+"/configs/voice-gateway.yaml"), os.Chmod(elsewhere+"/open", 0o777|fs.ModeSticky))
	}, "elsewhere/open can be written by everybody"},
	"configs as a link to a directory of others": {true, func(work, elsewhere string) error {
		return errors.Join(link(work+"/configs", elsewhere+"/there"), give(elsewhere+"/there"))
	}, "elsewhere/there belongs to "},
	"a pipe": {false, func(work, _ string) error {
		return errors.Join(os.Remove(work+"/configs/voice-gateway.yaml"), syscall.Mkfifo(work+"/configs/voice-gateway.yaml", 0o600))
	}, "voice-gateway.yaml: it is no plain file"},
	"a directory": {false, func(work, _ string) error {
		return errors.Join(os.Remove(work+"/configs/voice-gateway.yaml"), os.Mkdir(work+"/configs/voice-gateway.yaml", 0o755))
	}, "voice-gateway.yaml: it is no plain file"},
}

// whole are working directories that only the caller and root can change.
var whole = map[string]struct {
	root bool
	make func(work, elsewhere string) error
}{
	"as it is":                   {false, func(string, string) error { return nil }},
	"for the caller alone":       {false, func(work, _ string) error { return os.Chmod(work, 0o700) }},
	"the caller's private group": {true, func(work, _ string) error { return os.Chmod(work+"/configs/voice-gateway.yaml", 0o664) }}, // root's, in every Debian
	"one like /tmp":              {false, func(work, _ string) error { return os.Chmod(work, 0o777|fs.ModeSticky) }},
	"a link to a file of the caller": {false, func(work, elsewhere string) error {
		return link(work+"/configs/voice-gateway.yaml", elsewhere+"/there.yaml")
	}},
	"configs as a link": {false, func(work, elsewhere string) error { return link(work+"/configs", elsewhere+"/there") }},
}

func give(path string) error { return os.Lchown(path, stranger, stranger) }

// share gives a path to a group of others, with these permissions.
func share(path string, perm fs.FileMode) error {
	return errors.Join(os.Lchown(path, -1, stranger), os.Chmod(path, perm))
}

// list lets one more user write a file, by a list beside its permissions.
func list(path string) error {
	entries := []struct {
		tag, perm uint16
		id        uint32
	}{{0x01, 6, ^uint32(0)}, {0x02, 6, stranger}, {0x04, 4, ^uint32(0)}, {0x10, 6, ^uint32(0)}, {0x20, 4, ^uint32(0)}} // owner, a user, group, mask, others
	text := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range entries {
		text = binary.LittleEndian.AppendUint16(text, e.tag)
		text = binary.LittleEndian.AppendUint16(text, e.perm)
		text = binary.LittleEndian.AppendUint32(text, e.id)
	}
	return syscall.Setxattr(path, "system.posix_acl_access", text, 0)
}

// link moves something elsewhere and lays a link to it in its place.
func link(path, to string) error { return errors.Join(os.Rename(path, to), os.Symlink(to, path)) }

// readers returns all commands that read the configuration, with arguments. The commands
// that never read it are listed by name, so that adding a command is a decision.
func readers(t *testing.T) (all [][]string) {
	t.Helper()
	none := []string{"worker", "help", "completion", "config", "models", "home schema"}
	arguments := map[string][]string{
		"ask": {"what time is it"}, "say": {"hello"}, "config set": {"gateway.area", "kitchen"}, "config secret": {"mqtt.password"}, "config alias": {"lamp", "light"},
		"config pronounce": {"lamp", "L AE M P"}, "setup": {"--yes"}, "volume": {"30"}, "hear": {"x.wav"}, "remember": {"last"}, "servers retry": {"zwave"},
		"marks delete": {"a"}, "replay": {"last"}, "servers accept": {"zwave"}, "home check": {"zwave"}, "wordings delete": {"a"}, "wordings edit": {"a"}, "wrong": {"last"},
	}
	var add func(c *cobra.Command, path []string)
	add = func(c *cobra.Command, path []string) {
		if c.Runnable() && len(path) > 0 && !slices.Contains(none, strings.Join(path, " ")) {
			all = append(all, slices.Concat(path, arguments[strings.Join(path, " ")]))
		}
		for _, sub := range c.Commands() {
			add(sub, slices.Concat(path, []string{sub.Name()}))
		}
	}
	add(Root(), nil)
	return all
}

// A configuration in the working directory says which programs are started and to which
// address a token goes. If other users can decide what it holds, every command names
// it, refuses it, and does nothing that it says. The test changes the working
// directory.
func TestASpoiledConfigurationIsRefused(t *testing.T) {
	all := readers(t)
	if len(all) < 30 {
		t.Fatalf("only %d commands: %q", len(all), all)
	}
	for name, s := range spoiled {
		t.Run(name, func(t *testing.T) {
			work, elsewhere, mark := layOut(t, s.root)
			if err := s.spoil(work, elsewhere); err != nil {
				t.Fatal(err)
			}
			for _, command := range all {
				status, said := inDirectory(t, command)
				if status != exitUsage || !strings.Contains(said, s.names) || !strings.Contains(said, "--config configs/") {
					t.Errorf("%q: status %d, %q; expected 2 and %q", command, status, said, s.names)
				}
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a program that it names was started")
			}
		})
	}
	for name, w := range whole {
		t.Run(name, func(t *testing.T) {
			work, elsewhere, _ := layOut(t, w.root)
			if err := w.make(work, elsewhere); err != nil {
				t.Fatal(err)
			}
			if status, said := inDirectory(t, []string{"config", "show"}); status != exitOK || !strings.Contains(said, "marked room") {
				t.Errorf("status %d, %q", status, said)
			}
		})
	}
}

// layOut makes a working directory with a configuration that names a program, and is
// gone there. The program leaves a mark.
func layOut(t *testing.T, root bool) (work, elsewhere, mark string) {
	t.Helper()
	if root && os.Getuid() != 0 {
		t.Skip("only root can give files to others")
	}
	for _, place := range []string{"/etc/voice-gateway/voice-gateway.yaml"} {
		if _, err := os.Stat(place); err == nil {
			t.Skipf("%s is here, which goes before the working directory", place)
		}
	}
	top := t.TempDir()
	work, elsewhere, mark = filepath.Join(top, "work"), filepath.Join(top, "elsewhere"), filepath.Join(top, "mark")
	text := "gateway: {area: marked room}\nmqtt: {embedded: {listen: \"127.0.0.1:0\"}}\nhttp: {listen: \"127.0.0.1:0\"}\nmcp: {servers: {evil: {transport: stdio, command: touch, args: [" + mark + "]}}}\n"
	err := errors.Join(os.MkdirAll(work+"/configs", 0o755), os.Mkdir(elsewhere, 0o755), os.WriteFile(work+"/configs/voice-gateway.yaml", []byte(text), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	return work, elsewhere, mark
}

// inDirectory runs a command line in the working directory.
func inDirectory(t *testing.T, args []string) (status int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Main(t.Context(), args, "test", IO{In: strings.NewReader("x\n"), Out: &out, Err: &errs, Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}, Executable: os.Args[0]})
	return status, out.String() + errs.String()
}

// A configuration that the user names is the user's own choice, wherever it is. Only a
// path that is not a file is refused, because a pipe may never get data.
func TestANamedConfigurationIsAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open, pipe := filepath.Join(dir, "open.yaml"), filepath.Join(dir, "pipe.yaml")
	err := errors.Join(os.WriteFile(open, []byte("gateway: {area: marked room}\n"), 0o600), os.Chmod(open, 0o666), os.Chmod(dir, 0o777), syscall.Mkfifo(pipe, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if status, said := inDirectory(t, []string{"config", "show", "--config", open}); status != exitOK || !strings.Contains(said, "marked room") {
		t.Errorf("status %d, %q", status, said)
	}
	for _, command := range readers(t) {
		status, said := inDirectory(t, append(command, "--config", pipe))
		if status != exitUsage || !strings.Contains(said, pipe) || !strings.Contains(said, "no plain file") {
			t.Errorf("%q: status %d, %q", command, status, said)
		}
	}
}
