// Package bubble makes tests in virtual time safe with the race detector. A test package
// that uses testing/synctest imports it for its effect.
//
// The timers of a bubble share one context of the race detector. Two threads that poll
// timers that are due use this context at the same time, and the detector crashes with
// SIGSEGV or a failed check, seldom and in any test (Go 1.26.8). So with the race
// detector, tests in virtual time run on one processor. It compares the order of events
// and not their times, so it still finds the races.
package bubble
