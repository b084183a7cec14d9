package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trey/internal/house/plan"
	"trey/internal/store/sqlite"
)

// recordPlace holds the places of a house's files: its configuration, and the flags that
// override it.
type recordPlace struct{ Config, DB, Signing, Keys, Archive string }

// recordFiles are the files of a house: the record, the folder of the key that signs for
// it, the file of the keys that seal its seeds, and the folder of what was archived of it.
type recordFiles struct{ db, signing, sealKeys, archive string }

// find returns where the files of a house are. Without a configuration and a record it
// is the demonstration.
func (place recordPlace) find(s *streams) (recordFiles, error) {
	files, err := place.look(s)
	switch {
	case err != nil:
		return recordFiles{}, err
	case files.db == "":
		return recordFiles{}, usageError{fmt.Errorf("%s does not say where the record is kept: name it with --db", place.Config)}
	}
	return files, nil
}

// look is find for whoever needs no record: it may be named nowhere.
func (place recordPlace) look(s *streams) (recordFiles, error) {
	p := &plan.Plan{}
	switch {
	case place.Config != "":
		var err error
		if p, _, err = readPlan(place.Config); err != nil {
			return recordFiles{}, unusable(s, err)
		}
	case place.DB == "":
		var err error
		if p.Database, err = demonstrationRecord(); err != nil {
			return recordFiles{}, err
		}
	}
	return place.of(p)
}

// of returns the files of a house whose plan is known: what a flag names, else what the
// plan names, else what lies beside the record.
func (place recordPlace) of(p *plan.Plan) (recordFiles, error) {
	db := cmp.Or(place.DB, p.Database)
	if server, err := plan.CheckDatabase(db); err != nil {
		return recordFiles{}, usageError{fmt.Errorf("--db: %w", err)}
	} else if server {
		// Nothing lies beside it.
		return recordFiles{
			db: db, signing: cmp.Or(place.Signing, p.Signing), sealKeys: cmp.Or(place.Keys, p.SealKeys),
		}, nil
	}
	files := recordFiles{
		db:       db,
		signing:  cmp.Or(place.Signing, p.Signing, signingBeside(db)),
		sealKeys: cmp.Or(place.Keys, p.SealKeys, keysBeside(db)),
		archive:  cmp.Or(place.Archive, p.Archive, sqlite.ArchiveBeside(db)),
	}
	if files.sealKeys == files.db {
		return recordFiles{}, usageError{fmt.Errorf("%s is named for the record and for the keys: the keys need a file of their own", files.db)}
	}
	return files, nil
}

// signingBeside is the folder of the key that signs for a record where nothing else is
// said.
func signingBeside(database string) string {
	return strings.TrimSuffix(database, ".db") + ".signing"
}

// keysBeside is where the keys are kept where nobody has said so: in a file of the
// same name as another one, and beside it.
func keysBeside(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".keys"
}

// demonstrationRecord is where the record of the demonstration is kept.
func demonstrationRecord() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", usageError{fmt.Errorf("there is no usual place for the record (%w): name a file with --db", err)}
	}
	return filepath.Join(dir, "trey", "demonstration.db"), nil
}

// missing reports whether there is no file of a name.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// namedFolder refuses the folder of a signing key that is named and is not there: without it
// nothing is held against what was signed, as if the flag had been left out.
func namedFolder(signing string) error {
	if signing != "" && missing(signing) {
		return usageError{fmt.Errorf("there is no %s: name the folder of the house's key with --signing, or leave it out", signing)}
	}
	return nil
}
