-- Final messages by the reference of their client. Their sender and status are in it as their key, so that a filter by
-- these reads none of the rows that it leaves out.
CREATE INDEX messages_by_reference ON messages (wallet_id, reference, created_at, sender_key)
  WHERE sender_key IS NOT NULL AND reference <> '';
