-- Form 6. A transaction is a row of tx, or a line of an archive, and its leaf follows from
-- that. All else
-- follows from these: it stands here to be found, or not to be worked out again.
CREATE TABLE tx (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  salt BLOB NOT NULL,       -- what the salts of the leaf's commitments follow from
  line BLOB NOT NULL,       -- what it recorded, as a line of JSON, packed
  mark BLOB NOT NULL        -- the beginning of what its leaf says of the line
) STRICT;

-- The transactions under an idempotency key: the first 16 bytes of its SHA-256.
CREATE TABLE key (
  hash BLOB PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Which transactions appended to a stream. Within one, versions rise with ids.
CREATE TABLE part (
  stream INTEGER NOT NULL,
  id INTEGER NOT NULL,      -- seq * 16 + the place among its transaction's parts
  after INTEGER NOT NULL,   -- how many events the stream held before
  count INTEGER NOT NULL,   -- may be 0: the stream is concerned
  round INTEGER NOT NULL,   -- the round that begins here, 0 for none
  PRIMARY KEY (stream, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX part_round ON part (stream, round) WHERE round > 0;

CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY,   -- that of the part
  stream INTEGER NOT NULL,
  version INTEGER NOT NULL, -- how many events it stands for
  body BLOB NOT NULL
) STRICT;
CREATE INDEX snapshot_stream ON snapshot (stream);

CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  balance INTEGER NOT NULL,
  seq INTEGER NOT NULL      -- the last transaction that changed it
) STRICT;

-- What moved the accounts whose movements are kept.
CREATE TABLE movement (
  account INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  delta INTEGER NOT NULL,
  balance INTEGER NOT NULL, -- after it
  PRIMARY KEY (account, seq)
) STRICT, WITHOUT ROWID;

-- The names of the persons who stand in the record by their numbers. A name that was
-- erased leaves its number behind.
CREATE TABLE name (
  number INTEGER PRIMARY KEY,
  salt BLOB,                -- what the commitment to the name was made with
  name TEXT UNIQUE
) STRICT;

-- Who is logged in. A session is no part of the record: it comes and goes.
CREATE TABLE session (
  id BLOB PRIMARY KEY,      -- the SHA-256 of its token, which is kept nowhere
  name TEXT NOT NULL,
  guest INTEGER NOT NULL,   -- 1 for a guest's, whose name is in no list of users
  epoch INTEGER NOT NULL,   -- the event of the stream people after which it began
  since_ms INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL  -- when it was used, written down now and then
) STRICT, WITHOUT ROWID;

-- The tree over the transactions: leaf 0, and the roots of its full subtrees of 256 to
-- the power of level leaves. The leaves stand with their transactions.
CREATE TABLE origin (
  leaf BLOB NOT NULL
) STRICT;
CREATE TABLE node (
  level INTEGER NOT NULL,
  n INTEGER NOT NULL,       -- the place in its level, from the left
  hash BLOB NOT NULL,
  PRIMARY KEY (level, n)
) STRICT, WITHOUT ROWID;

-- What was archived: how far the file has let go of transactions, and the files that hold
-- them. Those that a start reads stay in tx and part too.
CREATE TABLE archived (
  through INTEGER NOT NULL  -- the last of them
) STRICT;
CREATE TABLE segment (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  name TEXT NOT NULL        -- of the file in the folder of the archive
) STRICT;
-- Where the tiles from one on lie in their file, up to four in a frame; a tile has the
-- leaves from 256*tile to 256*tile+255.
CREATE TABLE frame (
  tile INTEGER PRIMARY KEY,
  start INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;
-- What a tile is about, in the place of part and movement.
CREATE TABLE frame_stream (
  stream INTEGER NOT NULL,
  tile INTEGER NOT NULL,
  ends INTEGER NOT NULL,    -- how many events the stream held after it
  PRIMARY KEY (stream, tile)
) STRICT, WITHOUT ROWID;
CREATE TABLE frame_account (
  account INTEGER NOT NULL,
  tile INTEGER NOT NULL,
  balance INTEGER NOT NULL, -- after it
  PRIMARY KEY (account, tile)
) STRICT, WITHOUT ROWID;
-- Where a round begins whose part was archived.
CREATE TABLE archived_round (
  stream INTEGER NOT NULL,
  round INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  after INTEGER NOT NULL,
  PRIMARY KEY (stream, round)
) STRICT, WITHOUT ROWID;
