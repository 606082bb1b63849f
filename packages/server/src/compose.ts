/** The only file that knows every room. */
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { Simulator } from './carriers/simulator.ts'
import { mountAssistants } from './compose/assistants.ts'
import { type Office, openOffice, type Surroundings } from './compose/office.ts'
import { composeSending } from './compose/sending.ts'
import { composeSignIn } from './compose/sign-in.ts'
import { createProxyWarning } from './compose/undeclared-proxy.ts'
import type { Config } from './config.ts'
import { createTicketMaker } from './domain/ids.ts'
import { createAccept } from './gateway/accept.ts'
import { createCallbackLog } from './gateway/callback-log.ts'
import { createCancel } from './gateway/cancel.ts'
import { type Connections, createConnections } from './gateway/connections.ts'
import { createDelegation, type Delegation } from './gateway/delegation.ts'
import { type DemoSecrets, seedDemo } from './gateway/demo.ts'
import { createEstimate } from './gateway/estimate.ts'
import { problemOf } from './gateway/failures.ts'
import { type Housekeeping, startHousekeeping } from './gateway/housekeeping.ts'
import { createIdentify } from './gateway/identify.ts'
import { createInsights } from './gateway/insights.ts'
import { createQueries } from './gateway/queries.ts'
import { createRates } from './gateway/rate-table.ts'
import { createPortal, type Portal } from './gateway/sign-in.ts'
import { createApp } from './http/app.ts'
import { createAuthenticate } from './http/auth.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { listCallbacks, replayCallback, replayFailedCallbacks } from './http/routes/callbacks.ts'
import { cancelScheduledSms } from './http/routes/cancel-scheduled-sms.ts'
import { deliveryInsights } from './http/routes/delivery-insights.ts'
import { estimateCost } from './http/routes/estimate-cost.ts'
import { getBalance } from './http/routes/get-balance.ts'
import { getMessage } from './http/routes/get-message.ts'
import { getRates } from './http/routes/get-rates.ts'
import { getTransactionStatus } from './http/routes/get-transaction-status.ts'
import { listScheduledSms } from './http/routes/list-scheduled-sms.ts'
import { listSenderIds } from './http/routes/list-sender-ids.ts'
import { scheduleSms } from './http/routes/schedule-sms.ts'
import { searchMessages } from './http/routes/search-messages.ts'
import { sendBulkSms } from './http/routes/send-bulk-sms.ts'
import { sendSms } from './http/routes/send-sms.ts'
import { createMetrics } from './metrics.ts'
import { createAddressGuard } from './net/address-guard.ts'
import { createOutbound } from './net/outbound.ts'
import { createSaturation } from './saturation.ts'
import { countSetAside } from './store/outbox-check.ts'

export interface Gateway extends Office {
  app: Hono
  /** Serves `/metrics`, when they have a port of their own. */
  metricsApp: Hono
  demo: DemoSecrets | undefined
  simulator: Simulator
  portal: Portal
  connections: Connections
  delegation: Delegation
  requestId(): string
  /** Where it listens, which is where people and assistants reach it unless a public address is set. */
  servedAt(url: string): void
  /** Where people sign in; undefined where nobody can. */
  signInUrl(): string | undefined
  /** Whether the worker and the housekeeping have nothing to do before some later time. */
  idle(): boolean
  start(): void
  /** Says on `/readyz` that no new requests should come. */
  drain(): void
  /** Takes no more, finishes or gives back what is under way, and closes the store. */
  stop(): Promise<void>
}

const CACHE_MS = 1_000

