-- What strangers failed at, counted by the hour: one row for each action and account, however often it happened. Behind
-- no account, account_id is ''. The detail is that of the last failure.
CREATE TABLE audit_failures (
  action TEXT NOT NULL,
  account_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (action, account_id, hour)
);
CREATE INDEX audit_failures_age ON audit_failures (hour);
INSERT INTO audit_failures (action, account_id, hour, failures, last_at, detail)
  SELECT action, coalesce(account_id, ''), at - at % 3600000, count(*), max(at), max(detail) FROM audit
  WHERE action IN ('portal.sign-in-failed', 'portal.locked') GROUP BY 1, 2, 3;
DELETE FROM audit WHERE action IN ('portal.sign-in-failed', 'portal.locked');
