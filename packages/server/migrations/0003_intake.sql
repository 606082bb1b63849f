-- Accepted messages that are not in their tables yet, a row for a wallet's part of a batch, in the order of their accepts.
-- What their wallet holds for them is a column, so that the books can be checked in one statement. Only SQLite uses it:
-- PostgreSQL puts messages into their tables at once.
CREATE TABLE intake (
  seq INTEGER PRIMARY KEY,
  wallet_id TEXT NOT NULL,
  promised BIGINT NOT NULL,
  messages TEXT NOT NULL
);
