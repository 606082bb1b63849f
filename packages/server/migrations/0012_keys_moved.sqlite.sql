-- Tokens of wallets are keys now. SQLite drops no column that is unique, so the table is made anew; its ledger's
-- references are checked when all of this is committed.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE wallets_kept AS SELECT id, account_id, currency, posted, held, entries, created_at FROM wallets;
DROP TABLE wallets;
CREATE TABLE wallets (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  currency TEXT NOT NULL,
  posted BIGINT NOT NULL CHECK (posted >= 0),
  held BIGINT NOT NULL CHECK (held >= 0),
  entries BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  CHECK (held <= posted)
);
INSERT INTO wallets SELECT id, account_id, currency, posted, held, entries, created_at FROM wallets_kept;
DROP TABLE wallets_kept;
CREATE INDEX wallets_account ON wallets (account_id);
