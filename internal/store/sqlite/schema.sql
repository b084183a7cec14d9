-- Form 1. A transaction is a row; what it appended to each stream is a row of
-- part; accounts hold what its postings have come to.
CREATE TABLE tx (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  key TEXT UNIQUE,          -- the idempotency key, if it has one
  input BLOB,               -- the hash of what came with it
  cause TEXT NOT NULL,      -- JSON: who asked for what
  postings TEXT NOT NULL    -- JSON: the postings, in order
) STRICT;

CREATE TABLE part (
  id INTEGER PRIMARY KEY,   -- seq * 16 + the place among its transaction's parts
  stream TEXT NOT NULL,
  after INTEGER NOT NULL,   -- how many events the stream held before
  count INTEGER NOT NULL,
  events TEXT NOT NULL,     -- JSON: the events, in order
  UNIQUE (stream, after)
) STRICT;

CREATE TABLE account (
  name TEXT PRIMARY KEY,
  balance INTEGER NOT NULL,
  seq INTEGER NOT NULL      -- the last transaction that changed it
) STRICT, WITHOUT ROWID;
