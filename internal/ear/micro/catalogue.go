package micro

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Entry is a published model: its file is NAME.tflite. Cutoff and window are the
// ones its author gives.
type Entry struct {
	Name   string  `json:"name"`
	Word   string  `json:"word"` // as people write it; "" for a model that is not for a word
	Cutoff float64 `json:"cutoff"`
	Window int     `json:"window"`
	URL    string  `json:"url"`
	SHA256 string  `json:"sha256"`
}

// Where the models are published, at the commits whose files were measured. All
// are under the Apache License 2.0.
const (
	esphome = "https://github.com/esphome/micro-wake-word-models/raw/05b65922/models/v2/"
	ohf     = "https://github.com/OHF-Voice/linux-voice-assistant/raw/1543c5df/wakewords/"
)

// Catalogue are the published models that were measured with this runtime.
func Catalogue() []Entry {
	return []Entry{
		{"alexa", "alexa", 0.90, 5, esphome + "alexa.tflite", "9011a8155b04de858c48038529235cbc0e42e9fca05a55bf588cb80a653a723b"},
		{"hey_jarvis", "hey jarvis", 0.97, 5, esphome + "hey_jarvis.tflite", "21a7976add39ee24ec96c63d96b7aaa18e24d1d9824b963e451da8feb4b78b77"},
		{"hey_mycroft", "hey mycroft", 0.95, 5, esphome + "hey_mycroft.tflite", "c2a9b6ed51182db72e014781d5a4ece1929dc232a40b5b4be384f0295f0e1571"},
		{"okay_nabu", "okay nabu", 0.97, 5, esphome + "okay_nabu.tflite", "0689abe1912a95a3318a0d8cb2e67bad0cbcfe3e24dd6e050c75debddfb6f891"},
		{"okay_nabu_multi", "okay nabu", 0.85, 5, ohf + "okay_nabu.tflite", "d89128c4d16a72de429119fb2254ce46649553c2a24f5dd840175c80d7b9d094"},
		{"stop", "stop", 0.5, 5, ohf + "stop.tflite", "020ef80d522cb09169a866f3aeeb58f2ad4045461937e78e8c806df29ff61eea"},
		{"vad", "", 0.5, 5, esphome + "vad.tflite", "7aa4db6d5fb7c5358609f6931e7847d303c16a43d178638bc14104f50d7eff5f"},
	}
}

// Known finds an entry by its name.
func Known(name string) (Entry, bool) {
	list := Catalogue()
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return list[i], true
}

// ErrNoModel means that a directory has no model for a word.
var ErrNoModel = errors.New("there is no model for this word")

// Find looks for the model of a word in a directory: by its name ("hey jarvis" is
// hey_jarvis.tflite), or by the wake_word of a description file beside it.
func Find(dir, word string) (Entry, error) {
	name := strings.Join(strings.Fields(strings.ToLower(word)), "_")
	if name != filepath.Base(name) {
		return Entry{}, fmt.Errorf("%w: %q is no name", ErrNoModel, word)
	}
	switch _, err := os.Stat(filepath.Join(dir, name+".tflite")); {
	case err == nil:
		return describe(dir, name)
	case !errors.Is(err, fs.ErrNotExist):
		return Entry{}, fmt.Errorf("looking for the model %q: %w", name, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return Entry{}, fmt.Errorf("looking for models: %w", err)
	}
	for _, file := range files {
		e, err := describe(dir, strings.TrimSuffix(filepath.Base(file), ".json"))
		if err == nil && strings.EqualFold(e.Word, word) {
			return e, nil
		}
	}
	if _, published := Known(name); !published {
		return Entry{}, fmt.Errorf("%w: %q in %s; nobody has published one, as far as we know: voice-gateway models list", ErrNoModel, word, dir)
	}
	return Entry{}, fmt.Errorf("%w: %q in %s; get it with: voice-gateway models pull %s", ErrNoModel, word, dir, name)
}

// describe is what is known of a model: its author's description beside it, else
// the catalogue, else the usual values.
func describe(dir, name string) (Entry, error) {
	e, known := Known(name)
	if !known {
		o := DefaultOptions()
		e = Entry{Name: name, Word: strings.ReplaceAll(name, "_", " "), Cutoff: o.Cutoff, Window: o.Window}
	}
	file, err := os.Open(filepath.Join(dir, name+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return Entry{}, fmt.Errorf("reading the description of the model %q: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	var d struct {
		Word  string `json:"wake_word"`
		Micro struct {
			Cutoff float64 `json:"probability_cutoff"`
			Window int     `json:"sliding_window_size"`
			Step   int     `json:"feature_step_size"`
		} `json:"micro"`
	}
	const most = 64 << 10
	if err := json.NewDecoder(io.LimitReader(file, most)).Decode(&d); err != nil {
		return Entry{}, fmt.Errorf("reading the description %s: %w", file.Name(), err)
	}
	if d.Micro.Step != 0 && d.Micro.Step != 10 {
		return Entry{}, fmt.Errorf("%s asks for features every %d ms; only 10 are supported", file.Name(), d.Micro.Step)
	}
	e.Word = cmp.Or(d.Word, e.Word)
	if d.Micro.Cutoff > 0 {
		e.Cutoff = d.Micro.Cutoff
	}
	if d.Micro.Window > 0 {
		e.Window = d.Micro.Window
	}
	return e, nil
}

// Open reads and parses the model NAME.tflite of a directory.
func Open(dir, name string) (*Model, error) {
	data, err := Read(filepath.Join(dir, name+".tflite"))
	if err != nil {
		return nil, err
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("the model %q: %w; fetch it again with: voice-gateway models pull %s", name, err, name)
	}
	return m, nil
}

// Read reads a model file of a sane size.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return nil, fmt.Errorf("opening a wake word model: %w", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening a wake word model: %s is no plain file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading a wake word model: %w", err)
	}
	return data, nil
}

// Verify checks that a file is the one that was published.
func (e Entry) Verify(file []byte) error {
	sum := sha256.Sum256(file)
	if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
		return fmt.Errorf("the model %q has the SHA-256 %s; expected %s", e.Name, got, e.SHA256)
	}
	return nil
}
