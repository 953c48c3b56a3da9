package mcpint

import (
	"fmt"
	"path"
	"slices"
)

// lets says whether a tool is offered: allowed by name, and not denied.
func (r Rules) lets(name string) bool {
	fits := func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // patterns are checked before
		return ok
	}
	return (len(r.Allow) == 0 || slices.ContainsFunc(r.Allow, fits)) && !slices.ContainsFunc(r.Deny, fits)
}

// Check says what is wrong with the rules.
func (r Rules) Check() error {
	for _, need := range r.Requires {
		if err := CheckRequirement(need); err != nil {
			return err
		}
	}
	for _, pattern := range slices.Concat(r.Allow, r.Deny) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern for tool names; expected something like get_* or delete_?", pattern)
		}
	}
	return nil
}
