//go:build !cgo

package device

import (
	"context"
	"errors"
	"io"

	"voicegateway/internal/ground/worker"
)

// Work answers every request with how to get sound.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	return worker.Serve(ctx, in, worker.NewOutlet(out), worker.Refuse(errors.New(
		"audio: built without cgo; install portaudio19-dev and libasound2-dev and rebuild with CGO_ENABLED=1")))
}
