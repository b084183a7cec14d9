-- +goose Up

-- Which programs work with the tables as a migration leaves them: those that know the
-- tables of at least a version. Each later migration puts its own row here, so that a program
-- that does not have the migration finds it.
CREATE TABLE tolerated (
  version bigint PRIMARY KEY,   -- of the tables after the migration
  least bigint NOT NULL         -- what a program has to know
);
INSERT INTO tolerated (version, least) VALUES (4, 4);

-- +goose Down
DROP TABLE tolerated;
