package plan_test

import (
	"testing"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
)

// TestSpanBefore checks what time a question about the past means. It is asked on a Wednesday at
// 20:10, or at the time of day that stands before it.
func TestSpanBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		now   string
		slots map[string]any
		want  string // from and to, with the day of the month
	}{
		"at seven, in the evening":        {"", map[string]any{"hour": 7}, "14 18:45 - 14 19:30"},
		"at seven, in the morning":        {"10:00", map[string]any{"hour": 7}, "14 06:45 - 14 07:30"},
		"at seven, and it is just that":   {"07:10", map[string]any{"hour": 7}, "14 06:45 - 14 07:10"},
		"at nine, which is still to come": {"", map[string]any{"hour": 9}, "14 08:45 - 14 09:30"},
		"at eleven, in the night":         {"03:00", map[string]any{"hour": 11}, "13 22:45 - 13 23:30"},
		"half past six":                   {"", map[string]any{"hour": 6, "minute": 30}, "14 18:15 - 14 19:00"},
		"at 7 in the morning":             {"", map[string]any{"hour": 7, "day_part": "morning"}, "14 06:45 - 14 07:30"},
		"at 19:00":                        {"12:00", map[string]any{"hour": 19}, "13 18:45 - 13 19:30"},
		"at noon":                         {"", map[string]any{"at": "12:00"}, "14 11:45 - 14 12:30"},
		"yesterday at seven":              {"", map[string]any{"hour": 7, "day": "yesterday"}, "13 18:45 - 13 19:30"},
		"this morning":                    {"", map[string]any{"day_part": "this morning"}, "14 05:00 - 14 12:00"},
		"in the evening, asked at noon":   {"12:00", map[string]any{"day_part": "evening"}, "13 18:00 - 14 00:00"},
		"tonight":                         {"", map[string]any{"day_part": "tonight"}, "14 18:00 - 14 20:10"},
		"last night":                      {"", map[string]any{"day_part": "last night"}, "13 18:00 - 14 06:00"},
		"last night, asked in the night":  {"02:00", map[string]any{"day_part": "last night"}, "13 18:00 - 14 02:00"},
		"at two last night":               {"", map[string]any{"hour": 2, "day_part": "last night"}, "14 01:45 - 14 02:30"},
		"yesterday afternoon":             {"", map[string]any{"day": "yesterday", "day_part": "afternoon"}, "13 12:00 - 13 18:00"},
		"yesterday":                       {"", map[string]any{"day": "yesterday"}, "13 00:00 - 14 00:00"},
		"today":                           {"", map[string]any{"day": "today"}, "14 00:00 - 14 20:10"},
		"in the last hour":                {"", map[string]any{"hours": 1}, "14 19:10 - 14 20:10"},
		"in the last ten minutes":         {"", map[string]any{"minutes": 10}, "14 20:00 - 14 20:10"},
		"in the kitchen":                  {"", map[string]any{"area": "Kitchen"}, "1 00:00 - 14 20:10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "20:10"
			if test.now != "" {
				at = test.now
			}
			now, err := time.ParseInLocation(time.DateTime, "2026-01-14 "+at+":00", time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			from, to := plan.SpanBefore(intent.Action{Slots: test.slots}, now)
			const form = "2 15:04"
			if got := from.Format(form) + " - " + to.Format(form); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
