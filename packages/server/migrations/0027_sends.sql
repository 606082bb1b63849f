-- What assistants and programs sent with the tools, a row for each send. What a call asks of it, an index answers.
CREATE TABLE connector_sends (
  id TEXT PRIMARY KEY,
  -- The API client or the connection.
  client_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- The day on which it counts. Days are numbered from 1970-01-01.
  day BIGINT NOT NULL,
  digest TEXT NOT NULL,
  key TEXT,
  cost BIGINT,
  ticket TEXT,
  attempts BIGINT NOT NULL,
  failures BIGINT NOT NULL
);
CREATE INDEX connector_sends_of_digest ON connector_sends (client_id, digest, at);
CREATE INDEX connector_sends_of_key ON connector_sends (client_id, key, at) WHERE key IS NOT NULL;
CREATE INDEX connector_sends_of_client ON connector_sends (client_id, at);
CREATE INDEX connector_sends_age ON connector_sends (at);

-- What an API client's tools have sent on the last day that they were used. Connections have this in their own row.
CREATE TABLE connector_days (
  client_id TEXT PRIMARY KEY,
  day BIGINT NOT NULL,
  messages BIGINT NOT NULL,
  spent BIGINT NOT NULL,
  -- How many of them have a price that is not known.
  unpriced BIGINT NOT NULL
);
