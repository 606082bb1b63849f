import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { micros } from '@wigwag/contract'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type OperatorParts, openOperatorParts } from '../../src/gateway/operator-parts.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { endLeases, endValidity } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { runLoad, ticketsOf } from '../support/load.ts'
import { emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { checkOutcome, comesToRest, isAnsweredFinal, isHandedOver, lookAtOnce } from './outcome.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Server, startServer } from './server.ts'

let folder: string
let place: FreshPostgres
let parts: OperatorParts
let receiver: Receiver
let servers: Server[] = []
let accounts: AccountSecrets[] = []

async function openSeveral(): Promise<void> {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-several-'))
  place = await emptyPostgres()
  const secrets = new Map<string, string>()
  receiver = await openReceiver(({ ClientReference }) => secrets.get(ClientReference) ?? '', 0.02)
  const env = {
    WIGWAG_DATABASE_URL: place.url,
    WIGWAG_SIMULATOR_DELAY_MS: '30',
    WIGWAG_POSTGRES_CONNECTIONS: '6',
    WIGWAG_CALLBACK_TIMEOUT_MS: '2000',
  }
  // All at once, on a database that is still empty.
  const starting = Array.from({ length: 3 }, () => startServer({ folder, env }))
  servers = await Promise.all(starting)
  const log = pino({ level: 'silent' })
  parts = await openOperatorParts(loadConfig({ database: place.url }, {}, folder), {
    clock: systemClock,
    acting: { actor: 'operator:ama' },
    log,
    onFatal() {},
  })
  accounts = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      parts.operator.createAccount({
        name: `several-${index}`,
        email: `several-${index}@example.com`,
        currency: 'GHS',
        balance: micros(10_000_000_000),
        senders: ['WIGWAG'],
      }),
    ),
  )
  for (const { clientId, callbackSecret } of accounts) secrets.set(clientId, callbackSecret)
}
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await parts?.close()
  await receiver.close()
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Sends one message by many requests with one key, to all of them, and gives its ticket. */
async function sendByOneKey(): Promise<string[]> {
  const [account] = accounts
  if (!account) throw new Error('expected an account')
  const body = { ...single(), Reference: account.clientId, CallbackUrl: receiver.url }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      call(servers[index % 3]?.url ?? '', account, { path: SINGLE, body, key: 'one' }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  return ticketsOf(answers[0]?.text ?? '')
}

describe('several gateways on one PostgreSQL, begun at once on an empty database', () => {
  it('keep every promise when one of them is killed under load', async () => {
    await openSeveral()
    const [first] = servers
    expect(first?.demo?.clientId).toMatch(/^wc_/)
    for (const { demo } of servers) expect(demo).toEqual(first?.demo)
    const sent = await sendByOneKey()
    let alive = servers
    const load = runLoad({
      urls: () => alive.map(({ url }) => url),
      accounts,
      clients: 24,
      prefix: 'several',
      callbackUrl: receiver.url,
    })
    await pause(1_500)
    const [victim, ...others] = servers
    await victim?.kill()
    await pause(500)
    alive = others
    await pause(1_000)
    const { acknowledged, requests } = await load.stop()
    await pause(1_000)
    await endLeases(parts.database)
    await eventually('all is handed over', () => isHandedOver(parts.database))
    await lookAtOnce(parts.database)
    await eventually('what the carrier answered is final', () => isAnsweredFinal(parts.database))
    const uncertain = await endValidity(parts.database)
    // The receiver is in this process: while others have the processors, it times out, and callbacks wait their turn again.
    await eventually('nothing is left to do', () => comesToRest(parts.database))
    await checkOutcome({
      name: 'three gateways, one killed',
      database: parts.database,
      acknowledged: [...sent, ...acknowledged],
      receiver,
      atLeast: 100,
      also: { requests, uncertain },
    })
    const ends = await Promise.all(others.map((server) => server.stop()))
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
  })
})
