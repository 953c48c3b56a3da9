package cli

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is how often somebody who waits hears how far it is.
const progressEvery = 2 * time.Second

// progress tells on stderr how far a long work is.
type progress struct {
	to   io.Writer
	what string
	of   int
	next time.Time
}

// tell takes how much is done and prints it when it is time to.
func (p *progress) tell(done int) {
	now := time.Now()
	if p.next.IsZero() {
		p.next = now.Add(progressEvery)
	}
	if now.Before(p.next) && (done < p.of || now.Before(p.next.Add(-progressEvery/2))) {
		return
	}
	p.next = now.Add(progressEvery)
	fmt.Fprintf(p.to, "%d of %d %s\n", done, p.of, p.what)
}
