-- Receivers that fail are looked for often, and few callbacks are tried so often before they are taken. The columns that are the
-- same in every row make SQLite's planner prefer it.
CREATE INDEX outbox_tried ON outbox (kind, lane, owner, id) WHERE kind = 'callback' AND lane = '' AND attempts >= 3;
