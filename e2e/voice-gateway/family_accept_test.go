//go:build accept

package e2e

import "testing"

// TestAcceptHouseholdFamily says what a family on two floors says in a day. The lines that
// begin with ~ are known not to be right.
func TestAcceptHouseholdFamily(t *testing.T) {
	t.Parallel()
	sayAll(t, "testdata/family.txtar")
}

// TestAcceptHouseholdReported says what people reported of other programs, in houses of
// other names.
func TestAcceptHouseholdReported(t *testing.T) {
	t.Parallel()
	sayAll(t, "testdata/reported.txtar")
}
