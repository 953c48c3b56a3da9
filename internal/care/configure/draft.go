package configure

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep"
)

// Draft is a configuration file with changes that are not written yet.
type Draft struct {
	File
	New bool // there is no such file yet

	old, text string
	secrets   map[string]string // by their keys, for files of their own; others are kept already
}

// Draft begins changes of the file. If there is no file yet, the new one begins with the
// file of the clone, else with base.
func (f File) Draft(base string) (*Draft, error) {
	_, err := os.Stat(f.Path)
	d := &Draft{File: f, New: errors.Is(err, fs.ErrNotExist)}
	data, err := f.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.text = base
		return d, nil
	case err != nil:
		return nil, err
	}
	d.text = string(data)
	if !d.New {
		d.old = d.text
	}
	return d, nil
}

// Is reports whether the draft says exactly this.
func (d *Draft) Is(text string) bool { return d.text == text }

// Changed reports whether there is something to write.
func (d *Draft) Changed() bool { return d.New || d.text != d.old || len(d.secrets) > 0 }

// Apply makes changes, one after the other. It returns those that made a difference. With
// an error none is made.
func (d *Draft) Apply(changes ...Change) (made []Change, err error) {
	text := d.text
	for _, c := range changes {
		next, err := d.replaceValue(text, c.Key, c.Value)
		if err != nil {
			return nil, UseError{fmt.Errorf("%s cannot be set in %s:\n%w", c.Key, d.Path, err)}
		}
		if next != text {
			made, text = append(made, c), next
		}
	}
	d.text = text
	return made, nil
}

// brokerPassword is the key of the password at the broker.
const brokerPassword = "mqtt.password"

// KeepLater takes a secret, which Write puts into a file of its own and names in the
// configuration. Its key is one that KeepSecret takes.
func (d *Draft) KeepLater(key, secret string) {
	if d.secrets == nil {
		d.secrets = map[string]string{}
	}
	d.secrets[key] = secret
}

// Load is Load of the file as it would be after Write.
func (d *Draft) Load() (*Loaded, error) {
	return load(empty(d.Path, d.environ), func() ([]byte, error) { return []byte(d.text), nil }, d.secrets[brokerPassword])
}

// Writable returns an error if the file could not be written. It writes nothing that
// stays.
func (d *Draft) Writable() error {
	place, err := filepath.Abs(filepath.Dir(d.Path))
	if err != nil {
		return fmt.Errorf("finding the place of the configuration: %w", err)
	}
	for _, err = os.Stat(place); errors.Is(err, fs.ErrNotExist) && filepath.Dir(place) != place; _, err = os.Stat(place) {
		place = filepath.Dir(place)
	}
	dir, err := os.OpenRoot(place)
	if err == nil {
		err = errors.Join(trust.Try(dir), dir.Close())
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // its path is that of the attempt
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w in %s; run this with sudo, or name another place with --config FILE", d.Path, err, place)
	}
	return nil
}

// Write writes the file, and before it the secrets.
func (d *Draft) Write() error {
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil {
		return fmt.Errorf("making a place for the configuration: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(d.secrets)) {
		place, err := d.keep(key, d.secrets[key])
		if err != nil {
			return err
		}
		if _, err := d.Apply(Change{fileKey(key), place}); err != nil {
			return err
		}
	}
	if err := keep.ReplaceOwn(d.Path, []byte(d.text)); err != nil {
		return err
	}
	d.New, d.old, d.secrets = false, d.text, nil
	return nil
}
