package moonshine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// The files of a model in its directory.
const (
	fileEncoder = "encoder_model.ort"
	fileDecoder = "decoder_model_merged.ort"
	fileTokens  = "tokenizer.bin"
	fileRuntime = "libonnxruntime.so"
)

// Published is a model with the runtime it needs. Its makers publish both in a
// Python package, which has a build for each kind of machine.
type Published struct {
	Name     string `json:"name"` // of the model and of its directory
	Language string `json:"language"`
	Licence  string `json:"licence"` // of the model and of the runtime
	Package  string `json:"package"` // name of the Python package
	Version  string `json:"version"`
	Files    []File `json:"files"`
}

// File is one file of a model. Its checksum was computed from the published file.
type File struct {
	Name    string `json:"name"` // in the model's directory
	Size    int64  `json:"size"` // in bytes
	SHA256  string `json:"sha256"`
	Machine string `json:"machine,omitempty"` // GOARCH, for a file of one kind of machine
}

// Catalogue are the published models that were measured with this package.
func Catalogue() []Published {
	return []Published{{
		Name: "moonshine-tiny-en", Language: "en", Licence: "MIT", Package: "moonshine-voice", Version: "0.0.73",
		Files: []File{
			{fileEncoder, 13281600, "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221", ""},
			{fileDecoder, 30412256, "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0", ""},
			{fileTokens, 249974, "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d", ""},
			{fileRuntime, 22346464, "c0995ae1102b871426e7bddf625451d6c19f12d0b6d79786218cbb77c2de865c", "amd64"},
			{fileRuntime, 18762288, "2723a421531e984cf053ead965b8ea00c88a0353dce17b622bc82e752ef6752f", "arm64"},
		},
	}}
}

// Known finds a published model by its name.
func Known(name string) (Published, bool) {
	list := Catalogue()
	i := slices.IndexFunc(list, func(p Published) bool { return p.Name == name })
	if i < 0 {
		return Published{}, false
	}
	return list[i], true
}

// ErrNoBuild means that the runtime is not published for this kind of machine.
var ErrNoBuild = errors.New("the runtime has no build for this machine's processor (" + runtime.GOARCH + ")")

// Here returns the files of the model that this machine needs.
func (p Published) Here() ([]File, error) {
	files := slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return f.Machine != "" && f.Machine != runtime.GOARCH })
	if !slices.ContainsFunc(files, func(f File) bool { return f.Name == fileRuntime }) {
		return nil, ErrNoBuild
	}
	return files, nil
}

// Verify reports what is wrong with the content of a file, nil if it is the
// published one.
func (f File) Verify(content io.Reader) error {
	sum := sha256.New()
	n, err := io.Copy(sum, content)
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w", f.Name, err)
	case n != f.Size:
		return fmt.Errorf("%s has %d bytes; the published file has %d", f.Name, n, f.Size)
	case hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		return fmt.Errorf("%s is not the published file: its SHA-256 is another", f.Name)
	}
	return nil
}

// Installed is a model on this machine.
type Installed struct {
	Dir     string // of the model
	Library string // file of ONNX Runtime
}

// ErrNotInstalled means that a directory has no model for a language.
var ErrNotInstalled = errors.New("no model is installed")

// Find returns the model for a language that is installed below a directory. The
// files are there; whether they are the published ones, Verify tells.
func Find(modelsDir, language string) (Installed, error) {
	for _, p := range Catalogue() {
		files, err := p.Here()
		if p.Language != language || err != nil {
			continue
		}
		dir := filepath.Join(modelsDir, p.Name)
		missing := slices.ContainsFunc(files, func(f File) bool {
			info, err := os.Stat(filepath.Join(dir, f.Name))
			return err != nil || info.Size() != f.Size
		})
		if !missing {
			return Installed{Dir: dir, Library: filepath.Join(dir, fileRuntime)}, nil
		}
	}
	return Installed{}, fmt.Errorf("%w for the language %s in %s", ErrNotInstalled, language, modelsDir)
}
