package internal_test

import (
	"os"
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
