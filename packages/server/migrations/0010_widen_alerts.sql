-- What is wrong now, as the gateways last saw it: since when, whether it was told, and since when it is gone.
CREATE TABLE alerts (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('warn', 'fail')),
  text TEXT NOT NULL,
  -- Whom it is about, if that is a customer.
  account_id TEXT,
  seen_at BIGINT NOT NULL,
  told_at BIGINT,
  gone_at BIGINT
);

-- What the operator's webhook is still to be told of it: each has a job in the outbox, and goes with it.
CREATE TABLE alert_events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('alert.raised', 'alert.over')),
  key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('warn', 'fail')),
  text TEXT NOT NULL,
  account_id TEXT,
  seen_at BIGINT NOT NULL,
  gone_at BIGINT,
  created_at BIGINT NOT NULL
);

-- Mails that are still to be sent: each has a job in the outbox, and goes with it.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  account_id TEXT,
  created_at BIGINT NOT NULL
);
