package recorder

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ground/trust"
)

// endings are the endings of the names of a recording's files.
var endings = []string{".json", ".wav"}

// kept is a recording on the disk.
type kept struct {
	stem  string
	at    time.Time // the time in its name, because a copied file's own time says nothing
	bytes int64
}

// prune removes recordings that are too old, and then the oldest ones while all
// together are too big.
func (r *Recorder) prune(now time.Time) error {
	dir, err := trust.Open(r.cfg.Dir)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = dir.Close() }()
	all, err := list(dir)
	if err != nil {
		return err
	}
	var sum int64
	for _, k := range all {
		sum += k.bytes
	}
	var errs []error
	for _, k := range all {
		if now.Sub(k.at) <= r.cfg.MaxAge && sum <= r.cfg.MaxBytes {
			continue
		}
		for _, ending := range endings {
			err := dir.Remove(k.stem + ending)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, explain(err))
			}
		}
		sum -= k.bytes
	}
	return errors.Join(errs...)
}

// list returns the recordings, the oldest first. Other files in the directory are
// neither counted nor removed.
func list(dir *os.Root) ([]kept, error) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, explain(err)
	}
	by := map[string]*kept{}
	for _, e := range entries {
		stem, at, ok := ours(e.Name())
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if by[stem] == nil {
			by[stem] = &kept{stem: stem, at: at}
		}
		by[stem].bytes += info.Size()
	}
	all := make([]kept, 0, len(by))
	for _, k := range by {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.stem, b.stem)) })
	return all, nil
}

// ours splits the name of a recording's file into stem and time; ok is false for
// any other file.
func ours(name string) (stem string, at time.Time, ok bool) {
	for _, ending := range endings {
		stem, ok = strings.CutSuffix(name, ending)
		if !ok {
			continue
		}
		stamp, _, found := strings.Cut(stem, "_")
		at, err := time.Parse(stampForm, stamp)
		return stem, at, found && err == nil
	}
	return "", time.Time{}, false
}
