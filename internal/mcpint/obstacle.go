package mcpint

import (
	"slices"
	"strings"
)

// serversUnit is the unit in which the servers of others run where systemd runs the
// gateway (ADR 32), and editServers the command that adds a line to it.
const (
	serversUnit = "voice-gateway-servers.service"
	editServers = "sudo systemctl edit voice-gateway-servers"
)

// Obstacle is a rule of the system that stopped a server: it may not do something where
// it was started.
type Obstacle struct {
	Text string // what it may not do, and what allows it
	Mend string // the command that allows it; "" if the service for servers of others has to be set up
}

// obstacles are told in this order. launched is for servers in the service for servers of
// others, else for children of the gateway.
var obstacles = []struct {
	launched bool
	exits    []string // how the process ended; empty: in any way
	signs    []string // what it wrote to stderr; empty: anything
	Obstacle
}{
	{true, nil, generatesCode, Obstacle{"it may not generate code in " + serversUnit + "; the line MemoryDenyWriteExecute=no there allows it", editServers}},
	{false, nil, generatesCode, Obstacle{"it may not generate code inside the gateway's service; servers of others have " + serversUnit + ", which mcp.launcher names", ""}},
	{true, []string{"bad system call"}, nil, Obstacle{"it made a system call that " + serversUnit + " forbids; a line SystemCallFilter= there can allow it", editServers}},
	{false, []string{"bad system call"}, nil, Obstacle{"it made a system call that is forbidden inside the gateway's service; servers of others have " + serversUnit + ", which mcp.launcher names", ""}},
	{true, nil, []string{"the program /home/", "the program /root/", "directory /home/", "directory /root/", "module '/home/", "open file '/home/"}, Obstacle{"it needs a file of a user, and " + serversUnit + " hides /home and /root; install the program for all users, or add the lines ProtectHome=no and User= there", editServers}},
	{true, nil, []string{"EROFS", "Errno 30]", "read-only file system"}, Obstacle{"it may write only below /var/lib/voice-gateway-servers and /tmp; a line ReadWritePaths= with the directory in " + serversUnit + " allows more", editServers}},
	{true, nil, []string{"EPERM", "Errno 1]", "operation not permitted"}, Obstacle{serversUnit + " does not permit what its last words name; that unit says which line allows it", editServers}},
	{true, nil, []string{"EACCES", "Errno 13]"}, Obstacle{"it may not use a file that its last words name: the user voice-gateway-servers needs the right, and " + serversUnit + " hides /etc/voice-gateway and /var/lib/voice-gateway", editServers}},
}

// generatesCode is what engines write that may not make memory executable: V8 (Node.js),
// the JVM and .NET.
var generatesCode = []string{"SetPermissionsOnExecutableMemoryChunk", "v8::base::OS::SetPermissions", "Failed to mark memory page as executable", "Failed to create CoreCLR"}

// FindObstacle recognises the rule that stopped a server, by how its process ended ("" if
// it could not be started) and by what it, or the start, said. launched is whether the
// service for servers of others started it.
func FindObstacle(launched bool, exit, said string) (o Obstacle, found bool) {
	if exit == "exit status 0" {
		return Obstacle{}, false // what it complained of did not stop it
	}
	holds := func(text string, signs []string) bool {
		return len(signs) == 0 || slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(sign)) })
	}
	for _, o := range obstacles {
		if o.launched == launched && holds(exit, o.exits) && holds(said, o.signs) {
			return o.Obstacle, true
		}
	}
	return Obstacle{}, false
}

// These begin the errors of a server that wants a key, or that does not accept ours.
const (
	KeyWanted  = "the server wants to know who we are"
	KeyRefused = "the server does not let us in"
)

// LacksKey reports whether an error message says that a server needs another key.
func LacksKey(message string) bool {
	return strings.Contains(message, KeyWanted) || strings.Contains(message, KeyRefused)
}

// ObstacleIn recognises the obstacle that an error message names.
func ObstacleIn(message string) (o Obstacle, found bool) {
	for _, o := range obstacles {
		if strings.Contains(message, o.Text) {
			return o.Obstacle, true
		}
	}
	return Obstacle{}, false
}
