package turn

import "context"

// asked is an event that changes nothing; that it is answered is the answer.
const asked Kind = "asked"

// Answers returns when the loop has taken an event, which it does between two
// frames: nil says that it does not hang. It fails when ctx ends first.
func (l *Loop) Answers(ctx context.Context) error { return l.ask(ctx, event{kind: asked}) }
