package packaging_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"voicegateway/configs"
	"voicegateway/internal/care/packaging"
)

// dir holds the program that the tests look at.
var dir string

func TestMain(m *testing.M) {
	made, err := os.MkdirTemp("", "packaging")
	if err != nil {
		panic(err)
	}
	dir = made
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(dir)
		os.Exit(status)
	}))
}

// built is a whole program, because one made for tests does not say what it is of.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(dir, "zwave-mcp-server")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, "voicegateway/cmd/zwave-mcp-server")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building: %w: %s", err, out)
	}
	return program, nil
})

var day = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// command has a command that is seen and one that is hidden.
func command() *cobra.Command {
	nothing := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "kettle", Short: "Boils water", Run: nothing}
	boil := &cobra.Command{Use: "boil", Short: "Boils it now", Run: nothing}
	boil.Flags().Int("degrees", 100, "how hot")
	root.AddCommand(boil, &cobra.Command{Use: "worker", Short: "A child", Hidden: true, Run: nothing})
	return root
}

// files are the texts below a directory.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	if err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[strings.TrimPrefix(path, root+"/")] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestManual(t *testing.T) {
	t.Parallel()
	var first map[string]string
	for range 2 {
		root := t.TempDir()
		if err := packaging.Manual(root, day, command(), packaging.Section{Title: "FILES", Terms: [][2]string{{"/etc/kettle", "its home"}}}); err != nil {
			t.Fatal(err)
		}
		pages := files(t, filepath.Join(root, "usr/share/man/man1"))
		own, page := pages["kettle.1"], pages["kettle-boil.1"]
		if len(pages) != 2 || !strings.Contains(page, "how hot") || !strings.Contains(page, "Feb 2026") {
			t.Fatalf("the pages are %q", pages)
		}
		for _, want := range []string{"kettle\\-boil(1)", "Boils it now", "\\-\\-degrees int", "how hot (default: 100)", "/etc/kettle", "its home"} {
			if !strings.Contains(own, want) {
				t.Errorf("the command's own page has no %q:\n%s", want, own)
			}
		}
		if strings.Contains(own, "worker") {
			t.Errorf("it shows a hidden command:\n%s", own)
		}
		if first != nil && (first["kettle.1"] != own || first["kettle-boil.1"] != page) {
			t.Errorf("the second time the pages are %q, before %q", pages, first)
		}
		first = pages
	}
}

// leaves are the keys of a configuration that have a value, with that value.
func leaves(n *yaml.Node, path string, found map[string]any) {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		var value any
		_ = n.Decode(&value)
		found[path] = value
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		leaves(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."), found)
	}
}

// The manual of a configuration shows each key of the shipped file with its default and
// its comment.
func TestConfigurationManual(t *testing.T) {
	t.Parallel()
	for name, shipped := range map[string]string{"voice-gateway": configs.Profile, "zwave-mcp-server": configs.Server, "home-assistant-mcp-server": configs.HomeAssistantServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tree yaml.Node
			if err := yaml.Unmarshal([]byte(shipped), &tree); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			leaves(&tree, "", want)
			settings, err := packaging.Settings(shipped)
			if err != nil {
				t.Fatal(err)
			}
			got, words := map[string]any{}, map[string]int{}
			for _, s := range settings {
				for word := range strings.FieldsSeq(s.Comment + " " + strings.Join(s.Before, " ")) {
					words[word]++
				}
				if s.Group {
					continue
				}
				var value any
				if err := yaml.Unmarshal([]byte(s.Default), &value); err != nil {
					t.Errorf("%s: %q is no YAML: %v", s.Path, s.Default, err)
				}
				got[s.Path] = value
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the settings are %v, want %v", got, want)
			}
			for line := range strings.Lines(shipped) {
				_, comment, _ := strings.Cut(" "+line, " #")
				for word := range strings.FieldsSeq(comment) {
					if words[word] == 0 {
						t.Errorf("the comment %q has lost %q", comment, word)
					}
					words[word]--
				}
			}
			root := t.TempDir()
			if err := packaging.ConfigurationManual(root, day, name, "settings", shipped); err != nil {
				t.Fatal(err)
			}
			page := files(t, root)["usr/share/man/man5/"+name+".5"]
			for path := range want {
				if !strings.Contains(page, `\fB`+strings.ReplaceAll(path, "-", `\-`)+":") {
					t.Errorf("the page has no %s", path)
				}
			}
		})
	}
	if _, err := packaging.Settings("a: 1\nnot a key\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line without a key: %v", err)
	}
}

