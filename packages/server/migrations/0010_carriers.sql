-- A job belongs to a lane of its kind: a message's job to the lane of its carrier. Until now there was one carrier.
ALTER TABLE outbox ADD COLUMN lane TEXT NOT NULL DEFAULT '';
UPDATE outbox SET lane = 'simulator' WHERE kind = 'await';
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (kind, lane, run_at);

-- What carriers were owed for the parts that they took, as told by the costs of the routes.
CREATE TABLE carrier_totals (
  carrier TEXT NOT NULL,
  hour BIGINT NOT NULL,
  country TEXT NOT NULL,
  network TEXT NOT NULL,
  parts BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  PRIMARY KEY (carrier, hour, country, network)
);

-- The carriers that an operator has paused.
CREATE TABLE carrier_pauses (
  carrier TEXT PRIMARY KEY,
  at BIGINT NOT NULL
);

-- What each running process last said about its carriers.
CREATE TABLE carrier_reports (
  process TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  report TEXT NOT NULL
);
