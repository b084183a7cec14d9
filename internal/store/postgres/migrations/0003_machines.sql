-- +goose Up

-- Every machine of the house announces itself here, the writer too.
ALTER TABLE machine
  ADD COLUMN writer boolean NOT NULL DEFAULT false,
  ADD COLUMN version text NOT NULL DEFAULT '',   -- of its program
  ADD COLUMN reads text NOT NULL DEFAULT '{}',   -- what that reads, as JSON
  ADD COLUMN door_only text NOT NULL DEFAULT '', -- why it never becomes the writer
  ADD COLUMN behind bigint NOT NULL DEFAULT 0,   -- confirmed transactions that it lacks
  ADD COLUMN behind_ms bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE machine DROP COLUMN writer, DROP COLUMN version, DROP COLUMN reads,
  DROP COLUMN door_only, DROP COLUMN behind, DROP COLUMN behind_ms;
