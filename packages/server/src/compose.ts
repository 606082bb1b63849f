/** The only file that knows every room. */
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { createSimulator, type Simulator } from './carriers/simulator.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { createTicketMaker } from './domain/ids.ts'
import { createAccept } from './gateway/accept.ts'
import { createCallbackSecrets } from './gateway/callback-secrets.ts'
import { createDeliverCallbacks } from './gateway/deliver-callbacks.ts'
import { seedDemo } from './gateway/demo.ts'
import { createAwaitReceipts, createDispatch } from './gateway/dispatch.ts'
import { problemOf } from './gateway/failures.ts'
import { createFinalize } from './gateway/finalize.ts'
import { startHousekeeping } from './gateway/housekeeping.ts'
import { createIdentify } from './gateway/identify.ts'
import { type AccountSecrets, createOperator, type Operator } from './gateway/operator.ts'
import { createQueries } from './gateway/queries.ts'
import { createRates } from './gateway/rate-table.ts'
import { createTakeReceipts } from './gateway/receipts.ts'
import { createApp } from './http/app.ts'
import { createAuthenticate } from './http/auth.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { getBalance } from './http/routes/get-balance.ts'
import { getTransactionStatus } from './http/routes/get-transaction-status.ts'
import { sendBulkSms } from './http/routes/send-bulk-sms.ts'
import { sendSms } from './http/routes/send-sms.ts'
import type { Logger } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createAddressGuard } from './net/address-guard.ts'
import { createOutbound } from './net/outbound.ts'
import type { Database } from './store/database.ts'
import { migrate } from './store/migrate.ts'
import { openDatabase } from './store/open.ts'
import { createSealer } from './store/sealing.ts'
import { createWorker } from './worker/worker.ts'

export interface Surroundings {
  clock: Clock
  log: Logger
  /** The process cannot go on: what is on the disk is unknown. */
  onFatal(error: Error): void
}

/** The store and what an operator does with it, without a gateway around: for commands beside a running server. */
export interface Office {
  database: Database
  operator: Operator
  newId: ReturnType<typeof createTicketMaker>
  close(): Promise<void>
}

export async function openOffice(config: Config, { clock, log, onFatal }: Surroundings): Promise<Office> {
  const database = openDatabase({
    url: config.database,
    postgresConnections: config.postgresConnections,
    onFatal,
    onIdleError: (error) => log.warn({ error: error.message }, 'an idle database connection broke'),
  })
  await migrate(database)
  const newId = createTicketMaker(randomBytes)
  const operator = createOperator({ database, clock, sealer: createSealer(config.secret), newId })
  return { database, operator, newId, close: () => database.close() }
}

export interface Gateway extends Office {
  app: Hono
  /** Serves `/metrics`, when they have a port of their own. */
  metricsApp: Hono
  demo: AccountSecrets | undefined
  simulator: Simulator
  requestId(): string
  start(): void
  /** Says on `/readyz` that no new requests should come. */
  drain(): void
  /** Takes no more, finishes or gives back what is under way, and closes the store. */
  stop(): Promise<void>
}

const CACHE_MS = 1_000
const STOP_MS = 7_000