export async function compose(config: Config, surroundings: Surroundings): Promise<Gateway> {
  const { log } = surroundings
  const office = await openOffice(config, surroundings)
  const { clock, database, operator, connectors, keyring, sealer, newId } = office
  const books = { database, clock, newId }
  const sandbox = config.environment === 'sandbox'
  const metrics = createMetrics({ setAside: () => database.read(countSetAside) })
  const fault = (room: string) => (error: unknown) => {
    metrics.faults.inc({ room })
    log.error({ room, err: error }, 'a fault')
  }
  const demo = sandbox
    ? await seedDemo({ database, clock, sealer, operator, balance: config.demoBalance })
    : undefined

  const guard = createAddressGuard({ allowLoopback: sandbox, allowedCidrs: config.callbackAllowedCidrs })
  const network = createOutbound({ guard })
  // Anybody can have a document fetched, from any host: callbacks must not wait for the connections that this takes.
  const documents = createOutbound({ guard, maxSocketsPerHost: 2, maxSockets: 32 })
  const { simulator, finalize, worker, stopSending } = composeSending({
    ...books,
    config,
    sealer,
    outbound: surroundings.outbound ?? network.request,
    metrics,
    log,
    fault,
  })

  let stopping = false
  const requestIds = createTicketMaker(randomBytes)
  const requestId = () => requestIds(clock.now())
  const queries = createQueries(database, clock)
  const rates = createRates(database, clock, CACHE_MS)
  const callbackLog = createCallbackLog({ ...books, onCallbacks: () => worker.wake('callback') })
  const accept = createAccept({
    ...books,
    rates,
    validityMs: config.validityMs,
    roomFor: (messages) => worker.room('dispatch', messages),
    onAccepted(messages, waiting) {
      metrics.messagesAccepted.inc(messages)
      for (const kind of waiting) worker.wake(kind)
    },
    onFault: fault('gateway'),
  })
  const connections = createConnections(books)
  const delegation = createDelegation(books)
  const portal = createPortal({ ...books, busy: createSaturation() })
  const limit = config.rateLimit && createRateLimit({ ...config.rateLimit, clock })
  const authenticate = createAuthenticate({
    identify: createIdentify(database),
    identifyBearer: delegation.identify,
    clock,
    rememberMs: CACHE_MS,
  })
  const app = createApp({
    handlers: {
      sendSms: sendSms(accept),
      sendBulkSms: sendBulkSms(accept),
      getTransactionStatus: getTransactionStatus(queries),
      getBalance: getBalance(queries),
      searchMessages: searchMessages(queries),
      getMessage: getMessage(queries),
      estimateCost: estimateCost(createEstimate(rates)),
      scheduleSms: scheduleSms(accept),
      listScheduledSms: listScheduledSms(queries),
      cancelScheduledSms: cancelScheduledSms(createCancel({ ...books, queries, finalize })),
      listSenderIds: listSenderIds(queries),
      getRates: getRates(queries),
      deliveryInsights: deliveryInsights(createInsights(database, clock)),
      listCallbacks: listCallbacks(callbackLog),
      replayCallback: replayCallback(callbackLog),
      replayFailedCallbacks: replayFailedCallbacks(callbackLog),
    },
    authenticate,
    ...(limit ? { limit } : {}),
    bodyLimits: config.bodyLimits,
    targetRefusal: network.refusal,
    requestId,
    problemOf,
    onFault: (error, id) => {
      metrics.faults.inc({ room: 'http' })
      log.error({ requestId: id, err: error }, 'a request failed')
    },
    ready: () => !stopping,
    publicUrl: config.publicUrl,
    ...(sandbox ? { sandbox: { queries, tell: simulator.tell } } : {}),
  })
  let servedAt = `http://${config.host}:${config.port}`
  const publicUrl = () => config.publicUrl ?? servedAt
  // People sign in where the world knows the gateway by a name: tokens are made for it, letter by letter.
  const signIn =
    sandbox || config.publicUrl !== undefined
      ? composeSignIn({
          ...books,
          config,
          publicUrl,
          sealer,
          keyring,
          connectors,
          connections,
          delegation,
          portal,
          outbound: surroundings.outbound ?? documents.request,
          onUntrustedProxy: createProxyWarning({ clock, log }),
          fault,
        })
      : undefined
  signIn?.mount(app)
  mountAssistants(app, {
    ...books,
    config,
    publicUrl,
    tokens: signIn?.tokens,
    authenticate,
    fault,
  })
  const metricsApp = new Hono().get('/metrics', async (c) => {
    const { text, type } = await metrics.render()
    return c.body(text, 200, { 'content-type': type })
  })
  if (config.metrics === undefined) app.route('/', metricsApp)

  let housekeeping: Housekeeping | undefined
  return {
    ...office,
    app,
    metricsApp,
    demo,
    simulator,
    portal,
    connections,
    delegation,
    requestId,
    servedAt(url) {
      servedAt = url
    },
    signInUrl: () => signIn && publicUrl(),
    idle: () => worker.idle() && housekeeping?.idle() !== false,
    start() {
      worker.start()
      housekeeping = startHousekeeping({ ...books, connections, onFault: fault('housekeeping') })
    },
    drain() {
      stopping = true
    },
    async stop() {
      await Promise.all([housekeeping?.stop(), stopSending()])
      network.close()
      documents.close()
      await office.close()
    },
  }
}
