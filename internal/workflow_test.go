package internal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// step is one of a workflow: somebody else's action, or a line for the shell.
type step struct{ Uses, Run string }

// TestTheReleaseIsMakeTargets: what a release does, anybody can do by hand.
func TestTheReleaseIsMakeTargets(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.github/workflows/release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	targets := openRepository(t).targets
	var made []string
	for name, job := range workflow.Jobs {
		for _, s := range job.Steps {
			target, complaint := madeBy(s, targets)
			if complaint != "" {
				t.Errorf("%s: %s", name, complaint)
			}
			made = append(made, target)
		}
	}
	if want := []string{"", "check", "vulnerabilities", "package-test", "release"}; !slices.Equal(made, want) {
		t.Errorf("the release makes %q, want %q", made, want)
	}
}

// madeBy says which target a step makes, or what is wrong with it. Fetching the source
// alone is no target, because the Makefile is in it.
func madeBy(s step, targets []string) (target, complaint string) {
	if s.Run == "" {
		if strings.HasPrefix(s.Uses, "actions/checkout@") {
			return "", ""
		}
		return "", "the step with " + s.Uses + " is no target of the Makefile"
	}
	target, isMake := strings.CutPrefix(s.Run, "make ")
	if !isMake || !slices.Contains(targets, target) {
		return "", "the step " + s.Run + " is no target of the Makefile"
	}
	return target, ""
}

// The test must be able to fail.
func TestTheReleaseCheckFindsOtherSteps(t *testing.T) {
	t.Parallel()
	targets := []string{"check", "package"}
	for s, right := range map[step]bool{
		{Run: "make check"}:              true,
		{Uses: "actions/checkout@v4"}:    true,
		{Uses: "actions/setup-go@v5"}:    false,
		{Run: "make nothing"}:            false,
		{Run: "make check && curl here"}: false,
		{Run: "make check package"}:      false,
		{Run: "go test ./..."}:           false,
		{}:                               false,
	} {
		if _, complaint := madeBy(s, targets); (complaint == "") != right {
			t.Errorf("%+v: %q", s, complaint)
		}
	}
}

// TestMaintainer: a release names who answers for it, and nobody is invented.
func TestMaintainer(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../scripts/package/maintainer.sh")
	if err != nil {
		t.Fatal(err)
	}
	annotated, light := []string{"tag", "-a", "-m", "first", "v1.0.0"}, []string{"tag", "v1.0.0"}
	for name, c := range map[string]struct {
		tag, env   []string
		said, told string
	}{
		"a commit":             {nil, nil, "nobody yet <nobody@packages.invalid>", "these are not for others"},
		"a release":            {annotated, nil, "Robin <robin@example.org>", ""},
		"a release of nobody":  {light, nil, "", "v1.0.0 is a release and names no maintainer"},
		"as it is told":        {annotated, []string{"DEBFULLNAME=Kim", "DEBEMAIL=kim@example.org"}, "Kim <kim@example.org>", ""},
		"told for one of both": {light, []string{"DEBEMAIL=kim@example.org"}, "", "DEBFULLNAME is not"},
		"no address":           {light, []string{"DEBFULLNAME=Kim", "DEBEMAIL=kim"}, "", "DEBEMAIL is no address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := func(env []string, program string, args ...string) (said, told string) {
				cmd := exec.CommandContext(t.Context(), program, args...)
				var stderr bytes.Buffer
				cmd.Dir, cmd.Stderr = dir, &stderr
				cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}, env...)
				out, _ := cmd.Output() // a refusal is told
				return strings.TrimSpace(string(out)), stderr.String()
			}
			git := func(args ...string) {
				_, _ = run(nil, "git", append([]string{"-c", "user.name=Robin", "-c", "user.email=robin@example.org"}, args...)...)
			}
			git("init", "-q")
			git("commit", "-q", "--allow-empty", "-m", "first")
			if c.tag != nil {
				git(c.tag...)
			}
			if said, told := run(c.env, script); said != c.said || !strings.Contains(told, c.told) || c.told == "" && told != "" {
				t.Errorf("said %q, told %q", said, told)
			}
		})
	}
}
