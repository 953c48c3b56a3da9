package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// When root installs or updates the package, it changes nothing outside through links
// that the service, which may have been taken over, has put in the place of its own
// files. The real scripts run as root, the package's by dpkg, in a copy of this
// machine.
func TestRootFollowsNoLink(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can try what root does")
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("there is no dpkg here")
	}
	for _, scripts := range []string{"../../../scripts/*.sh", "../../../scripts/package/*", "../../../configs/*"} {
		files, err := filepath.Glob(scripts)
		for _, file := range files {
			_, err = os.ReadFile(file) // so that go test runs this again when one has changed
		}
		if err != nil || len(files) == 0 {
			t.Fatal(scripts, err)
		}
	}
	if said, err := inMachine(t, "true"); err != nil {
		t.Skipf("this machine cannot be copied: %v: %s", err, said)
	}
	for name, script := range map[string]string{
		"package": `
shipped=configs/voice-gateway.yaml
scripts/package/lay.sh "$1" "$1/root" && mkdir -p "$1/root/DEBIAN"
install -m 0755 scripts/package/{preinst,postinst,prerm,postrm} "$1/root/DEBIAN/"
pack() { # VERSION: the package, whose configuration is another in each version
  printf '\n# A line of version %s.\n' "$1" >>"$dir/root/usr/share/$name/$name.yaml"
  printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@packages.invalid>\nDescription: a try\n' "$name" "$1" >"$dir/root/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$dir/root" "$dir/$1.deb" >/dev/null
}
dir=$1
pack 1 && cp "$dir/root/usr/share/$name/$name.yaml" "$dir/shipped" && shipped=$dir/shipped && pack 2
dpkg --force-unsafe-io -i "$dir/1.deb" >/run/said 2>&1 || { cat /run/said; exit 1; }
stat -c 'HAS %n %U:%G %a' "$state" "$state/models" "$etc/credentials" "$etc/$name.yaml"
keep
printf 'dpkg --force-unsafe-io -i %s/1.deb && dpkg --force-unsafe-io -i %s/2.deb\n' "$dir" "$dir" >/run/update
try_all bash /run/update
`,
		"install.sh": `
shipped=configs/voice-gateway.yaml
BIN=$1 scripts/install.sh install >/run/said 2>&1 || { cat /run/said; exit 1; }
stat -c 'HAS %n %U:%G %a' "$state" "$state/models" "$etc/credentials" "$etc/$name.yaml"
keep
printf 'export BIN=%s\nPROFILE=offline scripts/install.sh install && PROFILE=voice-gateway scripts/install.sh install\n' "$1" >/run/update
try_all bash /run/update
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := inMachine(t, script)
			if err != nil {
				t.Fatalf("%v:\n%s", err, said)
			}
			counted := map[string]int{}
			for line := range strings.Lines(said) {
				kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				if counted[kind]++; kind == "CHANGED" || kind == "ENDED" {
					t.Errorf("%s: %s", strings.ToLower(kind), text)
				}
			}
			if counted["UNTOUCHED"] != 17 {
				t.Errorf("in %d of 17 tries everything of others stayed as it was:\n%s", counted["UNTOUCHED"], said)
			}
			for _, want := range []string{
				"/var/lib/voice-gateway voice-gateway:voice-gateway 750", "/var/lib/voice-gateway/models voice-gateway:voice-gateway 750",
				"/etc/voice-gateway/credentials root:voice-gateway 750", "/etc/voice-gateway/voice-gateway.yaml root:root 644",
			} {
				if !strings.Contains(said, "HAS "+want+"\n") {
					t.Errorf("an installation without anything in its way has not %s:\n%s", want, said)
				}
			}
		})
	}
}

// inMachine runs a script in a copy of this machine, from the top of the repository. Its
// first argument is a directory with the programs.
func inMachine(t *testing.T, script string) (said string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"voice-gateway", "zwave-mcp-server", "home-assistant-mcp-server"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	machine, err := os.ReadFile("testdata/machine.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private", "bash", "-c", string(machine)+script, "machine", dir)
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	return string(out), err
}
