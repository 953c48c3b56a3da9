package tools_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"voicegateway/internal/tools"
)

// offeredAs are the names of all tools, by server and name there.
func offeredAs(r *tools.Registry) map[string]string {
	all := map[string]string{}
	for _, s := range r.Specs() {
		all[s.Server+"/"+s.Remote] = s.Name
	}
	return all
}

// orders are all orders of some things.
func orders(things []string) [][]string {
	if len(things) < 2 {
		return [][]string{things}
	}
	var all [][]string
	for i, first := range things {
		rest := slices.Concat(things[:i], things[i+1:])
		for _, o := range orders(rest) {
			all = append(all, append([]string{first}, o...))
		}
	}
	return all
}

// TestNamesAreTheSameAfterEveryStart: whichever server connects first, is slow or
// comes back, and in whatever order it lists its tools, every tool has the name it
// had before.
func TestNamesAreTheSameAfterEveryStart(t *testing.T) {
	t.Parallel()
	tellsOf := map[string][]string{
		"aaa": {"echo", "control_device", "a b", "a.b", "now"}, "notes": {"echo", "search", "aaa_echo"},
		"everything": {"echo", "add"}, "zwave": {"control_device", "list"},
	}
	want := map[string]string{
		"/": "now", "zwave/control_device": "control_device", "zwave/list": "list",
		"notes/echo": "echo", "notes/search": "search", "notes/aaa_echo": "aaa_echo",
		"aaa/echo": "aaa_echo_2", "aaa/control_device": "aaa_control_device", "aaa/a b": "a_b", "aaa/a.b": "aaa_a_b", "aaa/now": "aaa_now",
		"everything/echo": "everything_echo", "everything/add": "add",
	}
	for n, order := range orders(slices.Sorted(maps.Keys(tellsOf))) {
		r := tools.NewRegistry()
		if err := r.Add(echo("now", "")); err != nil {
			t.Fatal(err)
		}
		r.Trust("zwave")
		r.Order("notes", "aaa", "zwave")
		for _, server := range order {
			var list []tools.Tool
			for _, name := range tellsOf[server] {
				list = append(list, echo(name, ""))
			}
			if n%2 == 1 {
				slices.Reverse(list)
			}
			r.Replace(server, list)
			if n%3 == 0 { // it is lost, and comes back
				r.Replace(server, nil)
				r.Replace(server, append(list, list...))
			}
		}
		if got := offeredAs(r); !maps.Equal(got, want) {
			t.Fatalf("%v: the names are\n%v, want\n%v", order, got, want)
		}
	}
}

// TestANameIsKeptForAServerThatIsAway: a name that a server used when it was last seen is
// not given to another server while it is away, not even after a restart.
func TestANameIsKeptForAServerThatIsAway(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry()
	r.Trust("zwave")
	r.Order("notes", "aaa")
	r.Remember("zwave", "control_device")
	r.Remember("notes", "echo", "gone")
	r.Replace("aaa", []tools.Tool{echo("control_device", ""), echo("echo", ""), echo("gone", "")})
	before := map[string]string{"aaa/control_device": "aaa_control_device", "aaa/echo": "aaa_echo", "aaa/gone": "aaa_gone"}
	if got := offeredAs(r); !maps.Equal(got, before) {
		t.Errorf("before: %v, want %v", got, before)
	}
	if _, known := r.Lookup(tools.Call{Tool: "control_device"}); known {
		t.Error("a stranger answers for the house")
	}
	r.Replace("notes", []tools.Tool{echo("echo", "")})
	r.Remember("notes", "gone", "search") // it has told itself
	r.Replace("notes", nil)
	r.Replace("late", []tools.Tool{echo("echo", ""), echo("search", "")})
	want := map[string]string{
		"aaa/control_device": "aaa_control_device", "aaa/echo": "aaa_echo", "aaa/gone": "gone", "late/echo": "late_echo", "late/search": "search",
	}
	if got := offeredAs(r); !maps.Equal(got, want) {
		t.Errorf("after: %v, want %v", got, want)
	}
}

// TestACallGoesWhereItWasMeant: a name that moves to another server while tools change
// does not take a call along that names its server.
func TestACallGoesWhereItWasMeant(t *testing.T) {
	t.Parallel()
	r := tools.NewRegistry()
	r.Order("notes", "aaa")
	mark := func(server string) tools.Tool { return stub{tools.Spec{Name: "echo", Description: server}} }
	r.Replace("aaa", []tools.Tool{mark("aaa")})
	before, _ := r.Lookup(tools.Call{Tool: "echo"})
	r.Replace("notes", []tools.Tool{mark("notes")})
	after, _ := r.Lookup(tools.Call{Tool: "echo"})
	meant, _ := r.Lookup(tools.Call{Server: before.Server, Tool: before.Remote})
	if got := fmt.Sprint(before.Description, " ", after.Description, " ", meant.Name); got != "aaa notes aaa_echo" {
		t.Error(got)
	}
}
