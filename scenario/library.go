package scenario

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed testdata/*/*.txtar
var library embed.FS

// libraryRoot is where the repository keeps this package.
const libraryRoot = "scenario/"

// Load reads one of the scenarios that the program was tested with, by its path
// in the repository, as package trace names it. The error says if there is none.
func Load(file string) (*Script, error) {
	inside, ok := strings.CutPrefix(path.Clean(file), libraryRoot)
	if !ok {
		return nil, fmt.Errorf("%s is no scenario of this program: %w", file, fs.ErrNotExist)
	}
	text, err := library.ReadFile(inside)
	if err != nil {
		return nil, fmt.Errorf("%s is no scenario of this program: %w", file, fs.ErrNotExist)
	}
	return Parse(path.Base(file), text)
}
