//go:build !cgo

package moonshine

import (
	"context"
	"errors"
	"io"

	"voicegateway/internal/ground/worker"
)

// Work answers every request with how to get a recogniser.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	return worker.Serve(ctx, in, worker.NewOutlet(out), worker.Refuse(errors.New(
		"moonshine: built without cgo; rebuild with CGO_ENABLED=1")))
}
