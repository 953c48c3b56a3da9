package console

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is the time between two reports of progress.
const progressEvery = 2 * time.Second

// Progress shows a waiting person how far long work has come.
type Progress struct {
	To   io.Writer
	What string // the things that are counted
	Of   int    // how many there are

	next time.Time
}

// Tell takes how many things are done and prints that if it is time to.
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
