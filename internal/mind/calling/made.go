package calling

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// Made holds the results of a turn's steps, by the index of the step.
type Made struct {
	Results   []tools.Result
	calls     []record.CallMade
	Ends      []record.Outcome
	Problems  []string // why a step has failed; "" for any other step
	Errs      []error  // why a call got no answer; nil for an answered call
	confirmed []time.Time
	asks      bool // only readings, so that a failed one is part of the answer
}

func newMade(n int) Made {
	return Made{
		Results: make([]tools.Result, n), calls: make([]record.CallMade, n), Problems: make([]string, n),
		Errs: make([]error, n), confirmed: make([]time.Time, n), Ends: make([]record.Outcome, n),
	}
}

// note keeps the result of one call. Only what a device has confirmed is done (Z4);
// a command that is under way or waits for a sleeping device is accepted, and one
// whose place a newer command took is interrupted.
func (c Made) note(i int, call tools.Call, res tools.Result, err error, took time.Duration, acts bool) {
	c.Results[i], c.calls[i] = res, record.NewCall(call, res, took)
	if err != nil {
		c.calls[i].Because(err.Error())
	}
	c.Problems[i], c.Errs[i], c.confirmed[i], c.Ends[i] = "", err, time.Time{}, record.OutcomeOf(res, err, acts)
	if res.Receipt.Done() {
		c.confirmed[i] = time.Now()
	}
	switch {
	case c.Ends[i] != record.Failed:
	case err != nil:
		c.Problems[i] = err.Error()
	default:
		c.Problems[i] = cmp.Or(res.Text, "the device has not confirmed it")
	}
}

// Cause returns the error of the first call that got no answer because of its
// server.
func (c Made) Cause() error {
	for _, err := range c.Errs {
		if Lost(err) {
			return err
		}
	}
	return nil
}

// Into puts the calls into the record of the turn, without the steps that needed no
// tool.
func (c Made) Into(rec *record.Record, watch record.Stopwatch) {
	rec.Outcome = record.Done
	for i, m := range c.calls {
		if m.Tool != "" {
			rec.Calls = append(rec.Calls, m)
		}
		if c.Ends[i].Worse(rec.Outcome) && !c.answered() {
			rec.Outcome, rec.Error = c.Ends[i], c.Problems[i]
		}
	}
	rec.Timings.FirstPublish = watch.At(earliest(c.Results))
	rec.Timings.Confirmed = watch.At(latest(c.confirmed))
}

// answered reports whether a question about several things got an answer, though
// some of them could not be read.
func (c Made) answered() bool { return c.asks && slices.Contains(c.Problems, "") }

func earliest(results []tools.Result) time.Time {
	var first time.Time
	for _, r := range results {
		if !r.PublishedAt.IsZero() && (first.IsZero() || r.PublishedAt.Before(first)) {
			first = r.PublishedAt
		}
	}
	return first
}

func latest(times []time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// Lost reports whether a call got no answer because of its server.
func Lost(err error) bool {
	return errors.Is(err, tools.ErrNotConnected) || errors.Is(err, tools.ErrNoAnswer)
}
