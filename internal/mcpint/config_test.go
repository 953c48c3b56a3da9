package mcpint

import (
	"testing"
	"time"
)

func TestAServersOwnSchedule(t *testing.T) {
	t.Parallel()
	general := Schedule{Attempts: 3, BaseDelay: 2 * time.Second, Multiplier: 2, MaxDelay: time.Minute, SlowInterval: time.Minute}
	if got := (Schedule{}).Over(general); got != general {
		t.Errorf("without its own the schedule is %+v", got)
	}
	own := Schedule{Attempts: 7, BaseDelay: time.Second, Multiplier: 3, MaxDelay: 9 * time.Second, SlowInterval: 10 * time.Second}
	if got := own.Over(general); got != own {
		t.Errorf("the schedule is %+v, want %+v", got, own)
	}
}
