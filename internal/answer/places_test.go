package answer

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPlacesKeepTheOrderOfEachDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p places
		var mu sync.Mutex
		acted := map[string][]int{}
		acting := map[string]bool{}
		var wg sync.WaitGroup
		r := rand.New(rand.NewPCG(1, 2))
		devices := []string{"a", "b", "c", "d"}
		want := map[string][]int{}
		for i := range 200 {
			mine := []string{devices[r.IntN(4)], devices[r.IntN(4)]}
			x := p.take(mine)
			for _, d := range x.devices {
				want[d] = append(want[d], i)
			}
			took := time.Duration(r.IntN(100)) * time.Millisecond
			wg.Go(func() {
				if err := x.wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, d := range x.devices {
					if acting[d] {
						t.Errorf("two turns act on %s at the same time", d)
					}
					acting[d] = true
					acted[d] = append(acted[d], i)
				}
				mu.Unlock()
				<-time.After(took)
				mu.Lock()
				for _, d := range x.devices {
					acting[d] = false
				}
				mu.Unlock()
				p.leave(x)
			})
		}
		wg.Wait()
		for d, order := range want {
			for i := range order {
				if acted[d][i] != order[i] {
					t.Fatalf("%s was acted on in the order %v", d, acted[d])
				}
			}
		}
		if len(p.lines) != 0 {
			t.Errorf("lines left: %v", p.lines)
		}
	})
}

func TestAPlaceThatGivesUpLetsOthersAct(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p places
		first, second, third := p.take([]string{"a"}), p.take([]string{"a", "b"}), p.take([]string{"b"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := second.wait(ctx); err == nil {
			t.Fatal("the second acts before the first has left")
		}
		p.leave(second)
		if err := third.wait(t.Context()); err != nil {
			t.Error(err)
		}
		p.leave(first)
		p.leave(third)
	})
}
