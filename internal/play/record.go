package play

import (
	"context"
	"fmt"
)

// Recorded is the result of writing the record of a round.
type Recorded struct {
	// Round is the round, zero if none has ended.
	Round int
	// Path is where its record is, Err why it could not be written.
	Path string
	Err  error
}

// writeRecord writes the record of the round that has ended at the table. The money is
// safe by then, and the house can write the same record again.
func (s *Session) writeRecord() {
	if s.host.Record == nil {
		return
	}
	s.recorded = Recorded{Round: s.state.Round}
	r, err := s.house.Round(context.Background(), s.table, s.state.Round)
	if err == nil {
		s.recorded.Path, err = s.host.Record(s.table, s.state.Round, r.Text)
	}
	s.recorded.Err = err
}

// Recorded returns the record of the last round that has ended in this session.
func (s *Session) Recorded() Recorded { return s.recorded }

// RecordTrouble says that the record of the last round could not be written, and why;
// it is empty if it could, or none was wanted.
func (s *Session) RecordTrouble() string {
	if s.recorded.Err == nil {
		return ""
	}
	return fmt.Sprintf("The record of round %d could not be written: %v. Your balance is kept all the same.", s.recorded.Round, s.recorded.Err)
}

// withRecordTrouble adds it to what is told.
func (s *Session) withRecordTrouble(notes []string) []string {
	if trouble := s.RecordTrouble(); trouble != "" {
		return append(notes, trouble)
	}
	return notes
}

// WhereRecorded says where the record of the last round is.
func (s *Session) WhereRecorded() string {
	switch {
	case s.host.Record == nil:
		return "No records of rounds are written in this session."
	case s.recorded.Err != nil:
		return s.RecordTrouble()
	case s.recorded.Round == 0:
		return fmt.Sprintf("Each round is recorded when it ends, in %s", s.host.RecordsIn)
	}
	return fmt.Sprintf("To check the record of round %d and print it in words: trey replay %s", s.recorded.Round, s.recorded.Path)
}
