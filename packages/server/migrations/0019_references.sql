-- What operators call the entries that they make, so that one made twice by mistake is made once.
CREATE TABLE ledger_references (
  wallet_id TEXT NOT NULL REFERENCES wallets (id),
  reference TEXT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (wallet_id, reference)
);
