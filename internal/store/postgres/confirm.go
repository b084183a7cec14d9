package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// confirmation says up to which transaction all is durable.
type confirmation struct{ seq, sessions int64 }

// confirmer records up to where all is durable, and wakes up those who follow the record.
// What a batch recorded can be read before it is on another server, where the wait for
// that is cancelled: so others show what is confirmed and nothing else. The writer does
// not wait for it. That a confirmation is lost costs a moment: the next one says more.
//
// It is written under the epoch of the writer. After a failover a connection may still lead
// to the former server, which takes writes, and has other transactions under the same numbers.
type confirmer struct {
	config *pgx.ConnConfig
	epoch  int64
	wake   chan struct{}
	end    context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	last confirmation
}

// channel is the channel of PostgreSQL on which those who follow are woken up.
const channel = "trey"

// lastTimeout bounds what a writer that ends still confirms. A house that is closed leaves
// nothing to be shown by the next writer.
const lastTimeout = time.Second

// retryInterval is the time between two attempts to reach the server.
const retryInterval = 100 * time.Millisecond

// keptEnded is for how long it is kept that a session has ended. Whoever has read nothing
// for longer reads all sessions.
const keptEnded = 10 * time.Minute

func newConfirmer(config *pgx.ConnConfig) *confirmer {
	quiet := config.Copy()
	quiet.OnNotice = nil
	return &confirmer{config: quiet, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// start begins to confirm for the writer of an epoch, first what is durable already.
func (c *confirmer) start(epoch int64, from confirmation) {
	c.epoch = epoch
	ctx, end := context.WithCancel(context.Background())
	c.end = end
	c.put(from)
	go c.run(ctx)
}

// put requests that a confirmation is recorded soon.
func (c *confirmer) put(next confirmation) {
	c.mu.Lock()
	c.last = next
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // the next one says this too
	}
}

func (c *confirmer) run(ctx context.Context) {
	defer close(c.done)
	// The end comes a moment later than it is asked for, for what was put last.
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastTimeout, end) })()
	for ended := false; !ended; ended = ctx.Err() != nil {
		_ = c.confirm(ctx, late) // it is tried again, and the writer finds out by itself what is wrong
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
		c.mu.Lock()
		again := c.last
		c.mu.Unlock()
		c.put(again)
	}
}

// confirm writes down what is confirmed, on one connection, until ctx ends: then once more,
// as long as late lasts.
func (c *confirmer) confirm(ctx, late context.Context) error {
	conn, err := connectWith(late, c.config)
	if err != nil {
		return err
	}
	defer conn.Close(late) //nolint:errcheck // nothing depends on it
	cleared := time.Time{}
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case <-c.wake:
		}
		c.mu.Lock()
		next := c.last
		c.mu.Unlock()
		// It need not wait for another server, and may be lost: it is no part of the record.
		done, err := conn.Exec(late, `WITH c AS (UPDATE confirmed SET seq = greatest(confirmed.seq, $1), sessions = greatest(confirmed.sessions, $2)
			FROM head WHERE head.epoch = $4 RETURNING 1)
			SELECT set_config('synchronous_commit', 'off', true), pg_notify($3, '') FROM c`, next.seq, next.sessions, channel, c.epoch)
		if err == nil && done.RowsAffected() == 0 {
			err = errLost // or this is a former server: another connection may lead to the one that counts
		}
		if err != nil {
			return err
		}
		if time.Since(cleared) > keptEnded {
			if _, err := conn.Exec(late, "DELETE FROM session_ended WHERE at < clock_timestamp() - $1::interval", keptEnded); err != nil {
				return err
			}
			cleared = time.Now()
		}
	}
	return nil
}

// close ends the confirming, with what was put last.
func (c *confirmer) close() {
	if c.end == nil {
		return
	}
	c.end()
	<-c.done
}
