-- Every table once, for both engines: TEXT and BIGINT only. Money is in micros, times in epoch milliseconds,
-- an absent time or count is 0 where a column says NOT NULL.
--
-- Rows of tables WITHOUT ROWID live in their key's own tree: SQLite otherwise keeps a second one, from each key to a
-- number of its own, and every message would go through both several times. PostgreSQL has no such tables.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  -- Since when it has this status.
  status_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE clients (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at BIGINT NOT NULL,
  -- When it last called the tools for assistants, at /mcp.
  tools_used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX clients_account ON clients (account_id);

-- Every secret of an account, one a row: its clients' secrets and its wallets' tokens as digests, its callback secrets
-- sealed, since the gateway signs with them. Of one owner the current key has no end (0); those before it live on until
-- theirs. Only the last characters of a secret can be shown again.
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('client', 'wallet', 'callback')),
  owner_id TEXT NOT NULL,
  stored TEXT NOT NULL UNIQUE,
  ending TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL DEFAULT 0,
  ends_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX keys_owner ON keys (owner_id);
CREATE UNIQUE INDEX keys_current ON keys (owner_id, kind) WHERE ends_at = 0;
CREATE INDEX keys_ended ON keys (ends_at) WHERE ends_at > 0;

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
) WITHOUT ROWID;

-- What operators call the entries that they make, so that one made twice by mistake is made once.
CREATE TABLE ledger_references (
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  reference TEXT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, reference)
);

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

CREATE TABLE sender_ids (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  sender TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('approved', 'pending', 'rejected')),
  -- Why it was rejected, for the customer.
  reason TEXT CHECK (reason IS NULL OR status = 'rejected'),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, sender)
);
CREATE INDEX sender_ids_pending ON sender_ids (created_at, account_id, sender) WHERE status = 'pending';
-- Finds those that look alike.
CREATE INDEX sender_ids_start ON sender_ids (lower(substr(sender, 1, 4)));

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
  -- The carrier that had it when it became final, or was to get it, and what that carrier calls it.
  carrier TEXT,
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
-- Final messages by the reference of their client. Their sender and status are in it as their key, so that a filter by
-- these reads none of the rows that it leaves out.
CREATE INDEX messages_by_reference ON messages (wallet_id, reference, created_at, sender_key)
  WHERE sender_key IS NOT NULL AND reference <> '';
-- Who asks an operator about a message may know only what its carrier calls it.
CREATE INDEX messages_by_carrier_ref ON messages (carrier_ref) WHERE carrier_ref <> '';

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
-- The desk adds the last hours of all wallets up. A row comes into it once and stays where it is.
CREATE INDEX hourly_totals_hour ON hourly_totals (hour);

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
  expires_at BIGINT NOT NULL DEFAULT 0,
  -- How many times in a row its handling failed unexpectedly. Such a job is tried by itself, less and less often.
  faults BIGINT NOT NULL DEFAULT 0,
  -- A message's job belongs to the lane of its carrier, every other to ''.
  lane TEXT NOT NULL DEFAULT '',
  -- When the message was last handed to a carrier. The carrier may not have taken it: that is submitted_at.
  handed_at BIGINT NOT NULL DEFAULT 0,
  -- What tells the parts of a long message from those of others to the same phone. Given when the message is first
  -- handed over to a carrier, and the same each time that it is submitted, by any gateway.
  long_ref BIGINT,
  -- Whose it is, for those who take turns: the wallet of a message, the account of a callback.
  owner TEXT NOT NULL DEFAULT '-'
) WITHOUT ROWID;
-- Jobs that wait for a time, and not for a place, are as one owner's: they take no turns.
CREATE INDEX outbox_due ON outbox (kind, lane, (CASE WHEN kind IN ('dispatch', 'callback') THEN owner ELSE '-' END), run_at);
CREATE INDEX outbox_faults ON outbox (kind) WHERE faults > 0;
-- Metrics count messages whose carrier never said whether it took them often and find few. The columns that are the same
-- in every row make SQLite's planner prefer it.
CREATE INDEX outbox_unanswered ON outbox (kind, submitted_at, lane) WHERE kind = 'await' AND submitted_at = 0;

-- The carriers' references to the parts of messages under way. A row without a message is a receipt that came before
-- its reference.
CREATE TABLE carrier_refs (
  carrier TEXT NOT NULL,
  ref TEXT NOT NULL,
  message_id TEXT,
  part BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  verdict TEXT CHECK (verdict IN ('success', 'undelivered', 'expired', 'rejected', 'failed')),
  reason TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (carrier, ref)
) WITHOUT ROWID;
CREATE INDEX carrier_refs_of_long ON carrier_refs (message_id) WHERE parts > 1;
CREATE INDEX carrier_refs_early ON carrier_refs (carrier, at) WHERE message_id IS NULL;

