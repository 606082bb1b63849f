import { afterAll, expect, it } from 'vitest'
import { pruneClients } from '../../../src/assistants/oauth/records.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { asOwner } from '../../support/assistants.ts'
import { eventually } from '../../support/eventually.ts'
import { connectTo, freshPostgres } from '../../support/postgres.ts'
import { formsOf } from './person.ts'
import { codeFor, livingConnections, mcp, READING, shareWorld, tokensFor } from './world.ts'

const { url, drop } = await freshPostgres()
const first = await shareWorld({ database: url })
const second = await shareWorld({ database: url })
// Hooks run the last one first, and this one when both are closed.
afterAll(drop)
second.gateway.servedAt(first.url)
const assistant = await first.assistant()
const elsewhere = assistant.at(second.url)

/**
 * Holds the row of the only record of a model, lets the work begin, and lets it go on when several wait for the row.
 */
async function holding<T>(model: string, waiting: number, work: () => Promise<T>): Promise<T> {
  const client = await connectTo(url)
  try {
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM oauth_records WHERE model = $1 AND consumed_at = 0 FOR UPDATE', [model])
    const done = work()
    const blocked = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const isHeld = async () => (await client.query(blocked)).rows[0].n >= waiting
    await eventually('they wait for the row', isHeld)
    await client.query('COMMIT')
    return await done
  } finally {
    await client.end()
  }
}

it('trades a code at another gateway than the one that gave it', async () => {
  const ama = await first.resident()
  const code = await codeFor(ama, assistant)
  const { status, body } = await elsewhere.trade(code)
  expect(status).toBe(200)
  for (const door of [first, second]) expect((await mcp(door.url, body.access_token)).status).toBe(200)
})

it('trades a code once for two that come to two gateways at the same time, and ends what came of it', async () => {
  const kofi = await first.resident()
  const code = await codeFor(kofi, assistant)
  const answers = await holding('AuthorizationCode', 2, () =>
    Promise.all([assistant.trade(code), elsewhere.trade(code)]),
  )
  const [lucky, other] = answers.sort((a, b) => a.status - b.status)
  expect([lucky?.status, other?.status, other?.body.error]).toEqual([200, 400, 'invalid_grant'])
  expect((await mcp(first.url, lucky?.body.access_token)).status).toBe(401)
  expect((await elsewhere.refresh(lucky?.body.refresh_token ?? '')).body.error).toBe('invalid_grant')
  expect(await livingConnections(first, kofi)).toBe(0)
})

it('gives the next tokens once for two refreshes at the same time, and ends the grant', async () => {
  const kofi = await first.resident()
  const { refresh_token } = await tokensFor(kofi, assistant)
  const answers = await holding('RefreshToken', 2, () =>
    Promise.all([assistant.refresh(refresh_token), elsewhere.refresh(refresh_token)]),
  )
  const [lucky, other] = answers.sort((a, b) => a.status - b.status)
  expect([lucky?.status, other?.status, other?.body.error]).toEqual([200, 400, 'invalid_grant'])
  expect((await mcp(second.url, lucky?.body.access_token)).status).toBe(401)
  expect((await elsewhere.refresh(lucky?.body.refresh_token ?? '')).body.error).toBe('invalid_grant')
  expect(await livingConnections(first, kofi)).toBe(0)
})

it('knows at one gateway that a token was refreshed at the other', async () => {
  const ama = await first.resident()
  const { refresh_token } = await tokensFor(ama, assistant)
  const { body } = await elsewhere.refresh(refresh_token)
  expect((await mcp(first.url, body.access_token)).status).toBe(200)
  expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
  expect((await mcp(second.url, body.access_token)).status).toBe(401)
})

