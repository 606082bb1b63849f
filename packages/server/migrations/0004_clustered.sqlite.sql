-- Rows that live in their key's own tree: SQLite otherwise keeps a second one, from each key to a number of its own, and
-- every message would go through both of the outbox's and the ledger's several times. PostgreSQL has no such tables.
CREATE TABLE outbox_by_id (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('scheduled', 'dispatch', 'await', 'callback')),
  run_at BIGINT NOT NULL,
  lease_until BIGINT NOT NULL DEFAULT 0,
  lapsed BIGINT NOT NULL DEFAULT 0,
  epoch BIGINT NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  carrier_ref TEXT,
  submitted_at BIGINT NOT NULL DEFAULT 0,
  expires_at BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
INSERT INTO outbox_by_id SELECT id, kind, run_at, lease_until, lapsed, epoch, attempts, carrier_ref, submitted_at,
  expires_at FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_by_id RENAME TO outbox;
CREATE INDEX outbox_due ON outbox (kind, run_at);

CREATE TABLE ledger_by_wallet (
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'post')),
  amount BIGINT NOT NULL CHECK (amount >= 0),
  balance_before BIGINT NOT NULL,
  balance_after BIGINT NOT NULL,
  message_id TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, seq)
) WITHOUT ROWID;
INSERT INTO ledger_by_wallet SELECT wallet_id, seq, kind, amount, balance_before, balance_after, message_id, created_at
  FROM ledger;
DROP TABLE ledger;
ALTER TABLE ledger_by_wallet RENAME TO ledger;
