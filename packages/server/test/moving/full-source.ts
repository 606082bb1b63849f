import { readFileSync, writeFileSync } from 'node:fs'
import { micros } from '@wigwag/contract'
import { type EpochMs, type Ticket, TicketMaker } from '../../src/kernel/ids.ts'
import type { NewMessage } from '../../src/messages/messages.ts'
import { storeAccepted } from '../../src/messages/sending/decide.ts'
import { holdAmounts } from '../../src/money/wallets.ts'
import type { Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { SCHEDULED } from '../isolation/scheduling.ts'
import { accepted } from '../support/accepted.ts'
import { aPlace, type Bench, openBench, type Posted } from '../support/bench.ts'
import { unfinished } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { MESSAGE } from '../support/harness.ts'

const AN_HOUR = 3_600_000
export const PENDING_URL = 'https://pending.example/'
const DEAD_URL = 'https://dead.example/'
export const SENT_WITH_KEY = {
  ...MESSAGE,
  Reference: 'order "1" \\ {a,b}',
  Content: `it's, "so" {NULL} \\ € 😀`,
}
export const BULK = '/v1/messages/sms/bulk/otm'
export const SINGLE = '/v1/messages/sms'

/** A stopped gateway's file with rows in every table, and what its clients had been told. */
export interface FullSource {
  url: string
  path: string
  secret: string
  demo: Bench['demo']
  /** The time at which it stopped. */
  stoppedAt: EpochMs
  /** The message that waits to be sent, the one that was being sent, and the one for later. */
  waiting: { plain: Ticket; leased: Ticket; scheduled: Ticket }
  /** Answers by the key of their request. */
  replies: ReadonlyMap<string, string>
  /** The pages of its history, by address. */
  read: ReadonlyMap<string, string>
}

let made: Promise<{ source: FullSource; files: [end: string, bytes: Buffer][] }> | undefined

/** The file at a place of its own: a move changes it. It is made once. */
export async function fullSource(): Promise<FullSource> {
  made ??= makeSource()
  const { source, files } = await made
  const url = await aPlace('an SQLite file')
  const path = url.slice('file:'.length)
  for (const [end, bytes] of files) writeFileSync(path + end, bytes)
  return { ...source, url, path }
}

/** Makes the file with a gateway that does everything, and adds by hand what a gateway does only with others. */
async function makeSource() {
  const url = await aPlace('an SQLite file')
  const bench = await openBench({ database: url, answer: answerAt })
  const replies = new Map<string, string>()
  const send = async (path: string, key: string, body: object) => {
    const text = await (await bench.call('POST', path, { 'idempotency-key': key }, body)).text()
    replies.set(key, text)
    return JSON.parse(text) as { Ticket: Ticket }
  }
  const first = await send(SINGLE, 'first', SENT_WITH_KEY)
  await send(BULK, 'bulk', { From: 'WIGWAG', Content: 'Bulk', Recipients: ENDINGS.map((To) => ({ To })) })
  await send(SINGLE, 'dead', { ...MESSAGE, CallbackUrl: DEAD_URL })
  await bench.until('the carrier has taken all', async () => (await unfinished(bench.database)) === 1, 60_000)
  const SendAt = new Date(bench.now() + AN_HOUR).toISOString()
  const { Ticket: scheduled } = await send(SCHEDULED, 'later', { ...MESSAGE, SendAt })
  await send(SINGLE, 'pending', { ...MESSAGE, CallbackUrl: PENDING_URL })
  await bench.advance(2_000)
  await bench.carriers.pause('another')
  const addresses = [
    '/v1/account/balance',
    '/v1/account/ledger',
    '/v1/messages',
    `/v1/messages/${first.Ticket}`,
  ]
  addresses.push('/v1/messages?To=233241234567', '/v1/messages?From=WIGWAG&Status=undelivered')
  addresses.push(`/v1/messages?Reference=${encodeURIComponent(SENT_WITH_KEY.Reference)}`)
  addresses.push('/v1/callbacks', '/v1/account/keys', `/v1/transactions/${first.Ticket}/status`)
  const read = await readAll(bench, addresses)
  const stoppedAt = bench.now()
  await bench.stop()

  const path = url.slice('file:'.length)
  const database = open(url)
  const waiting = await database.write((tx) => addByHand(tx, stoppedAt))
  await database.close()
  const secret = readFileSync(`${path}.secret`, 'utf8').trim()
  const { demo } = bench
  const files = ['', '.gateway', '.secret'].map((end): [string, Buffer] => [end, readFileSync(path + end)])
  const source = { url, path, secret, demo, stoppedAt, waiting: { ...waiting, scheduled }, replies, read }
  return { source, files }
}

/** A gateway's answers, by address. */
export async function readAll({ call }: Bench, addresses: Iterable<string>): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  for (const address of addresses) {
    const response = await call('GET', address)
    if (response.status !== 200) throw new Error(`${address}: ${await response.text()}`)
    read.set(address, await response.text())
  }
  return read
}

