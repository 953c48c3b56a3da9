package reply_test

import "testing"

// TestKindsOfQuestions: a battery, a temperature, a setpoint or one thing is asked
// about in the words of each language, a question which or how many begins with no
// yes, and who asks whether to go to bed hears how the house is.
func TestKindsOfQuestions(t *testing.T) {
	t.Parallel()
	askManors(t, "testdata/inquiry.txtar")
}
