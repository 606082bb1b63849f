import { micros } from '@wigwag/contract'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { CallerLimits } from '../../src/assistants/send-limits.ts'
import { endMessages } from '../../src/delivery/finish/end-messages.ts'
import { Finish } from '../../src/delivery/finish/finish.ts'
import { Fleet } from '../../src/delivery/fleet.ts'
import type { CarrierPlan } from '../../src/delivery/plan/plan.ts'
import { RouteTable } from '../../src/delivery/plan/routes.ts'
import { depart } from '../../src/delivery/submit/routing.ts'
import type { Job } from '../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../src/flow/jobs/queue.ts'
import type { Lane } from '../../src/flow/jobs/worker.ts'
import { epochMs, type Ticket, TicketMaker } from '../../src/kernel/ids.ts'
import { buildRateTable } from '../../src/kernel/money/rates.ts'
import type { EndMessages } from '../../src/messages/index.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import { Accept } from '../../src/messages/sending/accept.ts'
import { CommitUncertain, type Database, StoreUnavailable } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import type { JobKind } from '../../src/store/schema/schema.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { open } from '../support/engine.ts'
import { makeWallets, NOW, walletState } from '../support/rows-of.ts'
import { createScriptedCarrier, type ScriptedCarrier } from './scripted-carrier.ts'

export { accepted } from './scripted-carrier.ts'

export const PRICE = 42_000
export const BALANCE = 1_000_000
export const VALIDITY = 49 * 3_600_000
export const LEASE = 30_000
export const RETRIES = [1_000, 5_000]
export const ASK_AGAIN = 30_000

export interface DeliveryOptions {
  /** Where the store is; in memory when left out. */
  place?: string
  /** The names of the carriers, the one to prefer first. */
  carriers?: readonly string[]
  /** The operator's cost of a part. */
  cost?: number
  /** Put between the use cases and their store. */
  around?(database: Database): Database
}

