//go:build accept

package hearing

import (
	"slices"
	"testing"
)

// TestAcceptBackgroundSpeech: commands with other people talking through or after
// them for ten seconds. The floors are what docs/facts/engines.md found without
// the level gate; the times are the sound's own, so a busy machine does not
// change them.
func TestAcceptBackgroundSpeech(t *testing.T) {
	type key struct {
		Placed, SNR string
		Gate        bool
	}
	type row struct {
		woken, right, added, of int
		late                    []int
	}
	rows := map[key]*row{}
	for _, o := range tabled(t) {
		if o.Kind != "background" {
			continue
		}
		k := key{o.Placed, o.SNR, o.Gate}
		if rows[k] == nil {
			rows[k] = &row{}
		}
		r := rows[k]
		r.of++
		if o.Ended == "no_wake_word" {
			continue
		}
		r.woken++
		r.late = append(r.late, o.Late)
		if o.Added != "" {
			r.added++
			t.Logf("%s %s dB: said %q, and of others was taken %q", o.Placed, o.SNR, o.Said, o.Added)
		}
		switch {
		case o.Intent:
			r.right++
		case o.Gate:
			t.Logf("%s %s dB: said %q, heard %q", o.Placed, o.SNR, o.Said, o.Text)
		}
	}
	for k, want := range map[key]struct {
		right float64 // of the recordings whose wake word was heard
		late  int     // ms, of 95 %
		added float64 // at most, of those: words of others were acted on as well
	}{
		{"through", "-20", true}: {0.75, 600, 0.1}, {"through", "-10", true}: {0.35, 1000, 0.1},
		{"after", "-20", true}: {0.85, 600, 0.1}, {"after", "-10", true}: {0.80, 1000, 0.5},
		{"none", "-96", true}: {0.90, 800, 0},
	} {
		r := rows[k]
		if r == nil {
			t.Fatalf("nothing was heard with speech %s at %s dB", k.Placed, k.SNR)
		}
		late := most(r.late)
		t.Logf("%-8s %4s dB: %2d of %2d woken, %2d right, %2d with words of others added, ends after %d ms, 95 %% after %d ms", k.Placed, k.SNR, r.woken, r.of, r.right, r.added, r.late[len(r.late)/2], late)
		if float64(r.woken) < 0.8*float64(r.of) || float64(r.right) < want.right*float64(r.woken) {
			t.Errorf("speech %s at %s dB: %d of %d woken, %d right, want %.0f %%", k.Placed, k.SNR, r.woken, r.of, r.right, 100*want.right)
		}
		if float64(r.added) > want.added*float64(r.woken) {
			t.Errorf("speech %s at %s dB: words of others were added to %d of %d commands, want at most %.0f %%", k.Placed, k.SNR, r.added, r.woken, 100*want.added)
		}
		if late > want.late {
			t.Errorf("speech %s at %s dB: the turn ended after %d ms, want %d", k.Placed, k.SNR, late, want.late)
		}
	}
	open, shut := rows[key{"through", "-10", false}], rows[key{"through", "-10", true}]
	if open == nil || shut.right < open.right || most(shut.late) >= most(open.late) {
		t.Errorf("with the gate %+v, without %+v", shut, open)
	}
}

// most is what 95 % of the times are within, which it sorts; 0 of none.
func most(late []int) int {
	slices.Sort(late)
	if len(late) == 0 {
		return 0
	}
	return late[min(len(late)-1, len(late)*95/100)]
}
