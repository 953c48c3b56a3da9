package internal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// step is one step of a workflow: an action from outside, or a command line.
type step struct {
	Uses, Run string
	Env, With map[string]string
}

// workflow is what a release does.
type workflow struct {
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Env         map[string]string
		Container   struct{ Image string }
		Steps       []step
	}
}

func readWorkflow(t *testing.T) (w workflow) {
	t.Helper()
	text, err := os.ReadFile("../.github/workflows/release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTheReleaseIsMakeTargets: every step of a release can also be done by hand.
func TestTheReleaseIsMakeTargets(t *testing.T) {
	t.Parallel()
	targets := openRepository(t).targets
	var made []string
	jobs := readWorkflow(t).Jobs
	for _, name := range []string{"packages", "publish"} {
		for _, s := range jobs[name].Steps {
			target, complaint := madeBy(s, targets)
			if complaint != "" {
				t.Errorf("%s: %s", name, complaint)
			}
			made = append(made, target)
		}
	}
	if want := []string{"", "check", "vulnerabilities", "package-test", "", "", "", "sign", "release"}; len(jobs) != 2 || !slices.Equal(made, want) {
		t.Errorf("the release makes %q, want %q", made, want)
	}
}

// byDigest matches what names an action or an image by its digest, with its version.
var byDigest = regexp.MustCompile(`^(actions/[a-z-]+@[0-9a-f]{40}|golang:[0-9.]+-bookworm@sha256:[0-9a-f]{64})$`)

// handsOn matches the actions that fetch the source and hand the packages on.
var handsOn = regexp.MustCompile(`^actions/(checkout|upload-[a-z]+|download-[a-z]+)@`)

// TestTheReleaseTrustsNobodyLater: everything that a release takes from outside is
// named by its digest, so that it cannot be exchanged later. Only the step that
// publishes gets the right to change the repository, after everything that others have
// written has run. The packages are published with their sums and a signature.
func TestTheReleaseTrustsNobodyLater(t *testing.T) {
	t.Parallel()
	w := readWorkflow(t)
	if w.Permissions == nil || len(w.Permissions) > 0 || len(w.Env) > 0 {
		t.Errorf("all jobs may %v with %v; expected nothing", w.Permissions, w.Env)
	}
	for name, job := range w.Jobs {
		if !byDigest.MatchString(job.Container.Image) {
			t.Errorf("%s: the image %s is not named by its digest", name, job.Container.Image)
		}
		for _, s := range job.Steps {
			if s.Uses != "" && !byDigest.MatchString(s.Uses) {
				t.Errorf("%s: %s is not named by its digest", name, s.Uses)
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
				t.Errorf("%s: the token stays in the source that is fetched", name)
			}
			if holdsToken(s.Env) && s.Run != "make release" {
				t.Errorf("%s: the step %s%s has the token", name, s.Uses, s.Run)
			}
			if name != "publish" && s.Run == "make release" || name == "publish" && s.Run != "" && s.Run != "make sign" && s.Run != "make release" {
				t.Errorf("%s makes %s", name, s.Run)
			}
		}
		for what, how := range job.Permissions {
			if how != "read" && name != "publish" || holdsToken(job.Env) || job.Permissions == nil {
				t.Errorf("%s: the job may %s %s, with %v", name, how, what, job.Env)
			}
		}
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "dist/*.deb dist/SHA256SUMS dist/SHA256SUMS.sigstore.json --verify-tag") {
		t.Error("the packages are published without their sums or the signature")
	}
}

// holdsToken reports whether an environment has what may change the repository.
func holdsToken(env map[string]string) bool {
	for _, value := range env {
		if strings.Contains(value, "github.token") || strings.Contains(value, "secrets.") {
			return true
		}
	}
	return false
}

// madeBy says which target a step makes, or what is wrong with it. Fetching the source
// is no target, because the Makefile is in it, nor is handing the packages on.
func madeBy(s step, targets []string) (target, complaint string) {
	if s.Run == "" {
		if handsOn.MatchString(s.Uses) {
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
	for _, tt := range []struct {
		step  step
		right bool
	}{
		{step{Run: "make check"}, true},
		{step{Uses: "actions/checkout@v4"}, true},
		{step{Uses: "actions/setup-go@v5"}, false},
		{step{Run: "make nothing"}, false},
		{step{Run: "make check && curl here"}, false},
		{step{Run: "make check package"}, false},
		{step{Run: "go test ./..."}, false},
		{step{}, false},
	} {
		if _, complaint := madeBy(tt.step, targets); (complaint == "") != tt.right {
			t.Errorf("%+v: %q", tt.step, complaint)
		}
	}
	for name, named := range map[string]bool{
		"actions/checkout@v4": false, "actions/checkout@11bd719": false, "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683": true,
		"golang:1.26-bookworm": false, "somebody/checkout@11bd71901bbe5b1630ceea73d27597364c9af683": false,
	} {
		if byDigest.MatchString(name) != named {
			t.Errorf("%s: expected %v", name, named)
		}
	}
}

// TestMaintainer: a release names a maintainer, and the name is not invented.
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
