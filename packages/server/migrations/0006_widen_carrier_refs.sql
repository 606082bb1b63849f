-- The reference in small letters and without zeros before it, where that is not how its carrier wrote it.
ALTER TABLE carrier_refs ADD COLUMN folded TEXT;
-- Of a receipt without a message: the number that its message went to.
ALTER TABLE carrier_refs ADD COLUMN recipient TEXT;
-- Of a receipt without a message: until when an operator may say which uncertain message it belongs to.
ALTER TABLE carrier_refs ADD COLUMN keep_until BIGINT;
