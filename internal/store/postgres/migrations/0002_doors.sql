-- +goose Up

-- How often sessions have changed. It rises with every batch that changes some, so a
-- process that reads behind a number misses none.
ALTER TABLE head ADD COLUMN sessions bigint NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN changed bigint NOT NULL DEFAULT 0; -- with which of these it changed last
CREATE INDEX session_changed ON session (changed);
CREATE TABLE session_ended (
  changed bigint NOT NULL,
  id bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX session_ended_changed ON session_ended (changed);

-- Up to where the writer knows that its batches are on another server too: one row. What
-- is behind it is shown to nobody.
CREATE TABLE confirmed (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  seq bigint NOT NULL,
  sessions bigint NOT NULL
);
INSERT INTO confirmed (seq, sessions) VALUES (0, 0);

-- The processes of the house that read.
CREATE TABLE machine (
  address text COLLATE "C" PRIMARY KEY,
  node text NOT NULL,           -- for people
  seq bigint NOT NULL,          -- the last transaction that it has
  at timestamptz NOT NULL       -- when it was heard of
);

-- +goose Down
DROP TABLE machine, confirmed, session_ended;
ALTER TABLE session DROP COLUMN changed;
ALTER TABLE head DROP COLUMN sessions;
