-- A bookkeeper sees counts and money, and no text and no whole number. The version before takes one as a viewer.
ALTER TABLE memberships ADD COLUMN sees TEXT NOT NULL DEFAULT 'everything' CHECK (sees IN ('everything', 'money'));
ALTER TABLE invitations ADD COLUMN sees TEXT NOT NULL DEFAULT 'everything' CHECK (sees IN ('everything', 'money'));
-- The country of numbers that people write without a country code; empty where they may not.
ALTER TABLE accounts ADD COLUMN country TEXT NOT NULL DEFAULT '';
