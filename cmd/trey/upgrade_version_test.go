package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing/fstest"

	"trey/internal/store/postgres"
	"trey/rules/rws3cp"
)

// laterVersion names the variable by which a process of a test is a later version of the
// program: it has another revision of a book, and another migration of the tables.
const laterVersion = "TREY_TEST_LATER_VERSION"

// laterForm is a kind that the later version writes in a second version.
const laterForm = "house:drained"

// laterRevision is the revision of rws-3cp in the later version.
var laterRevision = rws3cp.Book().Revision + 1

// mainOfVersion is the program, of the version that is asked for, on a machine whose clock a test may set.
func mainOfVersion() {
	cheapen()
	if file := os.Getenv(clockFile); file != "" {
		timeOfDay = clockOf(file)
	}
	if os.Getenv(laterVersion) != "" {
		released = "later"
		earlierFirst = patience                // however slow the machine is, an earlier version takes it first
		rws3cp.Book().Revision = laterRevision // nobody has read it yet
		before := recordedForms
		recordedForms = func() map[string]map[string]int {
			forms := before()
			of, kind, _ := strings.Cut(laterForm, ":")
			forms[of][kind]++
			return forms
		}
		migrations := os.DirFS(os.Getenv(laterVersion))
		files, err := fs.Glob(migrations, "*.sql")
		if err != nil {
			panic(err)
		}
		there := len(files)
		tables := fstest.MapFS{}
		for _, name := range files {
			text, err := fs.ReadFile(migrations, name)
			if err != nil {
				panic(err)
			}
			tables[name] = &fstest.MapFile{Data: text}
		}
		tables[fmt.Sprintf("%04d_later.sql", there+1)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"-- +goose Up\nALTER TABLE tx ADD COLUMN later text NOT NULL DEFAULT '';\nINSERT INTO tolerated (version, least) VALUES (%d, %d);\n-- +goose Down\n", there+1, there+1)}
		programTables = &postgres.Tables{Migrations: tables, WorksFrom: int64(there)}
	}
	main()
}
