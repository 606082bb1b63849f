-- Price lists that were in force before: what an import replaced. The newest are kept.
CREATE TABLE rate_lists (
  number BIGINT PRIMARY KEY,
  -- When it came into force; 0 where that is not known.
  since BIGINT NOT NULL,
  replaced_at BIGINT NOT NULL,
  -- As the audit log says it.
  replaced_by TEXT NOT NULL,
  sample BIGINT NOT NULL CHECK (sample IN (0, 1)),
  prices BIGINT NOT NULL,
  -- Its prices, as JSON.
  list TEXT NOT NULL
);
