package configure

import (
	"os/user"
	"slices"
)

// MayUse reports whether a user may use what belongs to a group, as far as this machine
// knows both.
func MayUse(name, group string) bool {
	who, err := user.Lookup(name)
	if err != nil {
		return false
	}
	if who.Uid == "0" {
		return true
	}
	its, err := user.LookupGroup(group)
	if err != nil {
		return false
	}
	member, err := who.GroupIds()
	return err == nil && slices.Contains(member, its.Gid)
}