-- What carriers were owed for the parts that they took, as told by the costs of the routes.
CREATE TABLE carrier_totals (
  carrier TEXT NOT NULL,
  hour BIGINT NOT NULL,
  country TEXT NOT NULL,
  network TEXT NOT NULL,
  parts BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  PRIMARY KEY (carrier, hour, country, network)
);

-- The carriers that an operator has paused.
CREATE TABLE carrier_pauses (
  carrier TEXT PRIMARY KEY,
  at BIGINT NOT NULL
);

-- What each running process last said about its carriers.
CREATE TABLE carrier_reports (
  process TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  report TEXT NOT NULL
);

-- The span of the request that sent a message, while traces are on: what another process does for the message later is
-- shown beneath it. The header of W3C Trace Context as text.
CREATE TABLE traces (
  message_id TEXT PRIMARY KEY,
  parent TEXT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX traces_age ON traces (ends_at);

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
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  created_at BIGINT NOT NULL,
  -- How often it was posted again by hand, and on which day in UTC that was last; days are numbered from 1970-01-01.
  replay_day BIGINT NOT NULL DEFAULT 0,
  replays BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX callbacks_message ON callbacks (message_id);
CREATE INDEX callbacks_wallet ON callbacks (wallet_id, id);
CREATE INDEX callbacks_state ON callbacks (wallet_id, state, id);
-- Metrics count the dead often and find few. The column that is the same in every row makes SQLite's planner prefer it.
CREATE INDEX callbacks_dead ON callbacks (state) WHERE state = 'dead';

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

-- scope is the account, and a digest of client, wallet, operation and key.
CREATE TABLE idempotency (
  scope TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  account_id TEXT,
  detail TEXT NOT NULL
);
CREATE INDEX audit_account ON audit (account_id, id);

-- What strangers failed at, counted by the hour: one row for each action and account, however often it happened. Behind
-- no account, account_id is ''. The detail is that of the last failure.
CREATE TABLE audit_failures (
  action TEXT NOT NULL,
  account_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (action, account_id, hour)
);
CREATE INDEX audit_failures_age ON audit_failures (hour);

-- What a person allowed an assistant at consent, with what it has spent today: its sends queue for this row, so that
-- calls at the same time can't pass a limit together. Nothing is deleted: a connection that has ended stays in its
-- account's history.
CREATE TABLE connections (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  -- The authorization server's name for it: every token of the assistant carries it.
  grant_id TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect_host TEXT NOT NULL,
  can_send BIGINT NOT NULL CHECK (can_send IN (0, 1)),
  daily_spend BIGINT NOT NULL CHECK (daily_spend >= 0),
  daily_messages BIGINT NOT NULL CHECK (daily_messages >= 0),
  -- Rules between spaces, such as '233241234567 23320*'; NULL is everybody.
  recipients TEXT,
  -- What it does when its person can't be asked to confirm: it acts within its limits, or it doesn't act.
  unasked TEXT NOT NULL DEFAULT 'send' CHECK (unasked IN ('send', 'refuse')),
  -- The day in UTC that is counted, as a number, and what was sent on it.
  day BIGINT NOT NULL DEFAULT 0,
  day_spend BIGINT NOT NULL DEFAULT 0,
  day_messages BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL DEFAULT 0,
  ended_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX connections_account ON connections (account_id, created_at);
CREATE INDEX connections_client ON connections (client_id);

-- Tokens for the REST API that connectors were given in exchange for an assistant's. Only digests are kept.
CREATE TABLE delegated_tokens (
  token_hash TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL REFERENCES connections (id),
  can_send BIGINT NOT NULL CHECK (can_send IN (0, 1)),
  expires_at BIGINT NOT NULL
);
CREATE INDEX delegated_tokens_connection ON delegated_tokens (connection_id);
CREATE INDEX delegated_tokens_age ON delegated_tokens (expires_at);

-- Which connection of an assistant scheduled a message, while it waits: no other connection may cancel it. Messages of
-- programs and people have no row.
CREATE TABLE schedulers (
  message_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  send_at BIGINT NOT NULL
);
CREATE INDEX schedulers_age ON schedulers (send_at);
CREATE INDEX schedulers_of_connection ON schedulers (connection_id);

-- What assistants and programs sent with the tools, a row for each send. What a call asks of it, an index answers.
CREATE TABLE connector_sends (
  id TEXT PRIMARY KEY,
  -- The API client or the connection.
  client_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  digest TEXT NOT NULL,
  key TEXT,
  ticket TEXT,
  attempts BIGINT NOT NULL,
  failures BIGINT NOT NULL
);
CREATE INDEX connector_sends_of_digest ON connector_sends (client_id, digest, at);
CREATE INDEX connector_sends_of_key ON connector_sends (client_id, key, at) WHERE key IS NOT NULL;
CREATE INDEX connector_sends_of_client ON connector_sends (client_id, at);
CREATE INDEX connector_sends_age ON connector_sends (at);

-- What an API client's tools have sent on the last day that they were used. Days are numbered from 1970-01-01.
-- Connections have this in their own row.
CREATE TABLE connector_days (
  client_id TEXT PRIMARY KEY,
  day BIGINT NOT NULL,
  messages BIGINT NOT NULL,
  spent BIGINT NOT NULL
);

-- The authorization server's own records, of every model. The id of what is a secret is its digest.
CREATE TABLE oauth_records (
  model TEXT NOT NULL,
  id TEXT NOT NULL,
  payload TEXT NOT NULL,
  grant_id TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL DEFAULT 0,
  consumed_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (model, id)
);
CREATE INDEX oauth_records_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_records_age ON oauth_records (expires_at);

-- What the authorization server signs with, sealed. The newest is used; older ones still prove what they signed.
CREATE TABLE oauth_keys (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('sign', 'cookie')),
  sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- Connectors that run apart from a gateway: each serves one resource, and may exchange tokens made for it.
CREATE TABLE connectors (
  id TEXT PRIMARY KEY,
  resource TEXT NOT NULL UNIQUE,
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- People who are signed in to the portal. Only digests of their tokens are kept.
CREATE TABLE portal_sessions (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX portal_sessions_account ON portal_sessions (account_id);
CREATE INDEX portal_sessions_age ON portal_sessions (expires_at);

-- Attempts to sign in, for as long as a lock counts them. The e-mail address is a digest: people type passwords there.
CREATE TABLE sign_in_attempts (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  email_hash TEXT NOT NULL,
  address TEXT NOT NULL,
  failed BIGINT NOT NULL CHECK (failed IN (0, 1))
);
CREATE INDEX sign_in_attempts_email ON sign_in_attempts (email_hash, at);
CREATE INDEX sign_in_attempts_address ON sign_in_attempts (address, at);
CREATE INDEX sign_in_attempts_age ON sign_in_attempts (at);

-- The people who run the gateway. Of those who have not ended (0), each has a name of their own; who ended keeps theirs,
-- since the audit log says it.
CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('look', 'act')),
  created_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX operators_name ON operators (name) WHERE ended_at = 0;

-- Operators who are signed in to their desk. Only digests of their tokens are kept.
CREATE TABLE operator_sessions (
  token_hash TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL REFERENCES operators (id),
  created_at BIGINT NOT NULL,
  -- When a page was last asked for, to the minute.
  used_at BIGINT NOT NULL,
  -- When the person last showed a passkey or a code.
  proven_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id);
CREATE INDEX operator_sessions_age ON operator_sessions (expires_at);

-- How people show who they are. The owner is a person of one kind.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  owner_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX passkeys_owner ON passkeys (owner_kind, owner_id);

-- What makes six digits every half minute. No step counts twice.
CREATE TABLE code_generators (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  owner_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  last_step BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (owner_kind, owner_id)
);

-- Ten a person, each good once. Only digests are kept.
CREATE TABLE recovery_codes (
  code_hash TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  owner_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX recovery_codes_owner ON recovery_codes (owner_kind, owner_id);

-- Links that let a person in once, to register what they sign in with. Only digests are kept.
CREATE TABLE one_time_links (
  secret_hash TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  owner_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX one_time_links_owner ON one_time_links (owner_kind, owner_id);
CREATE INDEX one_time_links_age ON one_time_links (expires_at);

-- What a passkey is asked to sign. Each is good once, for what it was made for. The owner is empty while nobody knows
-- who signs in.
CREATE TABLE challenges (
  challenge_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('register', 'sign-in', 'prove')),
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  owner_id TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX challenges_age ON challenges (expires_at);

-- Wrong codes, for as long as they count. The name is a digest, and need not be anybody's.
CREATE TABLE wrong_codes (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator')),
  name_hash TEXT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX wrong_codes_name ON wrong_codes (owner_kind, name_hash, at);
CREATE INDEX wrong_codes_age ON wrong_codes (at);
