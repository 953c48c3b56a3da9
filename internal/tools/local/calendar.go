package local

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// findDate finds the day that a rule names; ok is false if there is none. Of the days that
// come every year or month it is the coming one, today included, or, if past is true, the
// last one. The rules are 2027-03-15, 03-15, 15 (of the month that has it), 11-4-thursday
// (the fourth Thursday in November; 5-last-monday), this-last-friday, next-1-sunday and
// this-22 (of this, the next or the last month), easter and easter+49 (days). A year may
// stand before a rule without one: 2027 easter.
func findDate(rule string, today time.Time, past bool) (day time.Time, ok bool) {
	today = dayOf(today)
	rule, year := cutYear(rule, today)
	switch word, rest, _ := strings.Cut(rule, "-"); {
	case word == "this" || word == "next" || word == "last":
		month := firstOf(today).AddDate(0, map[string]int{"this": 0, "next": 1, "last": -1}[word], 0)
		return dayIn(month, rest)
	case len(word) == len("2006"):
		day, err := time.Parse(time.DateOnly, rule)
		return day, err == nil
	case year != 0:
		return dayOfYear(year, rule)
	case rest == "" && !strings.HasPrefix(rule, "easter"):
		return nearest(today, past, func(n int) (time.Time, bool) { return dayIn(firstOf(today).AddDate(0, n, 0), rule) })
	}
	return nearest(today, past, func(n int) (time.Time, bool) { return dayOfYear(today.Year()+n, rule) })
}

// cutYear takes the year off a rule: a number, or this, next or last year; 0 if there is
// none.
func cutYear(rule string, today time.Time) (string, int) {
	word, rest, two := strings.Cut(rule, " ")
	if !two {
		return rule, 0
	}
	if n, known := map[string]int{"this": 0, "next": 1, "last": -1}[word]; known {
		return rest, today.Year() + n
	}
	year, err := strconv.Atoi(word)
	if err != nil {
		year = -1 // no year has that day
	}
	return rest, year
}

// nearest finds the first day from today on, or the last one before, that find gives for
// so many years or months from now. No day is rarer than one in eight years.
func nearest(today time.Time, past bool, find func(n int) (time.Time, bool)) (time.Time, bool) {
	const rarest = 8
	for n := range rarest + 2 {
		if past {
			if day, ok := find(-n); ok && day.Before(today) {
				return day, true
			}
		} else if day, ok := find(n); ok && !day.Before(today) {
			return day, true
		}
	}
	return time.Time{}, false
}

// dayOfYear is the day that a rule names in a year.
func dayOfYear(year int, rule string) (time.Time, bool) {
	if year < 1 || year > 9999 {
		return time.Time{}, false
	}
	if after, isEaster := strings.CutPrefix(rule, "easter"); isEaster {
		days, err := strconv.Atoi(strings.TrimPrefix(after, "+"))
		return easter(year).AddDate(0, 0, days), err == nil || after == ""
	}
	word, rest, _ := strings.Cut(rule, "-")
	month, err := strconv.Atoi(word)
	if err != nil || month < 1 || month > 12 {
		return time.Time{}, false
	}
	return dayIn(time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC), rest)
}

// dayIn is the day of a month that is named by its number or as one of its days of the
// week: 15, 2-thursday, last-friday.
func dayIn(month time.Time, rule string) (time.Time, bool) {
	which, name, weekly := strings.Cut(rule, "-")
	n, err := strconv.Atoi(which)
	if !weekly {
		day := month.AddDate(0, 0, n-1)
		return day, err == nil && n > 0 && day.Month() == month.Month()
	}
	weekday, known := weekdays[name]
	const week = 7
	if which == "last" {
		end := month.AddDate(0, 1, -1)
		return end.AddDate(0, 0, -((int(end.Weekday()) - int(weekday) + week) % week)), known
	}
	day := month.AddDate(0, 0, (int(weekday)-int(month.Weekday())+week)%week+(n-1)*week)
	return day, known && err == nil && n > 0 && day.Month() == month.Month()
}

// easter is Easter Sunday by the Gregorian calendar, as Butcher's algorithm gives it.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}

// dayOf is the calendar's day of a time, as a midnight that no change of clocks moves.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func firstOf(day time.Time) time.Time { return day.AddDate(0, 0, 1-day.Day()) }

// daysBetween is how many days one day is after another.
func daysBetween(from, to time.Time) int {
	return int(dayOf(to).Sub(dayOf(from)) / (24 * time.Hour))
}

// fact is the answer to a question about the calendar that is not just a date.
type fact struct {
	Asked string `json:"asked"`
	Count int    `json:"count,omitempty"` // days, or the number of the week, the month or the year
	Yes   bool   `json:"yes,omitempty"`
}

// tellFact answers what is asked of a day, as a text and for other languages; ok is false
// if nothing of the kind is asked.
func tellFact(a datetimeArgs, day, today time.Time) (text string, f fact, ok bool) {
	f.Asked = a.What
	switch a.What {
	case "until", "weeks":
		f.Count = daysBetween(today, day)
		text = sayDays(f)
	case "month_length":
		f.Count = firstOf(day).AddDate(0, 1, -1).Day()
		text = fmt.Sprintf("%s has %d days.", day.Month(), f.Count)
	case "year_length":
		f.Count = time.Date(day.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
		text = fmt.Sprintf("%d has %d days.", day.Year(), f.Count)
	case "leap_year":
		f.Yes = time.Date(day.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() > 365
		text = fmt.Sprintf("%d is a leap year.", day.Year())
		if !f.Yes {
			text = fmt.Sprintf("%d is no leap year.", day.Year())
		}
	case "week":
		_, f.Count = day.ISOWeek()
		text = fmt.Sprintf("It's week %d.", f.Count)
	case "month":
		f.Count = int(day.Month())
		text = fmt.Sprintf("It's %s.", day.Month())
	case "year":
		f.Count = day.Year()
		text = fmt.Sprintf("It's %d.", f.Count)
	default:
		return "", f, false
	}
	return text, f, true
}

// sayDays says a number of days, perhaps in weeks: "3 weeks and 6 days".
func sayDays(f fact) string {
	days := max(f.Count, -f.Count)
	const week = 7
	text := countOf(days, "day")
	if weeks, rest := days/week, days%week; f.Asked == "weeks" && weeks > 0 {
		text = countOf(weeks, "week")
		if rest > 0 {
			text += " and " + countOf(rest, "day")
		}
	}
	if days == 0 {
		return "That is today."
	}
	return text + "."
}

func countOf(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// isThat answers whether a day is one of the days of the week, of the weekend or of a
// month, by its English name.
func isThat(day time.Time, name string) bool {
	weekday := strings.ToLower(day.Weekday().String())
	if name == "weekend" {
		return slices.Contains([]string{"saturday", "sunday"}, weekday)
	}
	return name == weekday || name == strings.ToLower(day.Month().String())
}
