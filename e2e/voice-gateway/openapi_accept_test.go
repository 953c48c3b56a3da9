//go:build accept

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAcceptDescriptionIsValid has a foreign validator read the description of the HTTP
// interface, and one in which a description has become a key.
func TestAcceptDescriptionIsValid(t *testing.T) {
	modules := filepath.Join(peers(t), "node_modules")
	validate := func(file string) (string, error) {
		out, err := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", "peer-node"), filepath.Join(modules, ".bin", "validate-api"), file).CombinedOutput()
		return string(out), err
	}
	const ours = "../../internal/doors/httpapi/openapi.yaml"
	if out, err := validate(ours); err != nil || !strings.Contains(out, `"valid": true`) {
		t.Errorf("%v\n%s", err, out)
	}
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("openapi: 3.1.0\ninfo: {title: x, version: '1'}\ntags: [{name: a, and more}]\npaths: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := validate(broken); err == nil && strings.Contains(out, `"valid": true`) {
		t.Errorf("the validator accepts what is invalid:\n%s", out)
	}
}
