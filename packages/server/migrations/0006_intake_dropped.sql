-- A message has one home, the table of messages, from the instant it is accepted.
DROP TABLE intake;
