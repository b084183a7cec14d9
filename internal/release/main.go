// Command release builds everything that belongs to a release of Trey into a folder: a
// program for each platform, the list of hashes that trey version --compare reads, manual
// pages, shell completions, the software bill of materials and the licenses of others.
//
//	go run ./internal/release -version v1.0.0 -out dist
//
// The same commit and the same Go give the same bytes on every machine.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "the version, such as v1.0.0")
	flag.StringVar(&r.out, "out", "dist", "the folder to write, which must not exist")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "the platforms, with commas between them")
	flag.Parse()
	r.platforms = strings.Split(*platforms, ",")
	if err := r.make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is a release that is being made.
type release struct {
	version, out string
	platforms    []string
	// commit and date are those of the commit that is checked out.
	commit, date string
}

// run runs a command and returns what it prints, without the last line feed.
func run(env []string, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// make makes the release.
func (r *release) make() (err error) {
	if !semver.IsValid(r.version) {
		return fmt.Errorf("%q is no version: write one such as v1.0.0", r.version)
	}
	if changed, err := run(nil, "git", "status", "--porcelain"); err != nil || changed != "" {
		return cmp.Or(err, fmt.Errorf("there are changes that are not committed: commit them first\n%s", changed))
	}
	if r.commit, err = run(nil, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	if r.date, err = run([]string{"TZ=UTC"}, "git", "show", "--no-patch", "--date=format-local:%Y-%m-%d", "--format=%cd"); err != nil {
		return err
	}
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return fmt.Errorf("%w: name another folder with -out", err)
	}
	var programs []string
	for _, platform := range r.platforms {
		program, err := r.build(platform)
		if err != nil {
			return err
		}
		programs = append(programs, program)
	}
	if err := r.describe(programs); err != nil {
		return err
	}
	return r.parts(programs[0])
}

// build builds the program for a platform and returns its path.
func (r *release) build(platform string) (string, error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return "", fmt.Errorf("%q is no platform: write one such as linux/amd64", platform)
	}
	path := filepath.Join(r.out, fmt.Sprintf("trey_%s_%s_%s", r.version, system, processor))
	if system == "windows" {
		path += ".exe"
	}
	// Nothing of this machine may reach the program: no cgo, no paths, no flags of its user.
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOOS=" + system, "GOARCH=" + processor}
	_, err := run(env, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X main.released=%s -X main.commit=%s -X main.commitDate=%s", r.version, r.commit, r.date),
		"-o", path, "./cmd/trey")
	return path, err
}

// describe has the program for this machine write what it knows of itself: the manual, the
// completions and the hashes of its books, beside those of all programs.
func (r *release) describe(programs []string) error {
	name := fmt.Sprintf("trey_%s_%s_%s", r.version, runtime.GOOS, runtime.GOARCH)
	at := slices.IndexFunc(programs, func(p string) bool { return strings.HasPrefix(filepath.Base(p), name) })
	if at < 0 {
		return fmt.Errorf("no program is for this machine, %s/%s: add it to -platforms", runtime.GOOS, runtime.GOARCH)
	}
	program, err := filepath.Abs(programs[at])
	if err != nil {
		return err
	}
	if _, err := run(nil, program, "man", filepath.Join(r.out, "man", "man1")); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, err := run(nil, program, "completion", shell)
		if err != nil {
			return err
		}
		if err := r.write("completion/trey."+shell, script+"\n"); err != nil {
			return err
		}
	}
	list, err := run(nil, program, "version", "--verify")
	if err != nil {
		return err
	}
	_, books, found := strings.Cut(list, "\n") // the first line is of this one program
	if !found {
		return fmt.Errorf("version --verify prints %q", list)
	}
	text := fmt.Sprintf("# Trey %s, commit %s of %s, built with %s.\n# trey version --compare FILE compares a program with this list.\n", r.version, r.commit, r.date, runtime.Version())
	for _, program := range programs {
		content, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		hash := sha256.Sum256(content)
		text += fmt.Sprintf("# %s\n%s  program\n", filepath.Base(program), hex.EncodeToString(hash[:]))
	}
	return r.write("hashes.txt", text+books+"\n")
}

// parts writes what of others is in the program: the bill of materials and the licenses.
func (r *release) parts(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	modules, err := modulesOf(info)
	if err != nil {
		return err
	}
	bill, err := billOfMaterials(r.version, r.date, modules)
	if err != nil {
		return err
	}
	return errors.Join(r.write("sbom.cdx.json", string(bill)), r.write("THIRD-PARTY.txt", notices(modules)))
}

// write writes a file of the release.
func (r *release) write(name, text string) error {
	path := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
