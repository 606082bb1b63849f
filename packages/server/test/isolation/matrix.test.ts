import { operations } from '@wigwag/contract/operations'
import { describe, expect, it } from 'vitest'
import type { OperationId } from '../../src/net/server/handler.ts'
import { basic, type Changes } from '../support/harness.ts'
import { ask, OPERATIONS, requestOf, requests } from './requests.ts'
import { accessTokens, holdings, openTwoAccounts, type Resident, secretsOf, type World } from './world.ts'

interface Credential {
  name: string
  headers: Changes
  /** Whose caller this proves to be; nobody's when it is turned away. */
  proves: Resident | undefined
  /** The status of the answer when it is turned away. */
  status: number
}

/** Every credential that one account's people could try, given that they know some of another's. */
function credentialsOf(
  id: OperationId,
  me: Resident,
  other: Resident,
  suspended: World['suspended'],
): Credential[] {
  const { authorization, 'x-wallet': wallet } = me.headers
  const { clientId } = me.secrets
  const turnedAway = (name: string, status: number, headers: Changes) => ({
    name,
    headers,
    status,
    proves: undefined,
  })
  const mixed = (name: string, owner: Resident, headers: Changes) =>
    operations[id].wallet ? turnedAway(name, 403, headers) : { name, headers, status: 200, proves: owner }
  return [
    turnedAway('nothing', 401, { authorization: undefined, 'x-wallet': undefined }),
    turnedAway('a wallet token alone', 401, { authorization: undefined, 'x-wallet': wallet }),
    turnedAway('a malformed header', 401, { authorization: 'Basic !', 'x-wallet': wallet }),
    turnedAway('the wallet token as bearer', 401, {
      authorization: `Bearer ${me.secrets.walletToken}`,
      'x-wallet': wallet,
    }),
    turnedAway('a wrong secret', 401, {
      authorization: basic({ clientId, clientSecret: `${me.secrets.clientSecret}x` }),
      'x-wallet': wallet,
    }),
    turnedAway("the other's secret", 401, {
      authorization: basic({ clientId, clientSecret: other.secrets.clientSecret }),
      'x-wallet': wallet,
    }),
    turnedAway('a revoked secret', 401, {
      authorization: basic({ clientId, clientSecret: me.revoked }),
      'x-wallet': wallet,
    }),
    turnedAway('a suspended account', 403, suspended.client),
    mixed("the other's client with the own wallet", other, { ...other.headers, 'x-wallet': wallet }),
    mixed("the own client with the other's wallet", me, { ...other.headers, authorization }),
    { name: 'its own', headers: me.headers, status: 200, proves: me },
    ...accessTokensOf(id, me, other, suspended),
  ]
}

/** The same of the access tokens that assistants are given. */
function accessTokensOf(
  id: OperationId,
  me: Resident,
  other: Resident,
  suspended: World['suspended'],
): Credential[] {
  const { tokens, headers } = me
  const row = operations[id]
  const scope = 'scope' in row ? row.scope : undefined
  const reads = scope === 'sms:read'
  const forReading = (name: string, shown: Changes): Credential =>
    reads
      ? { name, headers: shown, status: 200, proves: me }
      : { name, headers: shown, status: 403, proves: undefined }
  const turnedAway = (name: string, shown: Changes, status = 401) => ({
    name,
    headers: shown,
    status,
    proves: undefined,
  })
  const { authorization } = tokens.sending
  // Operations without a scope are for an account's keys alone, so they are closed to all assistants.
  if (!scope)
    return [...Object.entries(tokens)].map(([name, shown]) => turnedAway(`the access token: ${name}`, shown))
  return [
    { name: 'its own access token', headers: tokens.sending, status: 200, proves: me },
    {
      name: "its own access token with the other's wallet",
      headers: { ...other.headers, authorization },
      status: 200,
      proves: me,
    },
    {
      name: "the other's access token with the own wallet",
      headers: { ...headers, authorization: other.tokens.sending.authorization },
      status: 200,
      proves: other,
    },
    forReading('an access token of a connection that may only read', tokens.reading),
    forReading('an access token that was narrowed to reading', tokens.narrowed),
    forReading('an access token for sending of a connection that may only read', tokens.widened),
    turnedAway('an access token that has expired', tokens.expired),
    turnedAway('an access token of a connection that was revoked', tokens.revoked),
    turnedAway('an access token of a suspended account', suspended.assistant, 403),
    turnedAway('an access token as Basic', {
      ...headers,
      authorization: authorization.replace('Bearer', 'Basic'),
    }),
    turnedAway('an access token as the wallet token', {
      authorization: undefined,
      'x-wallet': authorization.replace('Bearer', 'Token'),
    }),
    turnedAway('an access token with more behind it', { authorization: `${authorization}x` }),
  ]
}

