package console

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is how often somebody who waits hears how far it is.
const progressEvery = 2 * time.Second

// Progress tells somebody who waits how far a long work is.
type Progress struct {
	To   io.Writer
	What string // the things that are counted
	Of   int    // all of them

	next time.Time
}

// Tell takes how much is done and prints it when it is time to.
func (p *Progress) Tell(done int) {
	now := time.Now()
	if p.next.IsZero() {
		p.next = now.Add(progressEvery)
	}
	if now.Before(p.next) && (done < p.Of || now.Before(p.next.Add(-progressEvery/2))) {
		return
	}
	p.next = now.Add(progressEvery)
	fmt.Fprintf(p.To, "%d of %d %s\n", done, p.Of, p.What)
}
