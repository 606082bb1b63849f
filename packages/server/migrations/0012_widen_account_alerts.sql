-- What an account asked to be told of: of an amount where the kind has one, in millionths.
CREATE TABLE alert_choices (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('wallet', 'spend', 'receiver', 'address')),
  amount BIGINT,
  PRIMARY KEY (account_id, kind)
);

-- What an account was told, for as long as it is there and for a while after: since when, and since when it is over.
CREATE TABLE account_alerts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  told_at BIGINT,
  gone_at BIGINT,
  over_at BIGINT
);
CREATE UNIQUE INDEX account_alerts_there ON account_alerts (account_id, key) WHERE over_at IS NULL;
CREATE INDEX account_alerts_account ON account_alerts (account_id, over_at);
CREATE INDEX account_alerts_over ON account_alerts (over_at);

-- From which addresses a key was used, at most so many of each.
CREATE TABLE key_addresses (
  key_id TEXT NOT NULL,
  address TEXT NOT NULL,
  account_id TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- 1 for one that is new, until the account was told.
  untold BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, address)
);
CREATE INDEX key_addresses_account ON key_addresses (account_id);
CREATE INDEX key_addresses_untold ON key_addresses (key_id, address) WHERE untold = 1;

-- Whether a person is told by mail, and since when their address is known to be theirs.
ALTER TABLE memberships ADD COLUMN alerts_by_mail BIGINT NOT NULL DEFAULT 0;
ALTER TABLE people ADD COLUMN mail_asked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE people ADD COLUMN mail_proven_at BIGINT NOT NULL DEFAULT 0;