/** Numbers for every outcome of the simulator: delivered, undelivered, expired, rejected, failed, pending, received twice. */
const ENDINGS = ['7', '1', '2', '3', '4', '5', '6'].map((digit) => `23324120000${digit}`)

/** A receiver that is gone, and one that is there only after the move. */
function answerAt({ url }: Posted): Response {
  return new Response(null, { status: url === DEAD_URL ? 410 : 503 })
}

/** Adds the rows of assistants, sign-ins, carriers over SMPP, and a gateway that was killed. */
async function addByHand(tx: Tx, now: EpochMs) {
  const [wallet] = await tx.run<{ id: string; accountId: string }>(
    'SELECT id, account_id AS "accountId" FROM wallets',
    [],
  )
  if (!wallet) throw new Error('the demo account has a wallet')
  const { id: walletId, accountId } = wallet
  const newId = new TicketMaker((size) => new Uint8Array(size).fill(9)).make
  const unsent = async (leaseMs?: number) => {
    const message: NewMessage = accepted(walletId, {
      id: newId(now),
      accountId,
      createdAt: now,
      effectedAt: now,
    })
    await holdAmounts(tx, walletId, [message.price])
    const departure = { laneOf: () => 'simulator', leaseMs: () => leaseMs }
    await storeAccepted(tx, [message], { validityMs: 48 * AN_HOUR, departure })
    return message.id
  }
  const { t } = tx
  await tx.run(
    `INSERT INTO connections (id, account_id, wallet_id, grant_id, client_id, client_name, redirect_host, can_send,
       daily_spend, daily_messages, recipients, created_at, person_id) VALUES ('g', $1, $2, 'grant', $3, $4, 'a.example', 1, 5, 6, $5, $6, $7)`,
    [accountId, walletId, 'assistant', 'An "assistant" \\ {x}', '23324*', now, 'p'],
  )
  await insertRows(tx, t.delegatedTokens, [{ tokenHash: 'd', connectionId: 'g', canSend: 1, expiresAt: now }])
  const record = { model: 'Session', payload: '{"a":"\\"b\\", {NULL}"}', grantId: null, createdAt: now }
  await insertRows(tx, t.oauthRecords, [
    { ...record, id: 'NULL', expiresAt: 0, consumedAt: 0 },
    { ...record, id: '', expiresAt: 1, consumedAt: Number.MAX_SAFE_INTEGER },
    { ...record, id: 'a\nb\tc', expiresAt: -5, consumedAt: 0 },
  ])
  await insertRows(tx, t.connectors, [
    { id: 'c', resource: 'https://c.example/mcp', secret: 's', createdAt: now },
  ])
  const send = { clientId: 'wc', at: now, digest: 'd', attempts: 1, failures: 0 }
  await insertRows(tx, t.connectorSends, [
    { ...send, id: 's-1', key: null, ticket: null },
    { ...send, id: 's-2', key: 'k "1"', ticket: 't' },
  ])
  await insertRows(tx, t.schedulers, [{ messageId: 'm-1', connectionId: 'g', sendAt: now }])
  await insertRows(tx, t.connectorDays, [{ clientId: 'wc', day: 1, messages: 2, spent: micros(42_000) }])
  const person = { id: 'p', email: 'p@example.com', passwordHash: null, createdAt: now }
  await insertRows(tx, t.people, [{ ...person, mailAskedAt: now, mailProvenAt: now }])
  await insertRows(tx, t.memberships, [
    {
      accountId,
      personId: 'p',
      role: 'viewer',
      createdAt: now,
      createdBy: 'operator:ada',
      endedAt: 0,
      assistantsSpend: micros(5),
      assistantsMessages: null,
      sees: 'money',
      alertsByMail: 1,
    },
  ])
  await insertRows(tx, t.invitations, [
    {
      secretHash: 'i',
      accountId,
      email: 'q@example.com',
      role: 'sender',
      createdAt: now,
      createdBy: 'person:p',
      expiresAt: now,
      sees: 'everything',
    },
  ])
  await insertRows(tx, t.personEvents, [
    {
      id: 'e',
      type: 'person.factor_added',
      accountId,
      personId: 'p',
      factor: 'passkey',
      createdAt: now,
    },
  ])
  await insertRows(tx, t.portalSessions, [
    {
      tokenHash: 'p',
      personId: 'p',
      accountId,
      state: 'in',
      proof: 'passkey',
      address: '::1',
      browser: 'a',
      createdAt: now,
      usedAt: now,
      provenAt: now,
      expiresAt: now,
    },
  ])
  await insertRows(tx, t.signInAttempts, [{ id: 's', at: now, emailHash: 'e', address: '::1', failed: 1 }])
  await insertRows(tx, t.operators, [{ id: 'o', name: 'ada', role: 'act', createdAt: now, endedAt: 0 }])
  await insertRows(tx, t.operatorSessions, [
    { tokenHash: 'o', operatorId: 'o', createdAt: now, usedAt: now, provenAt: now, expiresAt: now },
  ])
  const owner = { ownerKind: 'operator', ownerId: 'o' } as const
  await insertRows(tx, t.passkeys, [
    { ...owner, id: 'k', name: 'n', publicKey: 'p', counter: 1, createdAt: now, usedAt: 0 },
  ])
  await insertRows(tx, t.codeGenerators, [{ ...owner, id: 'g', sealed: 's', lastStep: 2, createdAt: now }])
  await insertRows(tx, t.recoveryCodes, [{ ...owner, codeHash: 'r', createdAt: now, usedAt: 0 }])
  await insertRows(tx, t.oneTimeLinks, [{ ...owner, secretHash: 'l', createdAt: now, expiresAt: now }])
  await insertRows(tx, t.challenges, [{ ...owner, challengeHash: 'c', purpose: 'prove', expiresAt: now }])
  await insertRows(tx, t.wrongCodes, [
    { id: 'w', ownerKind: 'operator', nameHash: 'n', at: now, network: '::1' },
  ])
  const failures = { action: 'portal.sign-in-failed', accountId: '', hour: 0, failures: 2, lastAt: now }
  await insertRows(tx, t.auditFailures, [{ ...failures, detail: '{}' }])
  await insertRows(tx, t.refusals, [
    { accountId, hour: 0, code: 'insufficient_funds', refused: 2, latest: '{}\n' },
  ])
  const ref = {
    carrier: 'north',
    messageId: null,
    part: 1,
    parts: 1,
    verdict: 'success',
    reason: null,
    at: now,
  }
  await insertRows(tx, t.carrierRefs, [{ ...ref, ref: 'r-1' }])
  await insertRows(tx, t.ledgerReferences, [{ walletId, reference: 'invoice-1', seq: 1 }])
  await insertRows(tx, t.walletWarnings, [{ walletId, threshold: micros(5_000_000), lowSince: now }])
  await insertRows(tx, t.lowWalletEvents, [
    { id: 'low-1', walletId, available: micros(4_000_000), threshold: micros(5_000_000), createdAt: now },
  ])
  await insertRows(tx, t.rateLists, [
    { number: 1, since: 1, replacedAt: now, replacedBy: 'operator:ada', sample: 0, prices: 0, list: '[]' },
  ])
  const alert = { key: 'disk', state: 'fail', text: 'Disk: full.', accountId, seenAt: now } as const
  const told = { key: `wallet:${walletId}`, text: 'The wallet is low.', seenAt: now }
  await insertRows(tx, t.alerts, [{ ...alert, toldAt: now, goneAt: null }])
  await insertRows(tx, t.alertChoices, [{ accountId, kind: 'wallet', amount: micros(5_000_000) }])
  await insertRows(tx, t.accountAlerts, [
    { ...told, id: 'account-alert-1', accountId, toldAt: now, goneAt: null, overAt: null },
  ])
  await insertRows(tx, t.keyAddresses, [
    { keyId: 'key-1', address: '2001:db8:1:2::/64', accountId, usedAt: now, untold: 1 },
  ])
  await insertRows(tx, t.alertEvents, [
    { ...alert, id: 'alert-1', type: 'alert.over', goneAt: now, createdAt: now },
  ])
  await insertRows(tx, t.mails, [
    { id: 'mail-1', recipient: 'ops@example.com', subject: 's', body: 'b', accountId, createdAt: now },
  ])
  await insertRows(tx, t.traces, [
    { messageId: 'm-1', parent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', endsAt: now },
  ])
  await insertRows(tx, t.carrierReports, [{ process: 'p', at: now, report: '{}' }])
  await tx.run(
    "INSERT INTO oauth_keys (id, purpose, sealed, created_at) VALUES ('k', 'cookie', 'v1.sealed', $1)",
    [now],
  )
  const total = { carrier: 'north', hour: 0, country: 'GH', network: '', parts: 3, cost: 4 }
  await tx.run(
    'INSERT INTO carrier_totals (carrier, hour, country, network, parts, cost) VALUES ($1, $2, $3, $4, $5, $6)',
    Object.values(total),
  )
  return { plain: await unsent(), leased: await unsent(30_000) }
}
