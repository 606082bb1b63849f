-- The carriers' references to the parts of messages under way. A row without a message is a receipt that came before
-- its reference.
CREATE TABLE carrier_refs (
  carrier TEXT NOT NULL,
  ref TEXT NOT NULL,
  message_id TEXT,
  part BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  verdict TEXT CHECK (verdict IN ('success', 'undelivered', 'expired', 'rejected', 'failed')),
  reason TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (carrier, ref)
);
CREATE INDEX carrier_refs_of_long ON carrier_refs (message_id) WHERE parts > 1;
CREATE INDEX carrier_refs_early ON carrier_refs (carrier, at) WHERE message_id IS NULL;
