INSERT INTO connector_sends (id, client_id, at, day, digest, key, cost, ticket, attempts, failures)
  SELECT id, client_id, min(at), min(at) / 86400000, max(digest), max(key), max(cost), max(ticket),
    sum(attempts), sum(failures)
  FROM (
    SELECT entry ->> 'id' AS id, client_id, at, entry ->> 'digest' AS digest,
      entry ->> 'key' AS key, CAST(entry ->> 'cost' AS BIGINT) AS cost,
      entry ->> 'ticket' AS ticket,
      CASE WHEN entry ->> 'kind' = 'attempt' THEN 1 ELSE 0 END AS attempts,
      CASE WHEN entry ->> 'outcome' = 'failed' THEN 1 ELSE 0 END AS failures
    FROM connector_journal) AS entries
  GROUP BY id, client_id
  HAVING sum(attempts) > sum(failures);
INSERT INTO connector_days (client_id, day, messages, spent, unpriced)
  SELECT client_id, day, count(*), coalesce(sum(cost), 0), count(*) - count(cost) FROM connector_sends AS sent
  WHERE client_id IN (SELECT id FROM clients)
    AND day = (SELECT max(day) FROM connector_sends AS own WHERE own.client_id = sent.client_id)
  GROUP BY client_id, day;
DROP TABLE connector_journal;
