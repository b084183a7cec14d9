package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// The parts of others in a program are named with version, sum and an accepted license. The
// program is this test, whose modules are some of those of trey.
func TestParts(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Fatalf("the test knows nothing of its modules: %v", info)
	}
	modules, err := modulesOf(info)
	if err != nil {
		t.Fatal(err)
	}
	text, err := billOfMaterials("v1.2.3", "2026-11-23", modules)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BomFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		Components []struct {
			Name, Version, PURL string
			Licenses            []struct{ License struct{ ID string } }
		}
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BomFormat != "CycloneDX" || bill.Metadata.Component.Version != "v1.2.3" || len(bill.Components) != len(info.Deps)+1 {
		t.Errorf("%s", text)
	}
	there, all := map[string]bool{}, notices(modules)
	for _, c := range bill.Components {
		there[c.PURL] = true
		if len(c.Licenses) != 1 || c.Licenses[0].License.ID == "" || !strings.Contains(all, "\n"+c.Name+" "+c.Version+": "+c.Licenses[0].License.ID) {
			t.Errorf("the license of %s %s: %v", c.Name, c.Version, c.Licenses)
		}
	}
	for _, d := range info.Deps {
		if !there["pkg:golang/"+d.Path+"@"+d.Version] {
			t.Errorf("%s %s is missing", d.Path, d.Version)
		}
	}
}

// A license that is not accepted, and a module without any, stop a release.
func TestLicenses(t *testing.T) {
	for content, want := range map[string]string{
		"Permission is hereby granted, free of charge,\n to any person obtaining a copy": "MIT",
		"Apache License\n   Version 2.0, January 2004":                                   "Apache-2.0",
		"Redistribution and use in source and binary forms ... Neither the name of":      "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":             "BSD-2-Clause",
		"Mozilla Public License Version 2.0 ... GNU General Public License":              "MPL-2.0",
		"Permission to use, copy, modify, and/or distribute this software":               "ISC",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                           "",
		"GNU Lesser General Public License":                                              "",
		"Business Source License 1.1":                                                    "",
		"":                                                                               "",
	} {
		if got := licenseOf(content); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
		folder := t.TempDir()
		if content != "" {
			if err := os.WriteFile(filepath.Join(folder, "LICENSE.md"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := module{path: "example.org/m", version: "v1.0.0"}
		if err := m.read(folder); (err != nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "example.org/m v1.0.0") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// A release is refused before anything is built where its version is none.
func TestVersionsOfReleases(t *testing.T) {
	for _, version := range []string{"", "1.0.0", "v1.0.0 -X main.x=y", "latest"} {
		r := release{version: version, out: filepath.Join(t.TempDir(), "dist"), platforms: []string{"linux/amd64"}}
		if err := r.make(); err == nil || !strings.Contains(err.Error(), "v1.0.0") {
			t.Errorf("%q: %v", version, err)
		}
		if _, err := os.Stat(r.out); err == nil {
			t.Errorf("%q: a folder was made", version)
		}
	}
}

// systemd understands the unit, and the service it describes may do little.
func TestService(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	unit, err := os.ReadFile("../../deploy/trey.service")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The program and its user are not on this machine; those of the test are.
	text := strings.NewReplacer("/usr/local/bin/trey", program, "User=trey", "User=daemon", "Group=trey", "Group=daemon").Replace(string(unit))
	path := filepath.Join(t.TempDir(), "trey.service")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--man=no"}, {"security", "--offline=yes", "--threshold=20"}} {
		out, err := exec.Command(analyze, append(args, path)...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}