/** The gateway's use cases on a real store, with scripted carriers, and lanes that work when told. */
export async function openDelivery({
  place = ':memory:',
  carriers = ['scripted'],
  cost,
  around = (database) => database,
}: DeliveryOptions = {}) {
  const clock = createMovedClock(NOW)
  const database = around(open(place))
  onTestFinished(() => database.close())
  await migrate(database)
  await makeWallets(database, { w: BALANCE })
  const newId = new TicketMaker((size) => new Uint8Array(size).fill(7)).make
  const scripted = new Map(carriers.map((name) => [name, createScriptedCarrier(name)]))
  const [carrier] = scripted.values()
  if (!carrier) throw new Error('expected at least one carrier')
  const faults: unknown[] = []
  const noted: string[] = []
  const woken: string[] = []
  const onFault = (error: unknown) => faults.push(error)
  const ends = {
    database,
    clock,
    newId,
    finish: new Finish(database),
    onFinal: (_: unknown, { walletIds }: { walletIds: ReadonlySet<string> }) => void noted.push(...walletIds),
  }
  const end: EndMessages = (endings, wait) => endMessages(ends, endings, wait)
  const lanes = new Map<string, Lane>()
  const queue = new JobQueue(database)
  const fleet = new Fleet(
    {
      database,
      clock,
      log: pino({ level: 'silent' }),
      fault: () => (error) => String(onFault(error)),
      worker: {
        open: (lane) => void lanes.set(`${lane.kind}/${lane.lane}`, lane),
        async close(closing, _, behind) {
          for (const { kind, lane } of closing) lanes.delete(`${kind}/${lane}`)
          await behind.close()
          await behind.flush()
        },
        notify: (lane, jobs) => queue.notify(lane, jobs),
        wake: ({ kind, lane }) => void woken.push(`${kind}/${lane}`),
      },
      create: ({ name }) => scripted.get(name) ?? carrier,
      endMessages: end,
      retryPlanMs: RETRIES,
      askAgainMs: ASK_AGAIN,
      gatherMs: 0,
      lane: { batch: 100, underWay: 100, leaseMs: LEASE, gatherMs: 0 },
    },
    planOf([]),
  )
  fleet.start()
  await fleet.apply(planOf(carriers, cost))
  const laneOf = (kind: JobKind, name: string): Lane => {
    const lane = lanes.get(`${kind}/${name}`)
    if (!lane) throw new Error(`expected a lane ${kind}/${name}`)
    return lane
  }
  const rates = buildRateTable([{ country: 'GH', price: micros(PRICE), currency: 'GHS' }])
  const accept = new Accept(
    { database, clock, newId },
    {
      rates: async () => rates,
      validityMs: VALIDITY,
      limits: new CallerLimits({ dailySpend: undefined, dailyMessages: undefined, recipients: undefined }),
      depart: (messages) =>
        depart(
          {
            worker: { reserve: () => undefined, notify: (lane, jobs) => queue.notify(lane, jobs) },
            laneOf: (message) => fleet.laneOf(message),
            validityMs: VALIDITY,
          },
          messages,
        ),
      onAccepted() {},
      onFault() {},
    },
  )

  const claim = ({ kind, lane, patienceMs }: Lane): Promise<Job[]> => {
    const now = clock.now()
    return queue.claim(
      { kind, lane },
      { now, dueBy: now - (patienceMs?.() ?? 0), leaseMs: LEASE, limit: 100 },
    )
  }
  const take = (kind: JobKind, name = carrier.name) => claim(laneOf(kind, name))
  const handle = ({ handle: all }: Lane, jobs: readonly Job[]) => all(jobs, () => {})

  return {
    clock,
    database,
    acting: { actor: 'operator:ama' },
    changes: { note: (walletId: string) => void noted.push(walletId) },
    /** The wallets of which it was said that something changed. */
    noted,
    carrier,
    carrierNamed(name: string): ScriptedCarrier {
      const found = scripted.get(name)
      if (!found) throw new Error(`expected a carrier ${name}`)
      return found
    },
    fleet,
    take,
    faults,
    /** The lanes that were told to look again. */
    woken,
    /** How many more messages the lane of the first carrier may claim. */
    capacity: () => laneOf('dispatch', carrier.name).capacity?.(),
    handOver: (jobs: readonly Job[]) => handle(laneOf('dispatch', carrier.name), jobs),
    awaitReceipts: (jobs: readonly Job[]) => handle(laneOf('await', carrier.name), jobs),
    wallet: () => walletState(database, 'w'),
    /** Does what is due now in all lanes, and says whether there was anything. */
    async work(): Promise<boolean> {
      let worked = false
      for (let more = true; more; worked ||= more) {
        more = false
        for (const lane of lanes.values()) {
          const jobs = await claim(lane)
          if (jobs.length > 0) await handle(lane, jobs)
          more ||= jobs.length > 0
        }
      }
      return worked
    },
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
    async send(to = '233241234567', content = 'Hello'): Promise<Ticket> {
      const { json } = await accept.send({
        principal: {
          accountId: 'account-w',
          clientId: 'client-w',
          wallet: { id: 'w', currency: 'GHS' },
          senders: new Map([['WIGWAG', 'approved']]),
        },
        operation: 'sendSms',
        sender: 'WIGWAG',
        content,
        callbackUrl: 'https://receiver.invalid/',
        recipients: [{ to, reference: '' }],
        pointerTo: () => '/To',
        idempotency: undefined,
        render: ([message]) => message?.id ?? '',
      })
      return json as Ticket
    },
    async message(ticket: Ticket): Promise<MessageRow> {
      const [row] = await read(database, ticket)
      if (!row) throw new Error(`there is no message ${ticket}`)
      return row
    },
    jobs: (kind: JobKind) =>
      database.read(({ run }) =>
        run<{ id: string; runAt: number }>('SELECT id, run_at AS "runAt" FROM outbox WHERE kind = $1', [
          kind,
        ]),
      ),
    /** The lane in which each message waits. */
    laneOf: async (ticket: Ticket) => {
      const [row] = await database.read(({ run }) =>
        run<{ kind: JobKind; lane: string; runAt: number }>(
          'SELECT kind, lane, run_at AS "runAt" FROM outbox WHERE id = $1',
          [ticket],
        ),
      )
      return row
    },
    refs: () =>
      database.read(({ run }) =>
        run<{ ref: string; ticket: Ticket | null; verdict: string | null }>(
          'SELECT ref, message_id AS ticket, verdict FROM carrier_refs ORDER BY ref',
          [],
        ),
      ),
    late: () =>
      database.read(({ run }) =>
        run<{ id: Ticket; status: string }>(
          'SELECT message_id AS id, status FROM late_receipts ORDER BY id',
          [],
        ),
      ),
  }
}

/** A store that commits, and whose answer can be lost. */
export function losingCommits() {
  let losing = false
  return {
    loseNext() {
      losing = true
    },
    around: (database: Database): Database => ({
      ...database,
      async write(work, how) {
        const result = await database.write(work, how)
        if (!losing) return result
        losing = false
        throw new CommitUncertain('on purpose')
      },
    }),
  }
}

/** A store that refuses to write while it is told to. */
export function refusingWrites() {
  let refuses = false
  return {
    refuse(now: boolean) {
      refuses = now
    },
    around: (database: Database): Database => ({
      ...database,
      write: (work, how) =>
        refuses ? Promise.reject(new StoreUnavailable('on purpose')) : database.write(work, how),
    }),
  }
}

/** The carriers for every message, the first one preferred. */
function planOf(names: readonly string[], cost?: number): CarrierPlan {
  const ways = names.map((name, index) => ({
    name,
    priority: index,
    weight: 1,
    cost: cost === undefined ? undefined : micros(cost),
  }))
  const route = { prefix: '', networks: [], senders: [], accounts: [], ways }
  return {
    carriers: new Map(names.map((name) => [name, { kind: 'simulator', name }])),
    routes: new RouteTable(names.length > 0 ? [route] : []),
    warnings: [],
    fixed: [],
  }
}

async function read(database: Database, ticket: Ticket): Promise<MessageRow[]> {
  const rows = await database.read(({ db, t }) => db.select().from(t.messages))
  return rows.filter(({ id }) => id === ticket)
}
