import { micros } from '@wigwag/contract'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { digestOf } from '../../src/accounts/secrets.ts'
import { type Assistant, asOwner, connect, tokenFor } from '../support/assistants.ts'
import { type Bench, openBench } from '../support/bench.ts'
import { basic, type Changes, MESSAGE } from '../support/harness.ts'
import type { About } from './requests.ts'

/** An account with something of everything: messages of several ends, a scheduled one, callbacks, and assistants. */
export interface Resident {
  secrets: AccountSecrets
  /** A client secret that was the account's until it was rotated. */
  revoked: string
  about: About
  headers: { authorization: string; 'x-wallet': string }
  tokens: Tokens
}

/** Headers with access tokens of an account's connections. */
export interface Tokens {
  sending: Assistant['headers']
  /** Of a connection that may only read. */
  reading: Assistant['headers']
  /** For reading alone, of a connection that may send. */
  narrowed: Assistant['headers']
  /** For sending, of a connection that may not. */
  widened: Assistant['headers']
  expired: Assistant['headers']
  revoked: Assistant['headers']
}

export interface World {
  bench: Bench
  residents: [Resident, Resident]
  /** Headers of a third account, which is suspended: its client's, and its assistant's. */
  suspended: { client: Changes; assistant: Changes }
}

const TOKENS_LIVE_MS = 5 * 60_000

/** Receivers take what is posted to them, but for those that are gone. */
export const answerByName: Bench['answer'] = ({ url }) =>
  new Response('seen', { status: url.includes('gone') ? 410 : 200 })

export async function openTwoAccounts(): Promise<World> {
  const bench = await openBench({ answer: answerByName })
  const first = await settle(bench, bench.demo, 'first', '233241111111')
  const second = await settle(bench, await newAccount(bench, 'second'), 'second', '233242222222')
  const third = await newAccount(bench, 'third')
  const oldest = await connect(bench, first.secrets.accountId)
  const older = await connect(bench, second.secrets.accountId)
  await bench.advance(TOKENS_LIVE_MS)
  const { headers: assistant } = await connect(bench, third.accountId)
  await bench.operator.setStatus(third.accountId, 'suspended')
  // Answers about callers are remembered for a second; what follows is about accounts as they are now.
  await bench.advance(2_000)
  return {
    bench,
    residents: [
      { ...first, tokens: await tokensOf(bench, first, oldest) },
      { ...second, tokens: await tokensOf(bench, second, older) },
    ],
    suspended: { client: headersOf(third), assistant },
  }
}

type Settler = Omit<Resident, 'tokens'>

async function tokensOf(bench: Bench, { secrets }: Settler, expired: Assistant): Promise<Tokens> {
  const { accountId } = secrets
  const sender = await connect(bench, accountId)
  const reader = await connect(bench, accountId, 'only reading')
  const revoked = await connect(bench, accountId)
  // A connection notes its use once a minute: with this one, what is refused later changes nothing at all.
  for (const { headers } of [sender, reader]) await bench.call('GET', '/v1/account/balance', headers)
  await bench.connections.revoke(asOwner(accountId), revoked.id)
  return {
    sending: sender.headers,
    reading: reader.headers,
    narrowed: await tokenFor(bench, sender.id, false),
    widened: await tokenFor(bench, reader.id, true),
    expired: expired.headers,
    revoked: revoked.headers,
  }
}

/** Another account of the gateway. */
export function newAccount({ operator }: Bench, name: string): Promise<AccountSecrets> {
  return operator.createAccount({
    name,
    email: `${name}@wigwag.dev`,
    currency: 'GHS',
    balance: micros(50_000_000),
    senders: ['WIGWAG', name.toUpperCase()],
  })
}

export function headersOf(secrets: AccountSecrets): Resident['headers'] {
  return { authorization: basic(secrets), 'x-wallet': `Token ${secrets.walletToken}` }
}

async function settle(bench: Bench, before: AccountSecrets, name: string, to: string): Promise<Settler> {
  const rotated = await bench.operator.rotateSecret(before.accountId)
  const secrets = { ...before, ...rotated }
  const headers = headersOf(secrets)
  const about = await furnish(bench, secrets, name, to)
  return { secrets, revoked: before.clientSecret, about, headers }
}

