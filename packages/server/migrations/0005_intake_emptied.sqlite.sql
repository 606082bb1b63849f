-- What an earlier version had accepted and not moved to its tables yet moves there now. A row of the intake names its
-- columns in this order: id, sender, recipient, content, reference, callbackUrl, encoding, segments, country, network,
-- price, createdAt. Only messages to be sent at once were ever in it.
INSERT INTO messages (id, account_id, wallet_id, sender, recipient, content, reference, callback_url, status, encoding,
    segments, country, network, price, balance_before, balance_after, created_at, effected_at)
  SELECT m.value ->> 0, i.messages ->> '$.common.accountId', i.wallet_id, m.value ->> 1, m.value ->> 2, m.value ->> 3,
    m.value ->> 4, m.value ->> 5, 'pending', m.value ->> 6, m.value ->> 7, m.value ->> 8, m.value ->> 9, m.value ->> 10,
    i.messages ->> '$.common.balanceBefore', i.messages ->> '$.common.balanceAfter', m.value ->> 11, m.value ->> 11
  FROM intake i, json_each(i.messages, '$.rows') m ORDER BY i.seq, m.key;
INSERT INTO outbox (id, kind, run_at, expires_at)
  SELECT m.value ->> 0, 'dispatch', m.value ->> 11, (m.value ->> 11) + (i.messages ->> '$.validityMs')
  FROM intake i, json_each(i.messages, '$.rows') m;
INSERT INTO hourly_totals (wallet_id, hour, country, network, sent, delivered, failed, spend)
  SELECT i.wallet_id, (m.value ->> 11) - (m.value ->> 11) % 3600000, m.value ->> 8, coalesce(m.value ->> 9, ''),
    count(*), 0, 0, 0
  FROM intake i, json_each(i.messages, '$.rows') m WHERE true GROUP BY 1, 2, 3, 4
  ON CONFLICT (wallet_id, hour, country, network) DO UPDATE SET sent = hourly_totals.sent + excluded.sent;
