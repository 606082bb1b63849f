// Generated from openapi.yaml by `npm run generate`. Do not edit.

/**
 * Every operation's method, path, whether it takes an idempotency key, the fields that decide in its answer, and any
 * extra headers.
 */
export const places = {
  sendSms: ['POST', '/v1/messages/sms', true, { Ticket: 's', Status: 's' }],
  sendBulkSms: ['POST', '/v1/messages/sms/bulk/otm', true, [{ Ticket: 's', Status: 's' }]],
  getTransactionStatus: ['GET', '/v1/transactions/{ticket}/status', false, { Status: 's' }, { 'X-Wallet': null }],
  getBalance: ['GET', '/v1/account/balance', false, { balance: 0 }, { 'Content-Type': 'application/json' }],
  listLedger: ['GET', '/v1/account/ledger', false, { Items: [{}] }],
  searchMessages: ['GET', '/v1/messages', false, { Items: [{ MessageId: 's', Status: 's' }] }],
  getMessage: ['GET', '/v1/messages/{id}', false, { Status: 's' }],
  estimateCost: ['POST', '/v1/messages/sms/estimate', false, { Cost: 0 }],
  listScheduledSms: ['GET', '/v1/messages/sms/scheduled', false, { Items: [{ Ticket: 's', Status: 's' }] }],
  scheduleSms: ['POST', '/v1/messages/sms/scheduled', true, { Ticket: 's', Status: 's' }],
  cancelScheduledSms: ['DELETE', '/v1/messages/sms/scheduled/{ticket}', false, { Status: 's' }],
  listSenderIds: ['GET', '/v1/account/sender-ids', false, { Items: [{}] }],
  requestSenderId: ['POST', '/v1/account/sender-ids', false, { SenderId: 's' }],
  listKeys: ['GET', '/v1/account/keys', false, { Items: [{}] }],
  rotateKey: ['POST', '/v1/account/keys/{id}/rotate', false, { Secret: 's' }],
  getRates: ['GET', '/v1/rates/{country}', false, { Networks: [{}] }],
  deliveryInsights: ['GET', '/v1/insights/delivery', false, { Totals: {} }],
  listCallbacks: ['GET', '/v1/callbacks', false, { Items: [{ Id: 's' }] }],
  replayCallback: ['POST', '/v1/callbacks/{id}/replay', false, { Id: 's' }],
  replayFailedCallbacks: ['POST', '/v1/callbacks/replay', false, { Replayed: 0 }],
} as const
