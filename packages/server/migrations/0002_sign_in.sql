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