// The documents of the package are there, and each link in them leads to another one.
func TestDocumentsComeAlong(t *testing.T) {
	t.Parallel()
	programs, root := t.TempDir(), t.TempDir()
	for _, program := range []string{"voice-gateway", "zwave-mcp-server", "home-assistant-mcp-server"} {
		if err := os.WriteFile(filepath.Join(programs, program), []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // it stands for a program
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "scripts/package/lay.sh", programs, root)
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	documents := filepath.Join(root, "usr/share/doc/voice-gateway")
	link := regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`)
	links := 0
	for path, text := range files(t, documents) {
		if !strings.HasSuffix(path, ".md") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(documents, filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s leads to %s, which is not in the package", path, m[1])
			}
		}
	}
	for _, path := range []string{"README.md", "docs/troubleshooting.md", "examples/offline.yaml"} {
		if _, err := os.Stat(filepath.Join(documents, path)); err != nil {
			t.Error(err)
		}
	}
	if links < 20 {
		t.Errorf("there are only %d links", links)
	}
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := packaging.Completions(root, command()); err != nil {
		t.Fatal(err)
	}
	texts := files(t, root)
	for _, path := range []string{
		"usr/share/bash-completion/completions/kettle", "usr/share/zsh/vendor-completions/_kettle",
		"usr/share/fish/vendor_completions.d/kettle.fish",
	} {
		if !strings.Contains(texts[path], "kettle __complete") && !strings.Contains(texts[path], "__complete ") {
			t.Errorf("%s does not ask the program: %q", path, texts[path])
		}
	}
	if len(texts) != 3 {
		t.Errorf("%d files, want 3", len(texts))
	}
}

// here is where Go keeps the texts on this machine.
func here(t *testing.T) packaging.Sources {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return packaging.Sources{Modules: lines[0], Go: lines[1]}
}

// read reads what a program is linked of.
func read(t *testing.T) packaging.Linked {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	linked, err := packaging.Read(here(t), program, program)
	if err != nil {
		t.Fatal(err)
	}
	return linked
}

func TestReadKnowsWhatIsLinked(t *testing.T) {
	t.Parallel()
	linked := read(t)
	found := map[string][]string{}
	for _, m := range linked.Modules {
		if found[m.Path] != nil || m.Version == "" || len(m.Texts) == 0 {
			t.Errorf("%s: twice, without a version or without a text", m.Path)
		}
		found[m.Path] = m.Licences
	}
	for path, want := range map[string]string{
		"std": "BSD-3-Clause", "github.com/spf13/cobra": "Apache-2.0", "github.com/spf13/pflag": "BSD-3-Clause", "github.com/google/jsonschema-go": "MIT",
	} {
		if !slices.Equal(found[path], []string{want}) {
			t.Errorf("%s has the licences %q, want %s", path, found[path], want)
		}
	}
}

// What cannot be shipped stops the package, by name.
func TestReadRefusesWhatHasNoLicence(t *testing.T) {
	t.Parallel()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	sources := here(t)
	sources.Modules = t.TempDir()
	if _, err := packaging.Read(sources, program); err == nil || !strings.Contains(err.Error(), "github.com/spf13/cobra") {
		t.Errorf("modules without texts: %v", err)
	}
	bare := t.TempDir()
	if err := os.WriteFile(filepath.Join(bare, "LICENSE"), []byte("All rights reserved."), 0o600); err != nil {
		t.Fatal(err)
	}
	sources = here(t)
	sources.Go = bare
	if _, err := packaging.Read(sources, program); err == nil || !strings.Contains(err.Error(), "std go1") {
		t.Errorf("a text that allows nothing: %v", err)
	}
}

func TestLicences(t *testing.T) {
	t.Parallel()
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software and associated documentation files"
	for text, want := range map[string]string{
		mit: "MIT",
		"   Apache License\n   Version 2.0, January 2004":                          "Apache-2.0",
		"Redistribution and use in source and binary forms, with or without":       "BSD-2-Clause",
		"Redistribution and use in source and binary\nforms … Neither the name of": "BSD-3-Clause",
		"Eclipse Public License - v 2.0 … GNU General Public License":              "EPL-2.0",
		mit + " Licensed under the Apache License, Version 2.0":                    "MIT Apache-2.0",
		"UNICODE LICENSE V3":                             "Unicode-3.0",
		"GNU GENERAL PUBLIC LICENSE Version 3":           "",
		"GNU Lesser General Public License":              "",
		"GNU Affero General Public\nLicense, and " + mit: "",
		"All rights reserved.":                           "",
		"":                                               "",
	} {
		if got := strings.Join(packaging.Licences(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A text of the GPL stays one, whatever stands around it.
func FuzzLicences(f *testing.F) {
	f.Add("Permission is hereby granted", "Apache License")
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + " GNU General Public License " + after
		if got := packaging.Licences(text); len(got) > 0 && !slices.Contains(got, "EPL-2.0") {
			t.Errorf("%q: %q", text, got)
		}
	})
}

func TestNoticeHoldsEveryTextOnce(t *testing.T) {
	t.Parallel()
	linked := packaging.Linked{
		Modules: []packaging.Component{
			{Path: "example.org/a", Version: "v1", Licences: []string{"MIT"}, Texts: []string{"the text of MIT"}},
			{Path: "example.org/b", Version: "v2", Licences: []string{"MIT"}, Texts: []string{"the text of MIT"}},
			{Path: "std", Version: "go1", Licences: []string{"BSD-3-Clause"}, Texts: []string{"the text of BSD"}},
		},
		Libraries: []string{"libtea.so.1"},
	}
	var b bytes.Buffer
	if err := packaging.Notice(&b, []packaging.Own{{About: "The house", Text: "our text\n"}}, linked); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  example.org/a v1: MIT\n", "  The Go standard library go1: BSD-3-Clause\n", "  libtea.so.1\n",
		"\nThe house:\n\nour text\n", "\nexample.org/a, example.org/b:\n\nthe text of MIT\n", "\nThe Go standard library:\n\nthe text of BSD\n",
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%q stands there %d times:\n%s", want, strings.Count(b.String(), want), b.String())
		}
	}
}

func TestBillNamesWhatIsLinked(t *testing.T) {
	t.Parallel()
	linked := read(t)
	linked.Libraries = []string{"libtea.so.1"}
	var first, second bytes.Buffer
	if err := packaging.Bill(&first, "1.2", day, linked); err != nil {
		t.Fatal(err)
	}
	if err := packaging.Bill(&second, "1.2", day, linked); err != nil || first.String() != second.String() {
		t.Errorf("the second bill is another: %v", err)
	}
	var bill struct {
		Metadata   struct{ Component struct{ Version string } }
		Components []struct{ Name, Purl string }
	}
	if err := json.Unmarshal(first.Bytes(), &bill); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, c := range bill.Components {
		names[c.Name] = c.Purl
	}
	if len(names) != len(linked.Modules)+1 || bill.Metadata.Component.Version != "1.2" {
		t.Errorf("%d parts of version %s, want %d", len(names), bill.Metadata.Component.Version, len(linked.Modules)+1)
	}
	if purl, named := names["libtea.so.1"]; !named || purl != "" || !strings.HasPrefix(names["github.com/spf13/cobra"], "pkg:golang/github.com/spf13/cobra@v1.") {
		t.Errorf("the parts are %q", names)
	}
}