/** Gives a wallet something of everything, under a name that nothing else has. */
export async function furnish(bench: Bench, owner: AccountSecrets, name: string, to: string): Promise<About> {
  const sender = name.toUpperCase()
  await bench.operator.setSender(owner.accountId, sender, 'approved')
  const message = (label: string, fields: object = {}) => ({
    ...MESSAGE,
    From: sender,
    To: to,
    Content: `${name}: text of ${label}`,
    Reference: `${name}-${label}`,
    CallbackUrl: `https://${name}.example/${label}`,
    ...fields,
  })
  const send = async (path: string, body: object) => {
    const response = await bench.call('POST', path, headersOf(owner), body)
    const { Ticket }: { Ticket: string } = await response.json()
    return Ticket
  }
  const ticket = await send('/v1/messages/sms', message('delivered'))
  await send('/v1/messages/sms', message('gone'))
  await send('/v1/messages/sms', message('waiting', { To: `${to.slice(0, 7)}00005` }))
  const SendAt = '2026-02-01T00:00:00Z'
  const scheduled = await send('/v1/messages/sms/scheduled', message('scheduled', { SendAt }))
  await bench.advance(2_000)
  const [callback] = await bench.database.read(({ run }) =>
    run<{ id: string }>("SELECT id FROM callbacks WHERE url = $1 AND state = 'dead'", [
      `https://${name}.example/gone`,
    ]),
  )
  if (!callback) throw new Error(`the callback of ${name} to a receiver that is gone is not dead`)
  const keys = await bench.call('GET', '/v1/account/keys', headersOf(owner))
  const { Items }: { Items: { Id: string; Kind: string }[] } = await keys.json()
  const key = Items.find(({ Kind }) => Kind === 'wallet')?.Id ?? ''
  return { ticket, scheduled, callback: callback.id, key, recipient: to, sender }
}

const TABLES = {
  accounts: 'id',
  clients: 'account_id',
  keys: 'account_id',
  sender_ids: 'account_id',
  wallets: 'account_id',
  messages: 'account_id',
  callbacks: 'account_id',
  connections: 'account_id',
  ledger: 'wallet_id',
  hourly_totals: 'wallet_id',
}

/** All that is stored of an account, its work that waits included. */
export async function holdings({ bench }: World, { secrets: { accountId } }: Resident): Promise<string> {
  const rows = await bench.database.read(async ({ run }) => {
    const wallets = await run<{ id: string }>('SELECT id FROM wallets WHERE account_id = $1', [accountId])
    const found: object[] = []
    for (const [table, column] of Object.entries(TABLES)) {
      const owner = column === 'wallet_id' ? (wallets[0]?.id ?? '') : accountId
      found.push(...(await run(`SELECT * FROM ${table} WHERE ${column} = $1 ORDER BY 1, 2, 3`, [owner])))
    }
    const jobs = `SELECT * FROM outbox WHERE id IN (SELECT id FROM messages WHERE account_id = $1)
      OR id IN (SELECT id FROM callbacks WHERE account_id = $2) ORDER BY id`
    found.push(...(await run(jobs, [accountId, accountId])))
    const attempts = `SELECT * FROM callback_attempts WHERE callback_id IN
      (SELECT id FROM callbacks WHERE account_id = $1) ORDER BY callback_id, seq`
    const tokens = `SELECT * FROM delegated_tokens WHERE connection_id IN
      (SELECT id FROM connections WHERE account_id = $1) ORDER BY token_hash`
    return [...found, ...(await run(attempts, [accountId])), ...(await run(tokens, [accountId]))]
  })
  return JSON.stringify(rows)
}

/** The access tokens of an account's connections, as they are written in a header. */
export function accessTokens({ tokens }: Resident): string[] {
  return Object.values(tokens).map(({ authorization }: Assistant['headers']) => authorization.slice(7))
}

/** Texts that only an account's own answers may hold. */
export async function secretsOf({ bench }: World, resident: Resident): Promise<string[]> {
  const { secrets, about } = resident
  const rows = await bench.database.read(({ run }) =>
    run<Record<string, string>>(
      `SELECT m.id, m.content, m.reference, m.callback_url, m.wallet_id, c.id AS callback
       FROM messages m LEFT JOIN callbacks c ON c.message_id = m.id WHERE m.account_id = $1`,
      [secrets.accountId],
    ),
  )
  const connections = await bench.connections.list(secrets.accountId)
  const { accountId, clientId, clientSecret, walletToken, callbackSecret } = secrets
  const known = [accountId, clientId, clientSecret, walletToken, digestOf(walletToken), callbackSecret]
  const texts = rows.flatMap((row) => Object.values(row))
  const assistants = [...connections.map(({ id }) => id), ...accessTokens(resident)]
  const own = [...known, ...texts, ...assistants, about.recipient, about.sender]
  return [...new Set(own)].filter((text) => text !== MESSAGE.Content && text?.length > 4)
}
