package gateway

import "testing"

// The daemon tells the service manager how it fares; a person's command does not.
func TestTheDaemonTellsTheServiceManager(t *testing.T) {
	t.Parallel()
	if assembled(t).manager == nil {
		t.Error("the daemon tells no service manager")
	}
}
