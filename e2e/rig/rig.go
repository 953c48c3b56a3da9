// Package rig is what the tests of the whole programs stand on: started programs, a real
// broker, simulated houses, and waits for conditions. Only tests import it. What a
// second package of tests needs goes here, the rest stays with its tests.
package rig

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// Patience bounds every wait for what must happen. It is much longer than anything takes
// on a machine with other work, because no test measures time.
const Patience = 3 * time.Minute

// Main runs the tests of a package that starts the real programs, and returns the status
// for os.Exit. It builds the programs first, sets programs to their directory and calls
// what is to happen before the tests. A test binary that was started as a puppet
// (fake.PuppetVariable) plays its script instead.
func Main(m *testing.M, programs *string, before ...func() error) int {
	if script := os.Getenv(fake.PuppetVariable); script != "" {
		return fake.Stage{Script: script, Environ: os.Environ(), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Play()
	}
	var err error
	if *programs, err = fake.Programs(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, prepare := range before {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// WaitTogether lets more parallel tests of this package run at once than there are
// processors, unless the flag -parallel says how many. A test of whole programs uses two
// fifths of a processor, and waits the rest of its time for programs to start, for pauses
// between attempts and for speech: five keep two processors busy. It is called before the
// tests run.
func WaitTogether() error {
	const parallel = "test.parallel"
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == parallel })
	if given {
		return nil
	}
	return flag.Set(parallel, strconv.Itoa((5*runtime.GOMAXPROCS(0)+1)/2))
}

// fewerCollections lets a program that a test starts keep as much garbage as data. The
// daemon's own pace, which keeps it small, costs two fifths of its start; who measures
// its memory sets GOGC= instead.
const fewerCollections = "GOGC=100"

// Environ returns a clean environment, KEY=value each: the search path, an empty home
// directory, and the additions, of which a later one counts. In a test, other than in a
// benchmark, programs collect garbage less often.
func Environ(tb testing.TB, more ...string) []string {
	tb.Helper()
	for _, setting := range more {
		if !strings.Contains(setting, "=") {
			tb.Fatalf("%q is no setting of an environment, expected KEY=value", setting)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir()}
	if _, benchmark := tb.(*testing.B); !benchmark {
		env = append(env, fewerCollections)
	}
	return append(env, more...)
}

// Eventually waits until a condition holds, and fails the test if it does not hold
// within Patience; what says in words what was expected.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	if !Within(tb.Context(), Patience, holds) {
		tb.Fatalf("it never came to this: %s", what)
	}
}

// Within waits until a condition holds and reports whether it came to hold before the
// limit had passed or ctx ended.
func Within(ctx context.Context, limit time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Output collects what a program writes. It may be read while the program writes.
type Output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write appends p.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(p)
}

// String returns everything that was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}
