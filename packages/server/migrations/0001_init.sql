-- Every table once, for both engines: TEXT and BIGINT only. Money is in micros, times in epoch milliseconds,
-- an absent time or count is 0 where a column says NOT NULL.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  callback_secret TEXT NOT NULL,
  callback_secret_previous TEXT,
  callback_secret_rotated_at BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

CREATE TABLE clients (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  secret_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX clients_account ON clients (account_id);

CREATE TABLE wallets (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash TEXT NOT NULL UNIQUE,
  currency TEXT NOT NULL,
  posted BIGINT NOT NULL CHECK (posted >= 0),
  held BIGINT NOT NULL CHECK (held >= 0),
  entries BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  CHECK (held <= posted)
);
CREATE INDEX wallets_account ON wallets (account_id);

-- The posted entries of a wallet: seq has no gap, and each balance_before is the balance_after of the one before.
CREATE TABLE ledger (
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'post')),
  amount BIGINT NOT NULL CHECK (amount >= 0),
  balance_before BIGINT NOT NULL,
  balance_after BIGINT NOT NULL,
  message_id TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, seq)
);

CREATE TABLE sender_ids (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  sender TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('approved', 'pending', 'rejected')),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, sender)
);

CREATE TABLE rates (
  country TEXT NOT NULL,
  mcc TEXT NOT NULL,
  mnc TEXT NOT NULL,
  network TEXT NOT NULL,
  price BIGINT NOT NULL CHECK (price >= 0),
  currency TEXT NOT NULL,
  PRIMARY KEY (currency, country, mcc, mnc)
);

-- What holds for the whole installation: the version of the rate table, sealed keys, the demo's credentials.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  content TEXT NOT NULL,
  reference TEXT NOT NULL,
  callback_url TEXT,
  status TEXT NOT NULL CHECK (status IN
    ('scheduled', 'pending', 'success', 'undelivered', 'expired', 'rejected', 'failed', 'cancelled')),
  encoding TEXT NOT NULL,
  segments BIGINT NOT NULL,
  country TEXT NOT NULL,
  network TEXT,
  price BIGINT NOT NULL CHECK (price >= 0),
  cost BIGINT NOT NULL DEFAULT 0,
  balance_before BIGINT NOT NULL,
  balance_after BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  send_at BIGINT NOT NULL DEFAULT 0,
  due_at BIGINT NOT NULL DEFAULT 0,
  submitted_at BIGINT NOT NULL DEFAULT 0,
  effected_at BIGINT NOT NULL,
  carrier_ref TEXT,
  failure_reason TEXT,
  recipient_key BIGINT,
  sender_key BIGINT
);
-- One index for each way to search, all ending in the order of the results. The keys are digests (of wallet and
-- recipient; of wallet, sender and status), given to a message when it becomes final: their order is random, and an
-- index pays for that and for their width with every row. Those that are not final yet are few, and looked through.
CREATE INDEX messages_by_time ON messages (wallet_id, created_at);
CREATE INDEX messages_open ON messages (wallet_id, created_at) WHERE sender_key IS NULL;
CREATE INDEX messages_by_sender ON messages (sender_key, created_at) WHERE sender_key IS NOT NULL;
CREATE INDEX messages_by_recipient ON messages (recipient_key, created_at) WHERE recipient_key IS NOT NULL;
CREATE INDEX messages_scheduled ON messages (wallet_id, send_at) WHERE status = 'scheduled';

-- Running totals of what was sent, by the hour of its creation. Pending is what is neither delivered nor failed.
CREATE TABLE hourly_totals (
  wallet_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  country TEXT NOT NULL,
  network TEXT NOT NULL,
  sent BIGINT NOT NULL,
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  spend BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, hour, country, network)
);

-- Work that waits, one row a job. A claim sets lease_until and counts the epoch up, so that only the latest claimer
-- can settle the job; it leaves run_at alone, and with it the index. lapsed says that the claim before was never
-- settled.
CREATE TABLE outbox (
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
);
CREATE INDEX outbox_due ON outbox (kind, run_at);

-- Receipts that came after the first final one: recorded, never acted on.
CREATE TABLE late_receipts (
  id TEXT PRIMARY KEY,
  message_id TEXT NOT NULL,
  carrier_ref TEXT NOT NULL,
  status TEXT NOT NULL,
  received_at BIGINT NOT NULL
);
CREATE INDEX late_receipts_message ON late_receipts (message_id);

CREATE TABLE callbacks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  url TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  created_at BIGINT NOT NULL
);
CREATE INDEX callbacks_message ON callbacks (message_id);
CREATE INDEX callbacks_wallet ON callbacks (wallet_id, id);
CREATE INDEX callbacks_state ON callbacks (wallet_id, state, id);

CREATE TABLE callback_attempts (
  callback_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  latency_ms BIGINT NOT NULL,
  http_status BIGINT,
  error_class TEXT,
  reply TEXT,
  PRIMARY KEY (callback_id, seq)
);

-- scope is a digest of client, wallet, operation and key.
CREATE TABLE idempotency (
  scope TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- What assistants' connections have sent, in the connector's own words: their daily limits count it.
CREATE TABLE connector_journal (
  client_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (client_id, seq)
);
CREATE INDEX connector_journal_age ON connector_journal (at);

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  account_id TEXT,
  detail TEXT NOT NULL
);
CREATE INDEX audit_account ON audit (account_id, id);