export async function compose(config: Config, surroundings: Surroundings): Promise<Gateway> {
  const { clock, log } = surroundings
  const office = await openOffice(config, surroundings)
  const { database, operator, newId } = office
  const sandbox = config.environment === 'sandbox'
  const sealer = createSealer(config.secret)
  const metrics = createMetrics()
  const fault = (room: string) => (error: unknown) => {
    metrics.faults.inc({ room })
    log.error({ room, err: error }, 'a fault')
  }
  const demo = sandbox ? await seedDemo({ database, clock, sealer, operator }) : undefined

  const guard = createAddressGuard({ allowLoopback: sandbox, allowedCidrs: config.callbackAllowedCidrs })
  const outbound = createOutbound({ guard })
  const simulator = createSimulator({ clock, delayMs: config.simulatorDelayMs, onFault: fault('carriers') })
  const finalize = createFinalize({
    database,
    clock,
    newId,
    onCallbacks: () => worker.wake('callback'),
    onFinal: (endings) => {
      for (const { status } of endings) metrics.messagesFinal.inc({ status })
    },
  })
  simulator.onReceipts(createTakeReceipts(finalize))
  const dispatching = {
    database,
    clock,
    carrier: simulator,
    finalize,
    retryPlanMs: config.submitRetryMs,
    askAgainMs: 30_000,
  }
  const deliverCallbacks = createDeliverCallbacks({
    database,
    clock,
    outbound: outbound.request,
    random: Math.random,
    secretsOf: createCallbackSecrets(database, clock, sealer),
    timeoutMs: config.callbackTimeoutMs,
    onAttempt({ callback, result, next }) {
      metrics.callbackAttempts.inc({ outcome: next.kind })
      metrics.callbackSeconds.observe(result.latencyMs / 1_000)
      const answer = result.kind === 'reply' ? { status: result.status } : { failure: result.failure, detail: result.detail }
      const line = { callback: callback.id, ...answer, latencyMs: Math.round(result.latencyMs), next: next.kind }
      log[next.kind === 'delivered' ? 'debug' : 'info'](line, 'a callback was posted')
    },
  })
  const worker = createWorker({
    database,
    clock,
    pollMs: 1_000,
    onFault: (error, kind) => fault(`worker/${kind}`)(error),
    lanes: [
      { kind: 'dispatch', handle: createDispatch(dispatching), batch: 512, underWay: 2_048, leaseMs: 30_000, gatherMs: 5 },
      { kind: 'await', handle: createAwaitReceipts(dispatching), batch: 512, underWay: 1_024, leaseMs: 30_000, gatherMs: 5 },
      { kind: 'callback', handle: deliverCallbacks, batch: 128, underWay: 256, leaseMs: config.callbackTimeoutMs + 45_000, gatherMs: 5 },
    ],
  })

  let stopping = false
  const requestIds = createTicketMaker(randomBytes)
  const requestId = () => requestIds(clock.now())
  const queries = createQueries(database, clock)
  const accept = createAccept({
    database,
    clock,
    newId,
    rates: createRates(database, clock, CACHE_MS),
    validityMs: config.validityMs,
    onAccepted(count) {
      metrics.messagesAccepted.inc(count)
      worker.wake('dispatch')
    },
  })
  const limit = config.rateLimit && createRateLimit({ ...config.rateLimit, clock })
  const app = createApp({
    handlers: {
      sendSms: sendSms(accept),
      sendBulkSms: sendBulkSms(accept),
      getTransactionStatus: getTransactionStatus(queries),
      getBalance: getBalance(queries),
    },
    authenticate: createAuthenticate(createIdentify({ database, clock, cacheMs: CACHE_MS })),
    ...(limit ? { limit } : {}),
    bodyLimits: config.bodyLimits,
    requestId,
    problemOf,
    onFault: (error, id) => {
      metrics.faults.inc({ room: 'http' })
      log.error({ requestId: id, err: error }, 'a request failed')
    },
    ready: () => !stopping,
  })
  const metricsApp = new Hono().get('/metrics', async (c) => {
    const { text, type } = await metrics.render()
    return c.body(text, 200, { 'content-type': type })
  })
  if (config.metricsPort === undefined) app.route('/', metricsApp)

  let stopHousekeeping = () => {}
  return {
    ...office,
    app,
    metricsApp,
    demo,
    simulator,
    requestId,
    start() {
      worker.start()
      stopHousekeeping = startHousekeeping(database, clock, fault('housekeeping'))
    },
    drain() {
      stopping = true
    },
    async stop() {
      stopHousekeeping()
      await worker.stop(STOP_MS)
      simulator.close()
      outbound.close()
      await office.close()
    },
  }
}