async function isScheduled({ bench }: World, { about }: Resident): Promise<boolean> {
  const rows = await bench.database.read(({ run }) =>
    run("SELECT 1 AS one FROM messages WHERE id = $1 AND status = 'scheduled'", [about.scheduled]),
  )
  return rows.length > 0
}

/**
 * Makes requests that prove the same account, or none, about each of both, and holds them to the promise: no answer has a
 * secret of others, and all of them together change nothing of others.
 */
async function tryOut(world: World, id: OperationId, credentials: readonly Credential[]) {
  const [first] = credentials
  const others = world.residents.filter((resident) => resident !== first?.proves)
  const holdingsOfOthers = () => Promise.all(others.map((other) => holdings(world, other)))
  const before = await holdingsOfOthers()
  const secrets = (await Promise.all(others.map((other) => secretsOf(world, other)))).flat()
  for (const credential of credentials) {
    for (const about of world.residents) {
      const { text, label } = await answerTo(world, id, about, credential)
      const said = JSON.stringify(requestOf(id, about.about))
      const kept = secrets.filter((secret) => !said.includes(secret))
      expect(kept.length).toBeGreaterThan(10 * others.length)
      const told = kept.filter((secret) => text.includes(secret))
      expect(told, label).toEqual([])
    }
  }
  await world.bench.advance(0)
  expect(await holdingsOfOthers(), `${id} with ${credentials.map(({ name }) => name)}`).toEqual(before)
}

/** Makes one request, and sees whether it was let through. */
async function answerTo(world: World, id: OperationId, about: Resident, credential: Credential) {
  const { name, headers, proves, status } = credential
  // A program scheduled the message: while it waits, an assistant can't cancel it.
  const waits = id === 'cancelScheduledSms' && (await isScheduled(world, about))
  const response = await ask(world.bench, id, { 'idempotency-key': 'same-key', ...headers }, about.about)
  const text = JSON.stringify([...response.headers]) + (await response.text())
  const label = `${id} with ${name}: ${text}`
  const foreign = proves !== undefined && proves !== about && 'pathParameters' in operations[id]
  const elsewhere = waits && status === 200 && headers.authorization?.startsWith('Bearer ')
  const expected = foreign && id !== 'getRates' ? 404 : elsewhere ? 403 : status
  expect(response.status, label).toBe(expected)
  return { text, label }
}

describe('two accounts on one gateway', () => {
  it('are told apart by every operation of the table', () => {
    expect(Object.keys(requests).sort()).toEqual([...OPERATIONS].sort())
  })

  it.each(OPERATIONS)(
    'see and change nothing of each other with %s, whatever credentials they show',
    async (id) => {
      const world = await openTwoAccounts()
      const [first, second] = world.residents
      const credentials = [
        ...credentialsOf(id, first, second, world.suspended),
        ...credentialsOf(id, second, first, world.suspended),
      ]
      for (const [, alike] of Map.groupBy(credentials, ({ proves }) => proves)) await tryOut(world, id, alike)
    },
  )

  it('keep their secrets out of what they are told of themselves', async () => {
    const world = await openTwoAccounts()
    for (const resident of world.residents) {
      const { headers, secrets, tokens, about } = resident
      const { clientSecret, walletToken, callbackSecret } = secrets
      const own = [clientSecret, walletToken, callbackSecret, ...accessTokens(resident)]
      for (const id of OPERATIONS) {
        for (const proof of [headers, tokens.sending]) {
          const text = await (await ask(world.bench, id, proof, about)).text()
          for (const secret of own) expect(text).not.toContain(secret)
        }
      }
    }
  })
})
