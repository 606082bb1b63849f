-- People: an account has several, each with a role and with ways to sign in of their own.

-- An address signs in to every account that it is a member of.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  created_at BIGINT NOT NULL
);

-- Who left keeps the row: the audit log names them.
CREATE TABLE memberships (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'sender', 'developer', 'viewer')),
  created_at BIGINT NOT NULL,
  -- Who let them in: a person or an operator, as the audit log says it.
  created_by TEXT NOT NULL,
  ended_at BIGINT NOT NULL DEFAULT 0,
  -- What all their assistants may spend and send in a day, if an owner set it.
  assistants_spend BIGINT,
  assistants_messages BIGINT,
  PRIMARY KEY (account_id, person_id)
);
CREATE INDEX memberships_person ON memberships (person_id);

-- Until now an account was one address with one password: its owner. An erased account has nobody.
INSERT INTO people (id, email, password_hash, created_at)
  SELECT id, email, password_hash, created_at FROM accounts WHERE email <> 'erased:' || id;
INSERT INTO memberships (account_id, person_id, role, created_at, created_by)
  SELECT id, id, 'owner', created_at, 'gateway' FROM people;
ALTER TABLE accounts DROP COLUMN password_hash;

-- Who asks for a second factor of everybody: nobody, the owner or the operator.
ALTER TABLE accounts ADD COLUMN second_factor TEXT NOT NULL DEFAULT 'optional'
  CHECK (second_factor IN ('optional', 'owner', 'operator'));
-- What all assistants of an account may spend and send in a day, if an owner set it.
ALTER TABLE accounts ADD COLUMN assistants_spend BIGINT;
ALTER TABLE accounts ADD COLUMN assistants_messages BIGINT;

-- An assistant acts as who let it in.
ALTER TABLE connections ADD COLUMN person_id TEXT NOT NULL DEFAULT '';
UPDATE connections SET person_id = account_id;
CREATE INDEX connections_person ON connections (person_id);

-- Links by which somebody becomes one of an account's people. Only digests are kept.
CREATE TABLE invitations (
  secret_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'sender', 'developer', 'viewer')),
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE (account_id, email)
);
CREATE INDEX invitations_age ON invitations (expires_at);

-- What the operator's webhook is told of how people sign in. Posted like the events of wallets, and then deleted.
CREATE TABLE person_events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('person.factor_added', 'person.recovery_code_used')),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  person_id TEXT NOT NULL,
  factor TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- A session is of a person, and has one account open.
CREATE TABLE portal_sessions_before AS SELECT * FROM portal_sessions;
DROP TABLE portal_sessions;
CREATE TABLE portal_sessions (
  token_hash TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- Whether the person is in, or what is still asked of them: to show a second factor, or to get one.
  state TEXT NOT NULL CHECK (state IN ('in', 'show', 'get')),
  -- What they signed in with, from where, and in which browser.
  proof TEXT NOT NULL CHECK (proof IN ('password', 'passkey', 'code', 'recovery code', 'link', 'sandbox')),
  address TEXT NOT NULL,
  browser TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- When a page was last asked for, to the minute.
  used_at BIGINT NOT NULL,
  -- When the person last showed who they are.
  proven_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX portal_sessions_person ON portal_sessions (person_id);
CREATE INDEX portal_sessions_account ON portal_sessions (account_id);
CREATE INDEX portal_sessions_age ON portal_sessions (expires_at);
INSERT INTO portal_sessions (token_hash, person_id, account_id, state, proof, address, browser, created_at, used_at, proven_at, expires_at)
  SELECT token_hash, account_id, account_id, 'in', 'password', '', '', created_at, created_at, created_at, expires_at
  FROM portal_sessions_before;
DROP TABLE portal_sessions_before;

-- What proves who somebody is can be of a person too. A passkey of theirs has a name.
CREATE TABLE passkeys_before AS SELECT * FROM passkeys;
DROP TABLE passkeys;
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  public_key TEXT NOT NULL,
  counter BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX passkeys_owner ON passkeys (owner_kind, owner_id);
INSERT INTO passkeys (id, owner_kind, owner_id, public_key, counter, created_at, used_at) SELECT id, owner_kind, owner_id, public_key, counter, created_at, used_at FROM passkeys_before;
DROP TABLE passkeys_before;
CREATE TABLE code_generators_before AS SELECT * FROM code_generators;
DROP TABLE code_generators;
CREATE TABLE code_generators (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  owner_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  last_step BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (owner_kind, owner_id)
);
INSERT INTO code_generators (id, owner_kind, owner_id, sealed, last_step, created_at) SELECT id, owner_kind, owner_id, sealed, last_step, created_at FROM code_generators_before;
DROP TABLE code_generators_before;
CREATE TABLE recovery_codes_before AS SELECT * FROM recovery_codes;
DROP TABLE recovery_codes;
CREATE TABLE recovery_codes (
  code_hash TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  owner_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX recovery_codes_owner ON recovery_codes (owner_kind, owner_id);
INSERT INTO recovery_codes (code_hash, owner_kind, owner_id, created_at, used_at) SELECT code_hash, owner_kind, owner_id, created_at, used_at FROM recovery_codes_before;
DROP TABLE recovery_codes_before;
CREATE TABLE one_time_links_before AS SELECT * FROM one_time_links;
DROP TABLE one_time_links;
CREATE TABLE one_time_links (
  secret_hash TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  owner_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX one_time_links_owner ON one_time_links (owner_kind, owner_id);
CREATE INDEX one_time_links_age ON one_time_links (expires_at);
INSERT INTO one_time_links (secret_hash, owner_kind, owner_id, created_at, expires_at) SELECT secret_hash, owner_kind, owner_id, created_at, expires_at FROM one_time_links_before;
DROP TABLE one_time_links_before;
CREATE TABLE challenges_before AS SELECT * FROM challenges;
DROP TABLE challenges;
CREATE TABLE challenges (
  challenge_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('register', 'sign-in', 'prove')),
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  owner_id TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX challenges_age ON challenges (expires_at);
INSERT INTO challenges (challenge_hash, purpose, owner_kind, owner_id, expires_at) SELECT challenge_hash, purpose, owner_kind, owner_id, expires_at FROM challenges_before;
DROP TABLE challenges_before;
CREATE TABLE wrong_codes_before AS SELECT * FROM wrong_codes;
DROP TABLE wrong_codes;
CREATE TABLE wrong_codes (
  id TEXT PRIMARY KEY,
  owner_kind TEXT NOT NULL CHECK (owner_kind IN ('operator', 'person')),
  name_hash TEXT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX wrong_codes_name ON wrong_codes (owner_kind, name_hash, at);
CREATE INDEX wrong_codes_age ON wrong_codes (at);
INSERT INTO wrong_codes (id, owner_kind, name_hash, at) SELECT id, owner_kind, name_hash, at FROM wrong_codes_before;
DROP TABLE wrong_codes_before;
