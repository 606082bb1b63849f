-- How often a callback was posted again by hand, and on which day in UTC that was last; days are numbered from 1970-01-01.
ALTER TABLE callbacks ADD COLUMN replay_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE callbacks ADD COLUMN replays BIGINT NOT NULL DEFAULT 0;