it('ends at both gateways what was revoked at one', async () => {
  const ama = await first.resident()
  const { access_token, refresh_token } = await tokensFor(ama, assistant)
  expect((await mcp(first.url, access_token)).status).toBe(200)
  expect((await elsewhere.revoke(refresh_token)).status).toBe(200)
  expect((await mcp(first.url, access_token)).status).toBe(401)
  expect((await assistant.refresh(refresh_token)).body.error).toBe('invalid_grant')
  expect(await livingConnections(second, ama)).toBe(0)
})

it('ends a connection for good that is refreshed at the moment that its person ends it', async () => {
  const { connections } = second.gateway
  const kofi = await first.resident()
  const { refresh_token } = await tokensFor(kofi, assistant)
  const [connection] = await connections.list(kofi.accountId)
  const [answer, isEnded] = await holding('RefreshToken', 2, () =>
    Promise.all([
      assistant.refresh(refresh_token),
      connections.revoke(asOwner(kofi.accountId), connection?.id ?? ''),
    ]),
  )
  expect(isEnded).toBe(true)
  if (answer?.status === 200) {
    expect((await mcp(first.url, answer.body.access_token)).status).toBe(401)
    expect((await elsewhere.refresh(answer.body.refresh_token)).body.error).toBe('invalid_grant')
  }
  expect(await livingConnections(first, kofi)).toBe(0)
})

it('connects once for two answers that come to two gateways at the same time', async () => {
  const kofi = await first.resident()
  const page = await kofi.person.visit(assistant.authorizeUrl())
  const form = formsOf(page).find(({ action }) => action.includes('/oauth/interaction/'))
  const body = new URLSearchParams({ ...form?.hidden, ...READING })
  const { pathname, search } = new URL(form?.action ?? '')
  const answer = (door: string) =>
    kofi.person.send(`${door}${pathname}${search}`, { method: 'POST', headers: { origin: first.url }, body })
  const answers = await holding('Interaction', 2, () => Promise.all([answer(first.url), answer(second.url)]))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await livingConnections(first, kofi)).toBe(1)
})

it('forgets at one gateway the clients that nobody let in at either', async () => {
  const { database } = second.gateway
  const [used, unused] = [await first.assistant(), await first.assistant()]
  await tokensFor(await first.resident(), used)
  const clients = () =>
    database.read(({ run }) =>
      run<{ id: string }>('SELECT id FROM oauth_records WHERE model = $1', ['Client']),
    )
  const tomorrow = epochMs(systemClock.now() + 25 * 3_600_000)
  await pruneClients(database, tomorrow)()
  const ids = (await clients()).map(({ id }) => id)
  expect(ids).toContain(used.clientId)
  expect(ids).not.toContain(unused.clientId)
})

it('signs people in with keys that both gateways know, also after one has changed them', async () => {
  const ama = await first.resident()
  await second.gateway.keyring.rotate()
  await tokensFor(ama, elsewhere.at(first.url))
  const keysOf = async (door: string) => (await (await fetch(`${door}/oauth/jwks`)).json()).keys
  for (const { url: door } of [first, second])
    await eventually('it has seen the new key', async () => (await keysOf(door)).length === 2)
  await tokensFor(ama, elsewhere.at(first.url))
  expect(await keysOf(first.url)).toEqual(await keysOf(second.url))
})

it('forgets what is over, and knows nothing of it later', async () => {
  const kofi = await first.resident()
  const { access_token, refresh_token } = await tokensFor(kofi, assistant)
  const all = Array.from({ length: 4 }, (_, index) => [assistant, elsewhere][index % 2]?.revoke(access_token))
  for (const answer of await Promise.all(all)) expect(answer?.status).toBe(200)
  const left = await first.gateway.database.read(({ run }) =>
    run<{ model: string }>('SELECT model FROM oauth_records WHERE payload LIKE $1', [`%${kofi.accountId}%`]),
  )
  expect(left.map(({ model }) => model).filter((model) => model !== 'Session')).toEqual([])
  expect((await assistant.refresh(refresh_token)).status).toBe(400)
})
