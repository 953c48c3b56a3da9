package lab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
)

// Recording is a recording and what is said in it: a line of manifest.jsonl.
type Recording struct {
	File  string `json:"file"`
	Text  string `json:"text"` // the words, or the command after the wake word
	Voice string `json:"voice"`
	Noise any    `json:"snr"`  // in dB, "clean" or "as-recorded"
	Wake  string `json:"wake"` // the wake word in it, as its model is called
	Kind  string `json:"kind"` // command, oog (other speech), wake, wake-negative, wake+command
	clip  audio.Clip
}

// commanded reports whether the recording is a command alone.
func (r Recording) commanded() bool { return r.Kind == "command" }

// Read reads DIR/manifest.jsonl and the recordings it names.
func Read(dir string) ([]Recording, error) {
	f, err := os.Open(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("reading the list of recordings: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	var all []Recording
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l Recording
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("reading %s, line %d: %w", f.Name(), len(all)+1, err)
		}
		if !filepath.IsLocal(l.File) {
			return nil, fmt.Errorf("%s, line %d: %q is no file beside it", f.Name(), len(all)+1, l.File)
		}
		if l.clip, err = file.Load(filepath.Join(dir, l.File)); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no recordings", f.Name())
	}
	return all, nil
}
