-- Tokens of wallets are keys now.
ALTER TABLE wallets DROP COLUMN token_hash;
