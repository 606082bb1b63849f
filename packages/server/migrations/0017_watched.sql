-- What metrics count often and seldom find: messages whose carrier never said whether it took them, and callbacks that
-- were given up. The columns that are the same in every row make SQLite's planner prefer the index.
CREATE INDEX outbox_unanswered ON outbox (kind, submitted_at, lane) WHERE kind = 'await' AND submitted_at = 0;
CREATE INDEX callbacks_dead ON callbacks (state) WHERE state = 'dead';
