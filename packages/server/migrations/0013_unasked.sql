-- What an assistant does when its person can't be asked to confirm: it acts within its limits, or it doesn't act.
ALTER TABLE connections ADD COLUMN unasked TEXT NOT NULL DEFAULT 'send' CHECK (unasked IN ('send', 'refuse'));
