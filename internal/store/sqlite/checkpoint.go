package sqlite

import "context"

// checkpointEvery is after how many transactions the log is taken into the file:
// some 30 MB of it. A rarer checkpoint writes a page that changed often once.
// anewEvery is after how many checkpoints the writer takes the rest and begins the
// log anew: the disk has it wait for that, 20 to 50 ms were seen.
const (
	checkpointEvery = 3000
	anewEvery       = 4
)

// checkpointer takes the log into the file beside the writing goroutine, which would
// else stand still for as long as thousands of pages take. What was written meanwhile
// is then little: the writer takes it over itself, and begins the log anew.
type checkpointer struct {
	// written is how many transactions were recorded since the last checkpoint, and
	// checkpoints how many were made since the log began; both belong to the writer.
	written     int
	checkpoints int
	due         chan struct{} // holds one value while a checkpoint is to be made
	made        chan struct{} // holds one value while the writer is to take the rest
}

func newCheckpointer() checkpointer {
	return checkpointer{due: make(chan struct{}, 1), made: make(chan struct{}, 1)}
}

// checkpoint takes into the file what no reader needs in the log. It waits for
// nobody. What it cannot do is no failure: the log is durable where it is.
const checkpoint = "PRAGMA wal_checkpoint(PASSIVE)"

// checkpoints makes a checkpoint for each request, until the channel of requests is closed.
func (s *Store) checkpoints() {
	for range s.checkpointer.due {
		_, _ = s.read.ExecContext(context.Background(), checkpoint)
		select {
		case s.checkpointer.made <- struct{}{}:
		default: // the writer has not taken the rest of the one before
		}
	}
}

// checkpoint has a checkpoint made when it is time. The writer calls it between two
// writes.
func (s *Store) checkpoint() {
	c := &s.checkpointer
	select {
	case <-c.made:
		if c.checkpoints++; c.checkpoints >= anewEvery {
			_ = s.writer.conn.Raw(func(any) error {
				_, err := s.writer.checkpoint.exec()
				return err
			})
			c.checkpoints, c.written = 0, 0
		}
	default:
	}
	if c.written >= checkpointEvery {
		select {
		case c.due <- struct{}{}:
			c.written = 0
		default:
		}
	}
}
