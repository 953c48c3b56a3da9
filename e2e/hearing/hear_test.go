package hearing

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/fake"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
)

// earOf is an ear of a gateway in a house.
func earOf(cfg gateway.Config, h *home.House) lab.EarConfig {
	return lab.EarConfig{Gateway: cfg, House: h, Executable: filepath.Join(bin, "voice-gateway"), Log: slog.New(slog.DiscardHandler)}
}

// tries is how often a recording is played again if its recogniser was lost.
const tries = 3

// heard plays a sound to an ear in a fresh house.
func heard(ctx context.Context, e *lab.Ear, h *home.House, sound audio.Clip) (got lab.Hearing, w reached, err error) {
	for range tries {
		w = reached{fake.NewWorldOf(h)}
		got, err = e.Play(ctx, lab.Playing{Sound: file.Config{Clips: []audio.Clip{sound}, Start: time.Unix(0, 0)}, Caller: w})
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return got, w, err
}

// each calls hear for every number below n, on as many ears in parallel as there are
// processors. Which ear hears which recording is the same every time.
func each(tb testing.TB, cfg lab.EarConfig, n int, hear func(ctx context.Context, e *lab.Ear, i int) (outcome, error)) []outcome {
	tb.Helper()
	out := make([]outcome, n)
	ears := max(1, min(runtime.NumCPU(), n))
	errs := make([]error, ears)
	var running sync.WaitGroup
	for first := range ears {
		running.Go(func() {
			errs[first] = func() (err error) {
				e, err := lab.NewEar(cfg)
				if err != nil {
					return err
				}
				end, err := e.Open(tb.Context())
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, end()) }()
				for i := first; i < n; i += ears {
					if out[i], err = hear(tb.Context(), e, i); err != nil {
						return err
					}
				}
				return nil
			}()
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		tb.Fatal(err)
	}
	return out
}

// said is a sound with what it means in a house.
type said struct {
	file  string
	means string // the text; "" if nothing may be done
	label string // how it is printed if nothing may be done
	sound func() canvas
}

// inHouse plays sounds in a house and judges what was done.
func inHouse(tb testing.TB, engine string, h *home.House, all []said) []outcome {
	tb.Helper()
	return each(tb, earOf(settings(engine), h), len(all), func(ctx context.Context, e *lab.Ear, i int) (outcome, error) {
		m := nothing(all[i].label)
		if all[i].means != "" {
			var err error
			if m, err = means(ctx, e, h, all[i].means); err != nil {
				return outcome{}, err
			}
		}
		got, w, err := heard(ctx, e, h, all[i].sound().clip())
		if err != nil {
			return outcome{}, err
		}
		o := judge(m, h, w, got)
		o.file = all[i].file
		return o, nil
	})
}
