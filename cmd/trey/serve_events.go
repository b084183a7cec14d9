package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"trey/internal/forward"
)

// failureFile, in the folder of the signing key, says that the record could not be
// written, until the next house has recorded it.
const failureFile = "record-failed"

// failure is the content of that file.
type failure struct {
	AtMs  int64  `json:"at_ms"`
	Found string `json:"found"`
}

// keepFailure writes down that the record could not be written.
func (s *site) keepFailure(why string) {
	text, err := json.Marshal(failure{s.clock.nowMs(), why})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.plan.Signing, failureFile), text, 0o600)
	}
	if err != nil {
		s.log.Error("that the record could not be written is in no file either", "why", err)
	}
}

// keptFailure returns what [site.keepFailure] wrote into the folder of the signing key. The error
// wraps [fs.ErrNotExist] where there is nothing.
func keptFailure(signing string) (f failure, err error) {
	path := filepath.Join(signing, failureFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if json.Unmarshal(text, &f) != nil { // where the disk is full, there is a file with nothing in it
		info, err := os.Stat(path)
		if err != nil {
			return failure{}, err
		}
		f = failure{info.ModTime().UnixMilli(), "what was written about it cannot be read"}
	}
	return f, nil
}

// noteFailure records what [site.keepFailure] wrote, and deletes it.
func (s *site) noteFailure(ctx context.Context) error {
	f, err := keptFailure(s.plan.Signing)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.log.Warn("the record could not be written, and the house closed", "at_ms", f.AtMs, "why", f.Found)
	if err := s.house.NoteFailure(ctx, f.AtMs); err != nil {
		return err
	}
	return os.Remove(filepath.Join(s.plan.Signing, failureFile))
}

// softwareInterval is the time between two checks of the program and its books.
const softwareInterval = 24 * time.Hour

// programFile returns the path of this program's own file. To hash it takes some 50 ms, so tests
// that do not check the hash use a file of a few bytes.
var programFile = os.Executable

// checkSoftware records what the program and its books hash to and what is set in house.toml, and
// tells the operator if they have changed since the check before.
func (s *site) checkSoftware(ctx context.Context, program string) error {
	software, err := softwareOf(program)
	if err != nil {
		return err
	}
	changed, err := s.house.CheckSoftware(ctx, software, s.plan.Settings())
	if err == nil && len(changed) > 0 {
		s.log.Warn("the program, its books or the settings of house.toml are not those of the check before: compare program and books with the published list, by trey version --compare; the register of significant events has the settings", "changed", changed)
	}
	return err
}

// watchEvents records what nobody asks for: the hashes whenever it is time, and readings
// of the clock that were not taken.
func (s *site) watchEvents(ctx context.Context, program string, due <-chan time.Time) {
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-due:
			err = s.checkSoftware(ctx, program)
		case ms := <-s.jumps:
			err = s.house.NoteClock(ctx, ms)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("a significant event could not be recorded", "why", err)
		}
	}
}

// openForwarder makes what sends the significant events, if they are to be sent.
func (s *site) openForwarder() error {
	f := &s.plan.Forward
	if f.URL == "" {
		return nil
	}
	sink, err := forward.NewSink(forward.Target{URL: f.URL, CA: f.CA, TokenFile: f.TokenFile})
	if err != nil {
		return fmt.Errorf("significant_events: %w", err)
	}
	s.forwarder, err = forward.New(forward.Config{
		Record: s.store, Notary: s.notary, Sink: sink, Address: f.URL,
		NowMs: s.clock.nowMs, LateMs: f.LateMs, Late: s.house.NoteLateStream, Log: s.log,
	})
	return err
}
