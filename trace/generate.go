//go:build ignore

// Generate writes what package trace collects into the repository: the
// index that the program embeds and the matrix that people read. `go generate
// ./trace` runs it, in the folder trace.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"trey/trace"
)

func main() {
	if err := write(".."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("run it in the folder trace, as `go generate ./trace` does: %w", err)
	}
	index, err := trace.Scan(os.DirFS(root))
	if err != nil {
		return err
	}
	text, err := index.JSON()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, trace.IndexFile), text, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, trace.MatrixFile), index.Markdown(), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, trace.IncidentsFile), trace.IncidentsMarkdown(), 0o644); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(root, trace.WordsFile))
	if err != nil {
		return err
	}
	if page, err = trace.WithWords(page); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, trace.WordsFile), page, 0o644)
}
