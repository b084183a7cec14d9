// Package durable puts files in their place so that after a failure of the power they
// are there whole, or are what they were before.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write puts a file with a text and a mode in its place, and replaces what is there.
func Write(path string, text []byte, mode fs.FileMode) error {
	return Place(path, text, mode, func(temporary string) error { return os.Rename(temporary, path) })
}

// Create puts a file with a text and a mode in its place. An error wraps [fs.ErrExist]
// where there is one already, which stays as it is.
func Create(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return SyncFolder(filepath.Dir(path))
}

// Place writes a text into a temporary file beside a path. When the file is durable, it calls
// place, which renames the file within the same folder. On an error it removes the file.
func Place(path string, text []byte, mode fs.FileMode, place func(temporary string) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = place(file.Name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// RemoveLeft removes files in the folder of a path, by their names: what those have left there that
// were killed while they wrote the file.
func RemoveLeft(path string, left func(name string) bool) error {
	found, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, one := range found {
		if left(one.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), one.Name())))
		}
	}
	return err
}

// SyncFolder waits until the names of the files in a folder are on the disk.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such call
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
