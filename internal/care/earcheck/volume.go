package earcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"voicegateway/internal/care/configure"
)

// Volume shows how loud the gateway speaks, and sets it first if a percentage is given. A
// volume at which nothing can be heard is an error.
func Volume(ctx context.Context, s Screen, args []string) error {
	method, body := http.MethodGet, []byte(nil)
	switch len(args) {
	case 0:
	case 1:
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n > 100 {
			return configure.Misused(fmt.Errorf("the volume %q is no number from 0 to 100", args[0]))
		}
		method, body = http.MethodPost, []byte(`{"level":`+strconv.Itoa(n)+`}`)
	default:
		return configure.Misused(fmt.Errorf("volume needs a number from 0 to 100, or nothing; %d arguments were given", len(args)))
	}
	var now struct {
		Level   int
		Muted   bool
		Unheard string
	}
	if err := s.Ask(ctx, method, "/api/volume", body, &now); err != nil {
		return err
	}
	if now.Unheard != "" {
		return errors.New("nobody hears the gateway, however loud it is: " + now.Unheard)
	}
	text := fmt.Sprintf("%d %%", now.Level)
	if now.Muted {
		text += ", muted"
	}
	_, _ = fmt.Fprintln(s.Out, text)
	return nil
}
