//go:build !cgo

package sphinx

import (
	"context"
	"errors"
	"io"

	"voicegateway/internal/ground/worker"
)

// Work answers every request with how to get a recogniser.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	return worker.Serve(ctx, in, worker.NewOutlet(out), worker.Refuse(errors.New(
		"pocketsphinx: built without cgo; install libpocketsphinx-dev and pocketsphinx-en-us and rebuild with CGO_ENABLED=1")))
}
