package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// suites are the pinned versions of the MCP conformance suite, and where npm puts
// them.
var suites = map[string]string{
	"0.1.16":         "@modelcontextprotocol/conformance",
	"0.2.0-alpha.12": "conformance-next",
}

// exception says why scenarios of the conformance suite are not for a program of
// ours: an entry of testdata/conformance.yaml.
type exception struct {
	Programs  []string `yaml:"programs"`  // of server, gateway and client
	Why       string   `yaml:"why"`       //
	Suites    []string `yaml:"suites"`    // none: each that has the scenario
	Scenarios []string `yaml:"scenarios"` //
	Checks    []string `yaml:"checks"`    // the only ones that may fail; none: any
}

func exceptions(t *testing.T) []exception {
	t.Helper()
	body, err := os.ReadFile("testdata/conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []exception
	if err := yaml.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// exceptionFor returns the entry that names a scenario of a suite, nil if there is
// none.
func exceptionFor(t *testing.T, program, suite, scenario string) *exception {
	t.Helper()
	for _, e := range exceptions(t) {
		if slices.Contains(e.Programs, program) && slices.Contains(e.Scenarios, scenario) && (len(e.Suites) == 0 || slices.Contains(e.Suites, suite)) {
			return &e
		}
	}
	return nil
}

// TestConformanceExceptions holds the list to its form: each entry has programs, a
// reason and scenarios, none of which is named twice, and its suites are those that
// npm installs.
func TestConformanceExceptions(t *testing.T) {
	t.Parallel()
	var pinned struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	body, err := os.ReadFile("../../scripts/peers/package.json")
	if err == nil {
		err = json.Unmarshal(body, &pinned)
	}
	if err != nil {
		t.Fatal(err)
	}
	for version, name := range suites {
		if got := pinned.Dependencies[name]; got != version && got != "npm:@modelcontextprotocol/conformance@"+version {
			t.Errorf("npm installs %q as %s, expected exactly %s", got, name, version)
		}
	}
	named := map[[3]string]bool{}
	for _, e := range exceptions(t) {
		if len(e.Programs) == 0 || e.Why == "" || len(e.Scenarios) == 0 {
			t.Errorf("an entry lacks its programs, reason or scenarios: %+v", e)
		}
		in := e.Suites
		if len(in) == 0 {
			in = []string{"0.1.16", "0.2.0-alpha.12"}
		}
		for _, suite := range in {
			if _, known := suites[suite]; !known {
				t.Errorf("there is no suite %q: %+v", suite, e)
			}
			for _, program := range e.Programs {
				for _, scenario := range e.Scenarios {
					key := [3]string{program, suite, scenario}
					if named[key] {
						t.Errorf("%v is named twice", key)
					}
					named[key] = true
				}
			}
		}
	}
}
