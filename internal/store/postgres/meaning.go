package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trey/internal/house"
	"trey/internal/store"
)

// The errors of servers. What each says is for whoever runs them.
var (
	// ErrAway is wrapped where the server does not answer, or is about to end.
	ErrAway = errors.New("the database does not answer")
	// ErrNotLetIn is wrapped where the server does not let the user of the house in.
	ErrNotLetIn = errors.New("the database does not let the user of the house in")
	// ErrNoDatabase is wrapped where the server has no database of the name.
	ErrNoDatabase = errors.New("the server has no such database")
	// ErrForbidden is wrapped where the user of the house lacks a privilege.
	ErrForbidden = errors.New("the user of the house may not do this in the database")
	// ErrReadOnly is wrapped where the server takes nothing.
	ErrReadOnly = errors.New("the database can only be read")
	// ErrNoRoom is wrapped where the server lacks disk, memory or connections.
	ErrNoRoom = errors.New("the server of the database lacks room")
	// ErrGivenUp is wrapped where the server gave a statement up that it was carrying out.
	ErrGivenUp = errors.New("the server has given up what it was asked to do")
	// ErrPooled is wrapped where a pooler gives each transaction another connection of the server.
	ErrPooled = errors.New("a pooler before the database loses the statements that the house has prepared")
	// ErrContested is wrapped where another program writes into the tables of the house.
	ErrContested = errors.New("another program changes the tables of the house at the same time")
	// ErrBrokenServer is wrapped where the server itself does not work as it should.
	ErrBrokenServer = errors.New("the server of the database has a fault")
)

// meanings are those of the codes of PostgreSQL: a whole one goes before its class, which is its
// first two characters. A code that is not here says nothing about the record.
var meanings = map[string]struct {
	err error
	// do says what else is so, and what to do about it.
	do string
}{
	noConnection: {ErrAway, "see whether it runs, and whether the address leads to it"},
	"57":         {ErrAway, "it ends or begins: see whether it runs"},
	"57014":      {ErrGivenUp, "somebody has cancelled it, or statement_timeout is set: set it to 0 for the user of the house"},
	"25P03":      {ErrGivenUp, "idle_in_transaction_session_timeout is set: set it to 0 for the user of the house"},
	"57P05":      {ErrGivenUp, "idle_session_timeout is set: set it to 0 for the user of the house"},
	"55P03":      {ErrGivenUp, "another program holds a lock on the tables of the house, and lock_timeout is set: end that one"},
	"26000":      {ErrPooled, pooled},
	"42P05":      {ErrPooled, pooled},
	"28":         {ErrNotLetIn, "see to its name and password, and to pg_hba.conf on the server"},
	"3D000":      {ErrNoDatabase, "create it, or see to its name in the address"},
	"42501":      {ErrForbidden, "give it the database and the tables: ALTER DATABASE and ALTER TABLE, each with OWNER TO"},
	readOnly:     {ErrReadOnly, "it is a standby, or default_transaction_read_only is on: name the server that can be written to"},
	"53":         {ErrNoRoom, ""},
	"53100":      {ErrNoRoom, "make room on its disk"},
	"53200":      {ErrNoRoom, "give it memory"},
	"53300":      {ErrNoRoom, "raise its max_connections, or end connections that nobody needs: each machine of a house takes up to 12"},
	"54":         {ErrNoRoom, ""},
	"40":         {ErrContested, "nothing but the house may write into them: end that one"},
	"42P01":      {house.ErrCorrupt, "a table of it is not there, or not found: see to search_path of the user of the house"},
	"3F000":      {house.ErrCorrupt, "a table of it is not there, or not found: see to search_path of the user of the house"},
	"42703":      {house.ErrCorrupt, "a table of it is not as this program makes it"},
	"42804":      {house.ErrCorrupt, "a table of it is not as this program makes it"},
	"42883":      {house.ErrCorrupt, "a table of it is not as this program makes it"},
	"42P10":      {house.ErrCorrupt, "a table of it is not as this program makes it"},
	"23":         {ErrContested, "what is to be written does not fit what is there; nothing but the house may write into them"},
	"58":         {ErrBrokenServer, "it cannot read or write its files: look at its log and its disk"},
	"XX":         {ErrBrokenServer, "look at its log"},
	"XX001":      {house.ErrCorrupt, "the server has found its data damaged: look at its log"},
	"XX002":      {house.ErrCorrupt, "the server has found an index damaged: look at its log"},
	"F0":         {ErrBrokenServer, "look at its log"},
}

// pooled says what to do about a pooler.
const pooled = "write default_query_exec_mode=exec into the address: no statement is prepared then"

// meant says what an error of the server, or of the connection to it, means for a house. Any other
// error, and one that says that already, stays as it is.
func meant(err error) error {
	var known *store.Meaning
	var refused *pgconn.PgError
	switch {
	// What is wrong with the record may end like a connection, such as a text that is cut off.
	case err == nil, errors.As(err, &known), errors.Is(err, house.ErrCorrupt), errors.Is(err, sql.ErrNoRows), errors.Is(err, pgx.ErrNoRows), errors.Is(err, errFormer):
		return err
	case errors.As(err, &refused):
		m, exact := meanings[refused.Code]
		if !exact && len(refused.Code) > 1 {
			m = meanings[refused.Code[:2]]
		}
		if m.err == nil {
			return err
		}
		return &store.Meaning{Means: m.err, More: m.do, Why: err}
	case errors.Is(err, pgconn.ErrReadOnlyConnection):
		return &store.Meaning{Means: ErrReadOnly, More: meanings[readOnly].do, Why: err}
	case errors.Is(err, context.Canceled):
		return err // whoever asked does not wait any more
	case broken(err):
		return &store.Meaning{Means: ErrAway, More: meanings[noConnection].do, Why: err}
	}
	return err
}

// The codes of the meanings that an error without a code has too.
const (
	noConnection = "08"
	readOnly     = "25006"
)

// broken reports whether an error is that of a connection which cannot be made, or holds no more.
func broken(err error) bool {
	var connecting *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connecting) {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed, driver.ErrBadConn} {
		if errors.Is(err, end) {
			return true
		}
	}
	return errors.As(err, &network) || pgconn.Timeout(err)
}

// mean puts what an error means in its place. Each exported function that asks a server for something
// defers it, so that no error of a server leaves the package without its meaning. Those that hand rows
// to somebody do not: an error of theirs may be of another connection. They use [unreachable].
func mean(err *error) { *err = meant(*err) }

// unreachable wraps [house.ErrFailed] around an error that says that the server could not
// be asked: whoever waits for an answer asks again when the record has been opened again.
func unreachable(err error) error {
	err = meant(err)
	var refused *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &refused) && !strings.HasPrefix(refused.Code, "08") && !strings.HasPrefix(refused.Code, "57"):
		return err // the server is there: classes 08 and 57 say that it is not, or is about to end
	}
	return fmt.Errorf("%w: %w", house.ErrFailed, err)
}
