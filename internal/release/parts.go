package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// module is a module of others whose code is in the program.
type module struct {
	path, version, sum string
	// license is its SPDX identifier, and texts are the files that say so, by name.
	license string
	texts   []text
}

type text struct{ name, content string }

// licenseFile matches the names of files that belong to a license.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// modulesOf returns the modules in a program, with Go itself at the end, and their licenses
// from where the go command keeps them. An error names a module without a license, or with
// one that Trey does not accept.
func modulesOf(info *debug.BuildInfo) (modules []module, err error) {
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		out, err := run(nil, "go", "list", "-m", "-f", "{{.Dir}}", d.Path)
		if err != nil {
			return nil, err
		}
		modules = append(modules, module{path: d.Path, version: d.Version, sum: d.Sum})
		if err := modules[len(modules)-1].read(out); err != nil {
			return nil, err
		}
	}
	root, err := run(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules = append(modules, module{path: "std", version: strings.Fields(info.GoVersion)[0]})
	return modules, modules[len(modules)-1].read(root)
}

// read reads the licenses in the folder of a module.
func (m *module) read(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.IsDir() || !licenseFile.MatchString(file.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return err
		}
		m.texts = append(m.texts, text{file.Name(), string(content)})
		if id := licenseOf(string(content)); m.license == "" {
			m.license = id
		}
	}
	if m.license == "" {
		return fmt.Errorf("%s %s has no license that Trey accepts (MIT, BSD, Apache, ISC, MPL): take another module, or add the license to licenseOf", m.path, m.version)
	}
	return nil
}

// space matches the space between two words.
var space = regexp.MustCompile(`\s+`)

// licenseOf returns the SPDX identifier of a license by the words that only it has, empty
// for any other.
func licenseOf(content string) string {
	content = strings.ToLower(space.ReplaceAllString(content, " "))
	has := func(words string) bool { return strings.Contains(content, words) }
	switch {
	case has("gnu general public") || has("gnu lesser general public") || has("gnu affero"):
		if !has("mozilla public license") { // which names them as licenses that may be added
			return ""
		}
		return "MPL-2.0"
	case has("mozilla public license, version 2.0") || has("mozilla public license version 2.0"):
		return "MPL-2.0"
	case has("apache license") && has("version 2.0"):
		return "Apache-2.0"
	case has("permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT"
	case has("redistribution and use in source and binary forms") && (has("neither the name") || has("names of its contributors")):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("permission to use, copy, modify, and/or distribute this software") || has("permission to use, copy, modify, and distribute this software"):
		return "ISC"
	}
	return ""
}

// notices returns the licenses of all modules in one text.
func notices(modules []module) string {
	var b strings.Builder
	fmt.Fprint(&b, "Trey contains the work of others, under these licenses.\n")
	for _, m := range modules {
		for _, t := range m.texts {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s (%s)\n\n%s\n", strings.Repeat("=", 78), m.path, m.version, m.license, t.name, strings.TrimSpace(t.content))
		}
	}
	return b.String()
}

// The bill of materials as CycloneDX 1.5 has it, as far as Trey fills it.
type (
	bill struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PURL       string     `json:"purl"`
		Licenses   []licensed `json:"licenses"`
		Properties []property `json:"properties,omitempty"`
	}
	licensed struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// billOfMaterials returns the bill of materials of a version of Trey.
func billOfMaterials(version, date string, modules []module) ([]byte, error) {
	list := bill{Format: "CycloneDX", SpecVersion: "1.5", Version: 1}
	list.Metadata.Timestamp = date + "T00:00:00Z"
	list.Metadata.Component = newComponent("application", &module{path: "trey", version: version, license: "Apache-2.0"})
	for i := range modules {
		list.Components = append(list.Components, newComponent("library", &modules[i]))
	}
	slices.SortFunc(list.Components, func(a, b component) int { return strings.Compare(a.PURL, b.PURL) })
	out, err := json.MarshalIndent(list, "", "  ")
	return append(out, '\n'), err
}

func newComponent(kind string, m *module) component {
	c := component{Type: kind, Name: m.path, Version: m.version, PURL: "pkg:golang/" + m.path + "@" + m.version, Licenses: make([]licensed, 1)}
	c.Licenses[0].License.ID = m.license
	if m.sum != "" {
		c.Properties = []property{{"go.sum", m.sum}}
	}
	return c
}
