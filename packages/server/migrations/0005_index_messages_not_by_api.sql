-- What people and assistants sent. Most messages come from API clients, and don't pay for it.
CREATE INDEX messages_not_by_api ON messages (wallet_id, created_at) WHERE substr(sent_by, 1, 7) <> 'client:';
