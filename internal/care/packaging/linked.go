package packaging

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// Component is a Go module that a program contains, or the Go project's own library.
type Component struct {
	Path, Version, Sum string
	Licences           []string // as SPDX calls them
	Texts              []string // of its licences and notices, as it has them
}

// Linked is what programs consist of beside our own code.
type Linked struct {
	Modules   []Component // contained
	Libraries []string    // loaded when a program starts: their file names
}

// Sources are the directories on this machine with the texts of what is linked.
type Sources struct {
	Modules string // the module cache of Go
	Go      string // the directory of Go itself
}

// Read lists what programs contain and load, from the programs alone, with the
// licences. A module without a licence that may be linked is an error.
func Read(sources Sources, programs ...string) (Linked, error) {
	var l Linked
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return l, fmt.Errorf("reading what %s was built of: %w", program, err)
		}
		l.Modules = append(l.Modules, Component{Path: "std", Version: info.GoVersion})
		for _, dependency := range info.Deps {
			if dependency.Replace != nil {
				dependency = dependency.Replace
			}
			l.Modules = append(l.Modules, Component{Path: dependency.Path, Version: dependency.Version, Sum: dependency.Sum})
		}
		libraries, err := libraries(program)
		if err != nil {
			return l, err
		}
		l.Libraries = append(l.Libraries, libraries...)
	}
	slices.SortFunc(l.Modules, func(a, b Component) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Version, b.Version))
	})
	l.Modules = slices.CompactFunc(l.Modules, func(a, b Component) bool { return a.Path == b.Path && a.Version == b.Version })
	slices.Sort(l.Libraries)
	l.Libraries = slices.Compact(l.Libraries)
	var wrong []error
	for i := range l.Modules {
		wrong = append(wrong, l.Modules[i].findLicences(sources))
	}
	return l, errors.Join(wrong...)
}

// libraries are the shared libraries that a program names.
func libraries(program string) ([]string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("reading which libraries %s loads: %w", program, err)
	}
	defer func() { _ = file.Close() }()
	names, err := file.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("reading which libraries %s loads: %w", program, err)
	}
	return names, nil
}

// licenceFile is the name of a text that goes with the code.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|edl-|epl-)`)

// findLicences reads the texts of a module and what licences they are.
func (m *Component) findLicences(sources Sources) error {
	dir := sources.Go
	if m.Path != "std" {
		path, err := module.EscapePath(m.Path)
		if err != nil {
			return fmt.Errorf("looking for the licence of %s: %w", m.Path, err)
		}
		dir = filepath.Join(sources.Modules, path+"@"+m.Version)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for the licence of %s: %w", m.Path, err)
	}
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return fmt.Errorf("reading the licence of %s: %w", m.Path, err)
		}
		m.Texts = append(m.Texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		m.Licences = append(m.Licences, Licences(string(text))...)
	}
	slices.Sort(m.Licences)
	m.Licences = slices.Compact(m.Licences)
	if len(m.Licences) == 0 {
		return fmt.Errorf("%s %s has no licence that may be linked: look at its texts in the module cache, and at what ADR 7 allows", m.Path, m.Version)
	}
	return nil
}

// marks are words that only one licence has, with white space made single spaces.
var marks = []struct{ licence, words string }{
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"},
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"EPL-2.0", "eclipse public license - v 2.0"},
	{"Unicode-3.0", "unicode license v3"},
}

// denied are words of licences that would bind all that is linked with their code.
// The Eclipse licence names some of them as secondary ones that may be chosen.
var denied = regexp.MustCompile(`gnu (affero |lesser )?general public license`)

// Licences returns the licences that a text is or refers to, of those that may be linked.
// It returns none if the text is another licence, or offers one that may not be linked.
func Licences(text string) []string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	var found []string
	for _, m := range marks {
		if strings.Contains(text, m.words) && !slices.Contains(found, m.licence) {
			found = append(found, m.licence)
		}
	}
	if denied.MatchString(text) && !slices.Contains(found, "EPL-2.0") {
		return nil
	}
	if strings.Contains(text, "redistribution and use in source and binary forms") {
		if strings.Contains(text, "neither the name") {
			return append(found, "BSD-3-Clause")
		}
		return append(found, "BSD-2-Clause")
	}
	return found
}
