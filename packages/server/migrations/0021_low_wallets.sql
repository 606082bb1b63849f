-- Below which amount a wallet counts as low, and since when it is. Beside the wallets, so that neither the threshold nor
-- the mark touches the row that every send changes.
CREATE TABLE wallet_warnings (
  wallet_id TEXT PRIMARY KEY REFERENCES wallets (id),
  threshold BIGINT NOT NULL CHECK (threshold > 0),
  low_since BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX wallet_warnings_low ON wallet_warnings (low_since) WHERE low_since > 0;

-- What the operator's webhook is still to be told: each has a job in the outbox, and goes with it.
CREATE TABLE low_wallet_events (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  available BIGINT NOT NULL,
  threshold BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
