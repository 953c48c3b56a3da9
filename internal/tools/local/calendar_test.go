package local

import (
	"testing"
	"time"
)

// TestCalendar: 21 November 2026 is a Saturday.
func TestCalendar(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 19, 45, 0, 0, time.UTC)
	for args, want := range map[string]string{
		`{"date":"12-25"}`:                              "That is Friday, 25 December.",
		`{"date":"2027-03-15"}`:                         "That is Monday, 15 March 2027.",
		`{"date":"03-15"}`:                              "That is Monday, 15 March 2027.",
		`{"date":"03-15","week":"last"}`:                "That was Sunday, 15 March.",
		`{"date":"11-21"}`:                              "Today is Saturday, 21 November.",
		`{"date":"11-21","week":"last"}`:                "That was Friday, 21 November 2025.",
		`{"date":"02-29"}`:                              "That is Tuesday, 29 February 2028.",
		`{"date":"22"}`:                                 "Tomorrow is Sunday, 22 November.",
		`{"date":"20"}`:                                 "That is Sunday, 20 December.",
		`{"date":"31"}`:                                 "That is Thursday, 31 December.",
		`{"date":"easter"}`:                             "That is Sunday, 28 March 2027.",
		`{"date":"easter-2"}`:                           "That is Friday, 26 March 2027.",
		`{"date":"2030 easter+49"}`:                     "That is Sunday, 9 June 2030.",
		`{"date":"next easter"}`:                        "That is Sunday, 28 March 2027.",
		`{"date":"this 12-24"}`:                         "That is Thursday, 24 December.",
		`{"date":"11-4-thursday"}`:                      "That is Thursday, 26 November.",
		`{"date":"this-last-monday"}`:                   "That is Monday, 30 November.",
		`{"date":"this-5-sunday"}`:                      "That is Sunday, 29 November.",
		`{"date":"next-1-sunday"}`:                      "That is Sunday, 6 December.",
		`{"date":"last-22"}`:                            "That was Thursday, 22 October.",
		`{"what":"until","date":"12-25"}`:               "34 days.",
		`{"what":"weeks","date":"12-25"}`:               "4 weeks and 6 days.",
		`{"what":"weeks","date":"11-28"}`:               "1 week.",
		`{"what":"until","days":1}`:                     "1 day.",
		`{"what":"until","date":"11-21"}`:               "Today is Saturday, 21 November.",
		`{"what":"until","date":"10-31","week":"last"}`: "21 days.",
		`{"what":"until","at":"00:00"}`:                 "4 hours and 15 minutes.",
		`{"what":"until","at":"19:30"}`:                 "23 hours and 45 minutes.",
		`{"what":"until","at":"08:00","twelve":true}`:   "15 minutes.",
		`{"what":"until","at":"07:00","twelve":true}`:   "11 hours and 15 minutes.",
		`{"what":"until","at":"21:00","twelve":true}`:   "1 hour and 15 minutes.",
		`{"what":"until","at":"11:00","zone":"Tokyo"}`:  "6 hours and 15 minutes.",
		`{"what":"month_length"}`:                       "November has 30 days.",
		`{"what":"month_length","date":"02-01"}`:        "February has 28 days.",
		`{"what":"year_length"}`:                        "2026 has 365 days.",
		`{"what":"leap_year","date":"2028 01-01"}`:      "2028 is a leap year.",
		`{"what":"leap_year"}`:                          "2026 is no leap year.",
		`{"what":"week"}`:                               "It's week 47.",
		`{"what":"month"}`:                              "It's November.",
		`{"what":"year"}`:                               "It's 2026.",
		`{"what":"date","is":"monday"}`:                 "No, it's Saturday, 21 November.",
		`{"what":"date","is":"weekend"}`:                "Yes, it's Saturday, 21 November.",
		`{"what":"date","is":"november"}`:               "Yes, it's Saturday, 21 November.",
		`{"is":"sunday","days":1}`:                      "Yes, tomorrow is Sunday, 22 November.",
	} {
		byName, _ := kit(t, Default(), Deps{Now: func() time.Time { return now }, Zone: time.UTC})
		if got := call(t, byName["get_datetime"], args); got.Text != want || got.Failed {
			t.Errorf("%s: says %q, want %q", args, got.Text, want)
		}
	}
}

// TestNoSuchDay: what no calendar has, and what is no date.
func TestNoSuchDay(t *testing.T) {
	t.Parallel()
	byName, _ := kit(t, Default(), Deps{})
	for _, args := range []string{
		`{"date":"02-31"}`, `{"date":"13-01"}`, `{"date":"2027-02-29"}`, `{"date":"this-9-monday"}`, `{"date":"x 12-25"}`, `{"date":"easter+x"}`,
		`{"date":"this-2-moonday"}`, `{"date":"-"}`, `{"date":"this-"}`, `{"date":"0"}`, `{"date":"99999 easter"}`,
	} {
		if got := call(t, byName["get_datetime"], args); !got.Failed {
			t.Errorf("%s: says %q", args, got.Text)
		}
	}
}
