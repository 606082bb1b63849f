import { micros } from '@wigwag/contract'
import { onTestFinished } from 'vitest'
import { grantLimits } from '../../src/assistants/grant-limits.ts'
import type { Carrier, QueryOutcome, Receipt, Submission, SubmitOutcome } from '../../src/delivery/carrier.ts'
import { createAwaitReceipts, createDispatch } from '../../src/delivery/dispatch.ts'
import { createFinalize, type Finalize } from '../../src/delivery/finalize.ts'
import { createLateSteps } from '../../src/delivery/late-steps.ts'
import { createTakeReceipts } from '../../src/delivery/receipts.ts'
import { createTicketMaker, epochMs, type Ticket } from '../../src/domain/ids.ts'
import { buildRateTable } from '../../src/domain/rates.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import type { JobKind } from '../../src/platform/database/schema.ts'
import type { Job } from '../../src/platform/jobs/outbox.ts'
import { createJobQueue } from '../../src/platform/jobs/queue.ts'
import { createAccept } from '../../src/sending/accept.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { open } from '../support/engine.ts'
import { makeWallets, NOW, walletState } from '../support/rows-of.ts'

export const PRICE = 42_000
export const BALANCE = 1_000_000
export const VALIDITY = 49 * 3_600_000
export const LEASE = 30_000
export const RETRIES = [1_000, 5_000]
export const ASK_AGAIN = 30_000

/** A carrier that does as it is told, and notes what it was asked. */
export interface ScriptedCarrier extends Carrier {
  query: Carrier['query']
  onSubmit: (message: Submission) => SubmitOutcome | Promise<SubmitOutcome>
  onQuery: (ticket: Ticket) => QueryOutcome
  submitted: Ticket[]
  asked: { ticket: Ticket; carrierRef: string | undefined }[]
  take(receipts: readonly Receipt[]): Promise<void>
}

function createScriptedCarrier(): ScriptedCarrier {
  const carrier: ScriptedCarrier = {
    name: 'scripted',
    receiptExpectedMs: 2_000,
    onSubmit: ({ ticket }) => ({ kind: 'accepted', carrierRef: `ref-${ticket}` }),
    onQuery: () => ({ kind: 'unknown' }),
    submitted: [],
    asked: [],
    submit(messages) {
      carrier.submitted.push(...messages.map(({ ticket }) => ticket))
      return Promise.all(messages.map((message) => carrier.onSubmit(message)))
    },
    async query(messages) {
      carrier.asked.push(...messages)
      return messages.map(({ ticket }) => carrier.onQuery(ticket))
    },
    take: async () => {},
    onReceipts(take) {
      carrier.take = take
    },
    close() {},
  }
  return carrier
}

/** The gateway's use cases on a real store, with a scripted carrier, and a night shift that works when told. */
export async function openKitchen() {
  const clock = createMovedClock(NOW)
  const database = open(':memory:')
  onTestFinished(() => database.close())
  await migrate(database)
  await makeWallets(database, { w: BALANCE })
  const newId = createTicketMaker((size) => new Uint8Array(size).fill(7))
  const carrier = createScriptedCarrier()
  const faults: unknown[] = []
  const onFault = (error: unknown) => faults.push(error)
  const lateSteps = createLateSteps({ database, clock, wake() {}, onFault })
  const finalize: Finalize = createFinalize({
    database,
    clock,
    newId,
    onCallbacks() {},
    onFinal: (endings) => lateSteps.forget(endings.map(({ ticket }) => ticket)),
  })
  const submittedAt = ({ ticket }: Receipt) => lateSteps.submittedAt(ticket) ?? clock.now()
  carrier.onReceipts(createTakeReceipts({ finalize, submittedAt, gatherMs: 0 }))
  const options = {
    database,
    clock,
    carrier,
    finalize,
    lateSteps,
    retryPlanMs: RETRIES,
    askAgainMs: ASK_AGAIN,
    wake() {},
    onFault,
  }
  const lanes = { dispatch: createDispatch(options), await: createAwaitReceipts(options) }
  const rates = buildRateTable([{ country: 'GH', price: micros(PRICE), currency: 'GHS' }])
  const accept = createAccept({
    database,
    clock,
    newId,
    rates: async () => rates,
    validityMs: VALIDITY,
    limits: grantLimits,
    roomFor: () => undefined,
    onAccepted() {},
    onFault() {},
  })

  const queue = createJobQueue(database)
  const take = (kind: JobKind): Promise<Job[]> =>
    queue.claim(kind, { now: clock.now(), leaseMs: LEASE, limit: 100 })

  const handOver = (jobs: readonly Job[]) => lanes.dispatch(jobs, () => {})
  async function dispatch(jobs: readonly Job[]): Promise<void> {
    await handOver(jobs)
    await lateSteps.flush()
  }

  return {
    clock,
    database,
    carrier,
    take,
    faults,
    lateSteps,
    /** Hands messages over, and leaves late steps for later. */
    handOver,
    dispatch,
    awaitReceipts: (jobs: readonly Job[]) => lanes.await(jobs, () => {}),
    wallet: () => walletState(database, 'w'),
    /** Does what is due now, and says whether there was anything. */
    async work(): Promise<boolean> {
      let worked = false
      for (let more = true; more; worked ||= more) {
        const jobs = { dispatch: await take('dispatch'), await: await take('await') }
        if (jobs.dispatch.length > 0) await dispatch(jobs.dispatch)
        if (jobs.await.length > 0) await lanes.await(jobs.await, () => {})
        more = jobs.dispatch.length + jobs.await.length > 0
      }
      return worked
    },
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
    async send(to = '233241234567'): Promise<Ticket> {
      const { json } = await accept({
        principal: {
          accountId: 'account-w',
          clientId: 'client-w',
          wallet: { id: 'w', currency: 'GHS' },
          senders: new Map([['WIGWAG', 'approved']]),
        },
        operation: 'sendSms',
        sender: 'WIGWAG',
        content: 'Hello',
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
    late: () =>
      database.read(({ run }) =>
        run<{ id: Ticket; status: string }>(
          'SELECT message_id AS id, status FROM late_receipts ORDER BY id',
          [],
        ),
      ),
  }
}

async function read(database: Database, ticket: Ticket): Promise<MessageRow[]> {
  const rows = await database.read(({ db, t }) => db.select().from(t.messages))
  return rows.filter(({ id }) => id === ticket)
}
