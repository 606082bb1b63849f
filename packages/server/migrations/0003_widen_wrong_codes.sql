-- Where a wrong code came from: guesses are limited by network, too. Empty where that does not count.
ALTER TABLE wrong_codes ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX wrong_codes_network ON wrong_codes (owner_kind, network, at);
