-- +goose Up

-- Which process writes, and how far the record goes: one row. Every write of a batch
-- compares and sets it in its own statement, so a process that is not the writer any
-- more changes nothing.
CREATE TABLE head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  seq bigint NOT NULL,          -- the last transaction
  epoch bigint NOT NULL,        -- how often the writer has changed
  node text NOT NULL,           -- which process writes, for people
  address text NOT NULL,        -- where other processes reach it, empty for nowhere
  until timestamptz NOT NULL    -- nobody else becomes the writer before it
);

-- A transaction is a row, and its leaf follows from that row. All else follows from these
-- rows: it stands here to be found, or not to be worked out again.
CREATE TABLE tx (
  seq bigint PRIMARY KEY,
  at_ms bigint NOT NULL,
  salt bytea NOT NULL,          -- what the salts of the leaf's commitments follow from
  line bytea NOT NULL,          -- what it recorded, as a line of JSON, packed
  mark bytea NOT NULL           -- the beginning of what its leaf says of the line
);
ALTER TABLE tx ALTER COLUMN line SET STORAGE EXTERNAL; -- it is packed already

-- The transactions under an idempotency key: the first 16 bytes of its SHA-256.
CREATE TABLE key (
  hash bytea PRIMARY KEY,
  seq bigint NOT NULL
);

CREATE TABLE stream (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE
);

-- Which transactions appended to a stream. Within one, versions rise with ids.
CREATE TABLE part (
  stream bigint NOT NULL,
  id bigint NOT NULL,           -- seq * 16 + the place among its transaction's parts
  after bigint NOT NULL,        -- how many events the stream held before
  count bigint NOT NULL,        -- may be 0: the stream is concerned
  round bigint NOT NULL,        -- the round that begins here, 0 for none
  PRIMARY KEY (stream, id)
);
CREATE UNIQUE INDEX part_round ON part (stream, round) WHERE round > 0;

CREATE TABLE snapshot (
  id bigint PRIMARY KEY,        -- that of the part
  stream bigint NOT NULL,
  version bigint NOT NULL,      -- how many events it stands for
  body bytea NOT NULL
);
CREATE INDEX snapshot_stream ON snapshot (stream, id);

CREATE TABLE account (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  balance bigint NOT NULL,
  seq bigint NOT NULL           -- the last transaction that changed it
);

-- What moved the accounts whose movements are kept.
CREATE TABLE movement (
  account bigint NOT NULL,
  seq bigint NOT NULL,
  delta bigint NOT NULL,
  balance bigint NOT NULL,      -- after it
  PRIMARY KEY (account, seq)
);

-- The names of persons, who stand in the record by their numbers. One that was erased has
-- neither name nor salt.
CREATE TABLE name (
  number bigint PRIMARY KEY,
  salt bytea,                   -- what the commitment to the name was made with
  name text COLLATE "C"
);

-- Who is signed in. A session is no part of the record: it comes and goes.
CREATE TABLE session (
  id bytea PRIMARY KEY,         -- the SHA-256 of its token, which is kept nowhere
  name text NOT NULL,
  guest boolean NOT NULL,       -- whether the name is in no list of users
  epoch bigint NOT NULL,        -- the event of the stream people after which it began
  since_ms bigint NOT NULL,
  seen_ms bigint NOT NULL       -- when it was used, written down now and then
);

-- The tree over the transactions: leaf 0, and the roots of its full subtrees of 256 to
-- the power of level leaves. The leaves stand with their transactions.
CREATE TABLE origin (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  leaf bytea NOT NULL
);
CREATE TABLE node (
  level bigint NOT NULL,
  n bigint NOT NULL,            -- the place in its level, from the left
  hash bytea NOT NULL,
  PRIMARY KEY (level, n)
);

-- +goose Down
DROP TABLE node, origin, session, name, movement, account, snapshot, part, stream, key, tx, head;
