package play

import (
	"bytes"
	"fmt"

	"trey/roundlog"
)

// Logged is what became of the log of a round.
type Logged struct {
	// Round is the round, zero if none has ended.
	Round int64
	// Path is where its log is, Err why it could not be written.
	Path string
	Err  error
}

// writeUp makes the log of a round that has ended.
func (d *draft) writeUp() error {
	if d.host.Log == nil {
		return nil
	}
	var log bytes.Buffer
	w, err := roundlog.NewWriter(&log, d.variant, equipment, d.host.Software)
	for i := range d.steps {
		if err == nil {
			err = w.Append(d.steps[i].command, d.steps[i].events)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("the log of the round: %w", err)
	}
	d.log = log.Bytes()
	return nil
}

// writeLog writes the log of a round that has ended, once the money is safe.
func (s *Session) writeLog(d *draft) {
	if d.log == nil {
		return
	}
	path, err := s.host.Log(d.ended, d.log)
	s.logged = Logged{Round: d.ended, Path: path, Err: err}
}

// Logged is the log of the last round that has ended in this session.
func (s *Session) Logged() Logged { return s.logged }

// LogTrouble says that the log of the last round could not be written, and why;
// it is empty if it could, or none was wanted.
func (s *Session) LogTrouble() string {
	if s.logged.Err == nil {
		return ""
	}
	return fmt.Sprintf("The log of round %d could not be written: %v. Your balance is kept all the same.", s.logged.Round, s.logged.Err)
}

// withLogTrouble adds it to what is told.
func (s *Session) withLogTrouble(told []string) []string {
	if trouble := s.LogTrouble(); trouble != "" {
		return append(told, trouble)
	}
	return told
}

// LogWords says where the log of the last round is.
func (s *Session) LogWords() string {
	switch {
	case s.host.Log == nil:
		return "No logs of rounds are written in this session."
	case s.logged.Err != nil:
		return s.LogTrouble()
	case s.logged.Round == 0:
		return fmt.Sprintf("Each round is logged when it ends, in %s", s.host.LogsIn)
	}
	return fmt.Sprintf("The log of round %d is checked and told by: trey replay %s", s.logged.Round, s.logged.Path)
}
