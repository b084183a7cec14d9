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

// closedHouse are the flags that name a house which is not open, for a command that writes into
// its record.
type closedHouse struct {
	Config  string `type:"path" placeholder:"FILE" help:"The house.toml of the house."`
	DB      string `name:"db" placeholder:"FILE" help:"The file of the record, or the address of a database; overrides the configuration."`
	Keys    string `type:"path" placeholder:"FILE" help:"The file of the seal keys; overrides the configuration."`
	Signing string `type:"path" placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration. What a copy of the record lacks of people is kept there."`
	Archive string `type:"path" placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. It is read, and stays as it is."`
}

// find returns where the files of the house are. There is no demonstration in its place.
func (h closedHouse) find(s *streams) (recordFiles, error) {
	if h.Config == "" && h.DB == "" {
		return recordFiles{}, usageError{errors.New("which house is it? Name its configuration with --config, or its record with --db")}
	}
	files, err := recordPlace{Config: h.Config, DB: h.DB, Signing: h.Signing, Keys: h.Keys, Archive: h.Archive}.find(s)
	if err != nil {
		return recordFiles{}, err
	}
	if absent(files.db) {
		return recordFiles{}, usageError{fmt.Errorf("there is no record at %s: name it with --db", files.db)}
	}
	if files.signing == "" {
		return recordFiles{}, usageError{errNoSigning}
	}
	return files, namedFolder(h.Signing)
}

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

// look returns what find does, for a caller that needs no record: it may be named nowhere.
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
	if err := keysApart(files.db, files.sealKeys); err != nil {
		return recordFiles{}, usageError{err}
	}
	return files, nil
}

// keysApart refuses one file for a record and for the keys that seal its seeds.
func keysApart(db, keys string) error {
	if keys != "" && keys == db {
		return fmt.Errorf("%s is named for the record and for the keys: the keys need a file of their own", db)
	}
	return nil
}

// errNoSigning: a record in a database has nothing beside it.
var errNoSigning = errors.New(`the key that signs for a record in a database has a folder on each machine: name it in house.toml, such as signing = "/etc/trey/signing", or with --signing`)

// signingBeside returns the default folder of the key that signs for a record.
func signingBeside(database string) string {
	return strings.TrimSuffix(database, ".db") + ".signing"
}

// keysBeside returns the default file of the seal keys: beside a file, with the same name and the
// extension .keys.
func keysBeside(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".keys"
}

// demonstrationRecord returns the path of the demonstration's record.
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

// namedFolder refuses a named folder of a signing key that is missing or is no folder: without it
// nothing would be compared with what was signed, as if the flag had been left out.
func namedFolder(signing string) error {
	if signing == "" {
		return nil
	}
	switch info, err := os.Stat(signing); {
	case errors.Is(err, os.ErrNotExist):
		return usageError{fmt.Errorf("there is no %s: name the folder of the house's key with --signing, or leave it out", signing)}
	case err == nil && !info.IsDir():
		return usageError{fmt.Errorf("%s is no folder: name the folder of the house's key with --signing, or leave it out", signing)}
	}
	return nil // what cannot be read, whoever reads it finds out
}
