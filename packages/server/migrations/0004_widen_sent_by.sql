-- Who sent a message: `client:`, `person:`, `connection:` or `tools:`, and an id.
ALTER TABLE messages ADD COLUMN sent_by TEXT;
