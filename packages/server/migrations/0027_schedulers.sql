-- Which connection of an assistant scheduled a message, while it waits: no other connection may cancel it. Messages of
-- programs and people have no row.
CREATE TABLE schedulers (
  message_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  send_at BIGINT NOT NULL
);
CREATE INDEX schedulers_age ON schedulers (send_at);
CREATE INDEX schedulers_of_connection ON schedulers (connection_id);
