import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../server/test/support/free-port.ts'
import type { Outcome } from '../src/check.ts'
import type { ConformSettings } from '../src/conform.ts'
import { credentials, openPlainServer } from './plain-server.ts'
import { idsOf, tryPlain, tryServer } from './tried.ts'

it('costs no more than it may, also on a server that takes everything', async () => {
  const greedy = {
    required: () => [],
    needsBasic: () => false,
    checksSecret: () => false,
    checksToken: () => false,
  }
  for (const [spend, messages] of [
    [0, 0],
    [0.05, 1],
    [0.12, 2],
    [0.3, 6],
  ] as const) {
    const { taken, outcomes } = await tryPlain(greedy, { spend })
    expect(taken).toBeLessThanOrEqual(messages)
    expect(idsOf(outcomes, 'must', 'not tried')).toContain('bulk.requires-Recipients')
  }
})

it('says that checks were not tried for lack of money, and fails none of them', async () => {
  const { outcomes, taken } = await tryPlain({}, { spend: 0.05 })
  expect(taken).toBe(1)
  expect(idsOf(outcomes, 'must', 'failed')).toEqual([])
  expect(outcomes.find(({ id }) => id === 'bulk.accepted')).toMatchObject({
    state: 'not tried',
    came: 'it would take the cost to 0.15, and --spend is 0.05',
  })
})

it('sends nothing more when the price can not be known', async () => {
  const { taken, outcomes } = await tryPlain(
    { record: (found) => ({ ...found, Status: 'pending' }), balance: (found) => ({ ...found, balance: 10 }) },
    { waitMs: 300 },
  )
  expect(taken).toBe(1)
  expect(outcomes.find(({ id }) => id === 'single.shortest')?.came).toContain(
    'the price of a message is not known',
  )
})

/** Tries the plain server under a name that is not of this machine. */
async function tryFromAfar(changes: Partial<ConformSettings>) {
  const server = await openPlainServer()
  onTestFinished(() => server.close())
  const near = (place: string | URL | Request) => String(place).replace('gateway.example', '127.0.0.1')
  return tryServer(server.url.replace('127.0.0.1', 'gateway.example'), {
    fetch: (place, init) => fetch(near(place), init),
    ...changes,
  })
}

const ofCallbacks = ({ outcomes }: { outcomes: readonly Outcome[] }) =>
  outcomes.filter(({ id, level }) => level === 'must' && id.startsWith('callback.'))

it('tries no callbacks where the server has no address for them', async () => {
  const tried = ofCallbacks(await tryFromAfar({}))
  expect(new Set(tried.map(({ state, came }) => `${state}: ${came}`))).toEqual(
    new Set(['not tried: the server has no address for callbacks: --callback-url gives one']),
  )
})

it('takes callbacks at a public address that leads to its port', async () => {
  const port = await freePort()
  const callback = { host: '127.0.0.1', port, publicUrl: `http://localhost:${port}/hooks/` }
  const tried = ofCallbacks(await tryFromAfar({ callback }))
  expect(tried.map(({ state }) => state)).toEqual(Array(12).fill('passed'))
})

it('shows no secret that an answer repeats, whole or cut', async () => {
  const { clientSecret, walletToken } = credentials
  const { outcomes } = await tryPlain({
    balance: (found) => ({ ...found, asOf: `${'x'.repeat(108)}${clientSecret}` }),
    instead(url, response) {
      if (url !== '/v1/messages') return false
      response.writeHead(302, { location: `/sign-in?${walletToken}` }).end()
      return true
    },
  })
  const came = (id: string) => outcomes.find((outcome) => outcome.id === id)?.came
  expect(came('balance.date')).toBe(`asOf is "${'x'.repeat(108)}…"`)
  expect(came('extension.messages')).toMatch(/a redirect to \/sign-in\?…$/)
})

it('makes no check after it was stopped', async () => {
  const stop = new AbortController()
  const { outcomes } = await tryPlain(
    {},
    {
      stopped: stop.signal,
      onOutcome({ id }) {
        if (id === 'single.accepted') stop.abort()
      },
    },
  )
  const after = outcomes.slice(outcomes.findIndex(({ id }) => id === 'single.accepted') + 1)
  expect(new Set(after.map(({ state, came }) => `${state}: ${came}`))).toEqual(
    new Set(['not tried: the run was stopped']),
  )
})
