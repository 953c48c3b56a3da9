package keep

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/ground/trust"
)

// When root writes in a directory of another user, who may have put anything there, it
// changes no other file: a link on the way is refused by name, and whatever is in the
// place of the file itself is replaced.
func TestRootWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can write in a directory of another user")
	}
	const service = 65533
	writes := map[string]func(state string) error{
		"a value": func(state string) error {
			s, err := Open(filepath.Join(state, "place"))
			if err == nil {
				err = s.Save("mute", true)
			}
			return err
		},
		"a model": func(state string) error { return Replace(filepath.Join(state, "place", "word.tflite"), []byte("ours")) },
		"a reply": func(state string) error {
			return ReplacePrivate(filepath.Join(state, "place", "reply.wav"), []byte("ours"))
		},
		"a secret": func(state string) error { return ReplaceSecret(filepath.Join(state, "place", "key"), []byte("ours")) },
		"a claim": func(state string) error {
			release, err := Claim(filepath.Join(state, "place"), "ours")
			if err == nil {
				release()
			}
			return err
		},
	}
	for name, tt := range map[string]struct {
		lay     func(state, others string) error
		refused string // for the writes; "": they are done
	}{
		"a link":             {func(state, others string) error { return os.Symlink(others, filepath.Join(state, "place")) }, "place is a link, and "},
		"a link to nothing":  {func(state, others string) error { return os.Symlink(others+"/new", filepath.Join(state, "place")) }, "place is a link, and "},
		"a link from there":  {func(state, _ string) error { return os.Symlink("../others", filepath.Join(state, "place")) }, "place is a link, and "},
		"a pipe":             {func(state, _ string) error { return syscall.Mkfifo(filepath.Join(state, "place"), 0o600) }, "not a directory"},
		"a file":             {func(state, others string) error { return os.Link(others+"/theirs", filepath.Join(state, "place")) }, "not a directory"},
		"links below":        {func(state, others string) error { return below(state, others, os.Symlink) }, ""},
		"second names below": {func(state, others string) error { return below(state, others, os.Link) }, ""},
		"pipes below":        {func(state, others string) error { return below(state, others, pipe) }, ""},
		"a link within its own": {func(state, _ string) error {
			return errors.Join(os.Mkdir(filepath.Join(state, "own"), 0o755), os.Symlink("own", filepath.Join(state, "place")))
		}, ""},
	} {
		for what, write := range writes {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				top := t.TempDir()
				state, others := filepath.Join(top, "state"), filepath.Join(top, "others")
				theirs := filepath.Join(others, "theirs")
				err := errors.Join(os.Mkdir(state, 0o755), os.Mkdir(others, 0o755), os.WriteFile(theirs, []byte("theirs"), 0o600))
				if err = errors.Join(err, tt.lay(state, others), os.Lchown(state, service, service)); err != nil {
					t.Fatal(err)
				}
				err = write(state)
				refused := tt.refused
				if what == "a claim" && strings.HasSuffix(name, " below") {
					refused = "is not the plain file that a gateway makes; remove it"
				}
				if (err == nil) != (refused == "") || err != nil && !strings.Contains(err.Error(), refused) {
					t.Errorf("%v, expected %q", err, refused)
				}
				if link, ok := errors.AsType[*trust.LinkError](err); strings.Contains(refused, "link") && (!ok || link.Link != filepath.Join(state, "place")) {
					t.Errorf("the error %v does not name the link", err)
				}
				entries, err := os.ReadDir(others)
				data, readErr := os.ReadFile(theirs)
				info, statErr := os.Stat(theirs)
				if err := errors.Join(err, readErr, statErr); err != nil || len(entries) != 1 || string(data) != "theirs" || info.Mode().Perm() != 0o600 {
					t.Errorf("of others there are %d files, theirs holds %q with %v, %v", len(entries), data, info, err)
				}
				if user, group := ownerOf(info); user != 0 || group != 0 {
					t.Errorf("theirs belongs to %d:%d now", user, group)
				}
			})
		}
	}
}

// below lays something in the place of each file that is written.
func below(state, others string, lay func(from, to string) error) error {
	err := os.Mkdir(filepath.Join(state, "place"), 0o755)
	for _, file := range []string{"mute.json", "word.tflite", "reply.wav", "key", claimFile} {
		err = errors.Join(err, lay(filepath.Join(others, "theirs"), filepath.Join(state, "place", file)))
	}
	return err
}

func pipe(_, to string) error { return syscall.Mkfifo(to, 0o600) }
