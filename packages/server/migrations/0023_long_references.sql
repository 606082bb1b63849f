-- What tells the parts of a long message from those of others to the same phone. Given when the message is first handed
-- over to a carrier, and the same each time that it is submitted, by any gateway.
ALTER TABLE outbox ADD COLUMN long_ref BIGINT;
