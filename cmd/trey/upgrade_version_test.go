package main

import (
	"fmt"
	"io/fs"
	"os"
	"testing/fstest"

	"trey/internal/store/postgres"
	"trey/rules/rws3cp"
)

// laterVersion names the variable by which a process of a test is a later version of the
// program: it has another revision of a book, and another migration of the tables.
const laterVersion = "TREY_TEST_LATER_VERSION"

// laterRevision is the revision of rws-3cp in the later version.
const laterRevision = 2

// mainOfVersion is the program, of the version that is asked for.
func mainOfVersion() {
	if os.Getenv(laterVersion) != "" {
		released = "later"
		rws3cp.Book().Revision = laterRevision // nobody has read it yet
		migrations := os.DirFS(os.Getenv(laterVersion))
		files, err := fs.Glob(migrations, "*.sql")
		if err != nil {
			panic(err)
		}
		before := len(files)
		tables := fstest.MapFS{}
		for _, name := range files {
			text, err := fs.ReadFile(migrations, name)
			if err != nil {
				panic(err)
			}
			tables[name] = &fstest.MapFile{Data: text}
		}
		tables[fmt.Sprintf("%04d_later.sql", before+1)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"-- +goose Up\nALTER TABLE tx ADD COLUMN later text NOT NULL DEFAULT '';\nINSERT INTO tolerated (version, least) VALUES (%d, %d);\n-- +goose Down\n", before+1, before+1)}
		programTables = &postgres.Tables{Migrations: tables, WorksFrom: int64(before)}
	}
	main()
}
