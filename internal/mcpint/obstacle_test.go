package mcpint_test

import (
	"strings"
	"testing"

	"voicegateway/internal/mcpint"
)

// v8 is the end of Node.js 22 where memory may not become executable.
const v8 = `
#
# Fatal error in , line 0
# Check failed: 12 == (*__errno_location ()).
#
----- Native stack trace -----

 1: 0x10482e1  [node]
 2: 0x2a25b7b V8_Fatal(char const*, ...) [node]
 3: 0x2a30d37 v8::base::OS::SetPermissions(void*, unsigned long, v8::base::OS::MemoryPermission) [node]
 4: 0x14d1255 v8::internal::MemoryAllocator::SetPermissionsOnExecutableMemoryChunk(v8::internal::VirtualMemory*, unsigned long) [node]
`

func TestFindObstacle(t *testing.T) {
	t.Parallel()
	const edit = "sudo systemctl edit voice-gateway-servers"
	for name, tt := range map[string]struct {
		launched   bool
		exit, said string
		text, mend string // "": no obstacle
	}{
		"Node.js in the gateway's service": {false, "signal: trace/breakpoint trap", v8, "mcp.launcher", ""},
		"Node.js with a drop-in":           {true, "signal: trace/breakpoint trap", v8, "MemoryDenyWriteExecute=no", edit},
		"a forbidden call":                 {true, "signal: bad system call", "", "SystemCallFilter=", edit},
		"a forbidden call of a child":      {false, "signal: bad system call (core dumped)", "", "mcp.launcher", ""},
		"Node.js writes elsewhere":         {true, "exit status 1", "Error: EROFS: read-only file system, mkdir '/srv/notes'", "ReadWritePaths=", edit},
		"Python writes elsewhere":          {true, "exit status 1", "OSError: [Errno 30] Read-only file system: '/srv/notes'", "ReadWritePaths=", edit},
		"a child writes elsewhere":         {false, "exit status 1", "OSError: [Errno 30] Read-only file system: '/srv/notes'", "", ""},
		"a forbidden clock":                {true, "exit status 1", "PermissionError: [Errno 1] Operation not permitted", "does not permit", edit},
		"a file of another user":           {true, "exit status 1", "PermissionError: [Errno 13] Permission denied: '/srv/notes'", "needs the right", edit},
		"a program of a user":              {true, "", "the program /home/kim/.local/bin/uvx cannot be started: no such file or directory", "ProtectHome=no", edit},
		"a service that refuses":           {true, "exit status 1", "401: permission denied for this key", "", ""},
		"complaints that did not matter":   {true, "exit status 0", "npm warn EACCES", "", ""},
		"no such program":                  {true, "", `the program "uvx" is neither at /usr/bin/uvx nor in PATH`, "", ""},
		"some other end":                   {true, "exit status 1", "no API key", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, found := mcpint.FindObstacle(tt.launched, tt.exit, tt.said)
			if found != (tt.text != "") || !strings.Contains(o.Text, tt.text) || o.Mend != tt.mend {
				t.Errorf("%v: %+v", found, o)
			}
			if again, known := mcpint.ObstacleIn("connection failed: " + o.Text + "; stderr: …"); found && (!known || again != o) {
				t.Errorf("its message is taken for %v, %+v", known, again)
			}
		})
	}
	if o, found := mcpint.ObstacleIn("connection to stdio server 'x' failed"); found {
		t.Errorf("no obstacle is taken for %+v", o)
	}
}
