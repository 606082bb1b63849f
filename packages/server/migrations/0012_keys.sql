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

INSERT INTO keys (id, account_id, kind, owner_id, stored, created_at)
  SELECT id, account_id, 'client', id, secret_hash, created_at FROM clients;
INSERT INTO keys (id, account_id, kind, owner_id, stored, created_at)
  SELECT id, account_id, 'wallet', id, token_hash, created_at FROM wallets;
INSERT INTO keys (id, account_id, kind, owner_id, stored, created_at)
  SELECT id, id, 'callback', id, callback_secret,
    CASE WHEN callback_secret_rotated_at > 0 THEN callback_secret_rotated_at ELSE created_at END FROM accounts;
INSERT INTO keys (id, account_id, kind, owner_id, stored, created_at, ends_at)
  SELECT id || '-before', id, 'callback', id, callback_secret_previous, created_at,
    callback_secret_rotated_at + 86400000 FROM accounts WHERE callback_secret_previous IS NOT NULL;

ALTER TABLE clients DROP COLUMN secret_hash;
ALTER TABLE accounts DROP COLUMN callback_secret;
ALTER TABLE accounts DROP COLUMN callback_secret_previous;
ALTER TABLE accounts DROP COLUMN callback_secret_rotated_at;
