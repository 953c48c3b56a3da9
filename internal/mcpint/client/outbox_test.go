package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// pipe returns a process that has a stdin and nothing else.
func pipe(t *testing.T) (p *serverProcess, read *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p = &serverProcess{stdin: w, failed: make(chan struct{})}
	t.Cleanup(func() {
		p.outbox.close()
		_ = w.Close()
		_ = r.Close()
		p.outbox.pushers.Wait()
	})
	return p, r
}

// TestLinesArriveWhole writes far more than the pipe holds, from several
// goroutines, none of which waits for the reader.
func TestLinesArriveWhole(t *testing.T) {
	const writers, lines = 8, 50
	p, read := pipe(t)
	var writing sync.WaitGroup
	var size int64
	var mu sync.Mutex
	for w := range writers {
		writing.Go(func() {
			for n := range lines {
				line := []byte(fmt.Sprintf("%d %d %s\n", w, n, strings.Repeat("x", 37*n*(w+1))))
				if _, err := p.Write(line); err != nil {
					t.Error(err)
				}
				mu.Lock()
				size += int64(len(line))
				mu.Unlock()
			}
		})
	}
	writing.Wait() // nothing has been read yet
	next := make([]int, writers)
	in := bufio.NewReader(read)
	for range writers * lines {
		line, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var w, n int
		if _, err := fmt.Sscan(string(line), &w, &n); err != nil || next[w] != n || bytes.Count(line, []byte("x")) != 37*n*(w+1) {
			t.Fatalf("writer %d: after %d lines came %.40q, %v", w, next[w], line, err)
		}
		next[w]++
	}
	until(patience(t), t, "the end of the push", func() bool {
		p.outbox.mu.Lock()
		defer p.outbox.mu.Unlock()
		return !p.outbox.isPushing
	})
	if got := p.written.Load(); got != size {
		t.Errorf("%d bytes given, %d written", got, size)
	}
	if _, err := p.Write([]byte("more\n")); err != nil {
		t.Errorf("after a push: %v", err)
	}
}

func TestAnOutboxIsBounded(t *testing.T) {
	p, _ := pipe(t)
	line := make([]byte, 1<<20)
	var err error
	for range maxUnsent>>20 + 2 {
		if _, err = p.Write(line); err != nil {
			break
		}
	}
	<-p.failed
	if err == nil || p.failure() == nil {
		t.Fatalf("it takes everything: %v", err)
	}
	if _, err := p.Write(line); err == nil {
		t.Fatal("it takes more after the end")
	}
}

func TestAnOutboxNoticesTheReadersEnd(t *testing.T) {
	p, read := pipe(t)
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("x\n")); err == nil {
		t.Fatal("written to nobody")
	}
	p.outbox.close()
	if _, err := p.Write([]byte("x\n")); !errors.Is(err, os.ErrClosed) {
		t.Fatalf("after the end: %v", err)
	}
}
