-- How many times in a row the handling of a job failed unexpectedly. Such a job is tried by itself, less and less often.
ALTER TABLE outbox ADD COLUMN faults BIGINT NOT NULL DEFAULT 0;
CREATE INDEX outbox_faults ON outbox (kind) WHERE faults > 0;
