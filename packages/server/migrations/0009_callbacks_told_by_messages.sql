-- What a callback says is in its message, which is final and changes no more.
ALTER TABLE callbacks DROP COLUMN payload;
