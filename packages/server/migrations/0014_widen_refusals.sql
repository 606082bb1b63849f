-- Requests to the API that were refused, by hour and code. `latest` is the newest of them, a line of JSON each.
CREATE TABLE refusals (
  account_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  code TEXT NOT NULL,
  refused BIGINT NOT NULL,
  latest TEXT NOT NULL,
  PRIMARY KEY (account_id, hour, code)
);
CREATE INDEX refusals_hour ON refusals (hour);
