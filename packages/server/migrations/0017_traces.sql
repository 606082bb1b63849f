-- The span of the request that sent a message, while traces are on: what another process does for the message later is
-- shown beneath it. The header of W3C Trace Context as text.
CREATE TABLE traces (
  message_id TEXT PRIMARY KEY,
  parent TEXT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX traces_age ON traces (ends_at);
