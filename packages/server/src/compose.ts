/** The only file that imports every subject. Creates the gateway's parts, in the order of their dependencies. */
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import packageJson from '../package.json' with { type: 'json' }
import { createOwnAccount } from './accounts/index.ts'
import { type Connections, createAssistants, createSendLimits, type Delegation } from './assistants/index.ts'
import { createCallbacks } from './callbacks/index.ts'
import type { Config } from './config.ts'
import { mountConsole } from './console/index.ts'
import { createDelivery, type Delivery, readPlan } from './delivery/index.ts'
import { type DeskParts, mountDesk } from './desk/index.ts'
import { createTicketMaker } from './domain/ids.ts'
import { createEvents } from './events/index.ts'
import { createHistory } from './history/index.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createMoney } from './money/index.ts'
import { createNetwork } from './network.ts'
import { type GatewayParts, openGatewayParts, type RunOptions } from './operator-parts.ts'
import { createOperators, createReception } from './operators/index.ts'
import { createBacklog } from './platform/backlog.ts'
import { createApp } from './platform/http/app.ts'
import { createAuthenticate } from './platform/http/auth.ts'
import { createClientAddress } from './platform/http/client-address.ts'
import { problemOf } from './platform/http/problems.ts'
import { createRateLimit } from './platform/http/rate-limit.ts'
import { createProxyWarnings } from './platform/http/undeclared-proxy.ts'
import { createValidate } from './platform/http/validate.ts'
import { createJobWorker } from './platform/jobs/job-worker.ts'
import { createObservation } from './platform/observe/observation.ts'
import { createFormTickets } from './platform/pages/forms.ts'
import { createPortal, createPortalPages, createSaturation, type Portal } from './portal/index.ts'
import {
  createFaults,
  createNoteRefusal,
  createSandboxSubject,
  type DemoSecrets,
  followDemo,
  mountControls,
  mountSandbox,
  type Sandbox,
  seedDemo,
} from './sandbox/index.ts'
import { createFieldRules, createSending } from './sending/index.ts'

export interface Gateway extends GatewayParts {
  app: Hono
  /** Serves `/metrics` where metrics have a separate port. */
  metricsApp: Hono
  /** Serves the operators' desk on a port of its own; undefined where there is none. */
  deskApp: Hono | undefined
  demo: DemoSecrets | undefined
  /** The controls of a sandbox; undefined in production. */
  sandbox: Sandbox | undefined
  tell: Delivery['tell']
  simulatedCarriers: Delivery['simulated']
  portal: Portal
  grants: Connections
  delegation: Delegation
  requestId(): string
  /** Sets the address that it listens on, which is also its public address unless one is configured. */
  servedAt(url: string): void
  /** The same for the desk. */
  deskServedAt(url: string): void
  /** The address at which operators open the desk; undefined where there is none. */
  deskUrl(): string | undefined
  /** The address at which people sign in; undefined where they can't. */
  signInUrl(): string | undefined
  /** Whether the worker and the housekeeping have nothing to do before some later time. */
  idle(): boolean
  start(): void
  /** Makes `/readyz` report not ready, so that no new requests come, and ends the pages' streams. */
  drain(): void
  /** Reads the carriers' file again. */
  reloadCarriers(): Promise<void>
  /** Takes no new jobs, finishes those under way or gives them back, and closes the database. */
  stop(): Promise<void>
}

/** How long credentials are cached, so how late a suspension or a new secret takes effect. */
const CREDENTIALS_KEPT_MS = 1_000
/** How long a stop waits for jobs that are under way. */
const STOP_MS = 5_000

export async function compose(config: Config, options: RunOptions): Promise<Gateway> {
  const { log, aroundCarrier = (carrier) => carrier } = options
  const { given, folder, variables } = config.carrier
  const readCarriers = () => readPlan(given, { folder, environment: variables() })
  // What can't be read is found before the database is migrated.
  readCarriers()
  const opened = await openGatewayParts(config, options)
  const { clock, sandboxClock, database, changes, connectors, keyring, sealer, keyFor, newId } = opened
  const { gatherMs } = config
  const sandbox = config.environment === 'sandbox'
  let servedAt = `http://${config.host}:${config.port}`
  const publicUrl = () => config.publicUrl ?? servedAt
  let deskServedAt = `http://localhost:${config.desk?.port}`
  const deskUrl = () => config.desk?.url ?? deskServedAt
  const stopping = new AbortController()

  const observation = await createObservation({
    ...opened,
    log,
    version: packageJson.version,
    environment: config.environment,
    traces: config.traces,
  })
  const { metrics, fault, countFault, tracing } = observation
  const backlog = createBacklog()
  const parts = { database, clock, changes, newId, metrics, log, fault, tracing, backlog }
  const network = createNetwork({ allowLoopback: sandbox, allowedCidrs: config.callbackAllowedCidrs })
  const worker = createJobWorker({ ...parts, pollMs: config.pollMs })
  const balance = config.demoBalance
  const demo = sandbox ? await seedDemo({ ...opened, balance }) : undefined
  const faults = sandbox ? createFaults({ clock, log, random: Math.random }) : undefined

  const account = createOwnAccount({ ...parts, sealer, onRotated: followDemo(sealer) })
  const money = createMoney(parts)
  const history = createHistory(parts)
  const receivers = options.outbound ?? network.callbacks
  const callbacks = createCallbacks({
    ...parts,
    worker,
    sealer,
    uses: account.uses,
    outbound: faults?.aroundReceivers(receivers) ?? receivers,
    realNow: sandboxClock?.real.now,
    timeoutMs: config.callbackTimeoutMs,
    gatherMs,
  })
  const events = createEvents({
    ...parts,
    worker,
    outbound: receivers,
    realNow: sandboxClock?.real.now,
    webhook: config.operatorWebhook,
    timeoutMs: config.callbackTimeoutMs,
    lowWalletCheckMs: config.lowWalletCheckMs,
  })
  const delivery = await createDelivery({
    ...config,
    ...parts,
    worker,
    readPlan: readCarriers,
    outbound: options.outbound ?? network.carriers,
    publicUrl,
    version: packageJson.version,
    departCallbacks: callbacks.depart,
    steadyClock: sandboxClock?.steady,
    aroundCarrier(carrier) {
      const surrounded = aroundCarrier(carrier)
      return faults?.aroundCarrier(surrounded) ?? surrounded
    },
  })
  const { depart, endMessages, tell } = delivery
  const validate = createValidate(createFieldRules(network.refusal))
  const sending = createSending({
    ...parts,
    worker,
    rates: money.rates,
    queries: history.queries,
    depart,
    endMessages,
    limits: createSendLimits(config.connector),
    validityMs: config.validityMs,
    validate,
  })
  const portal = createPortal({ ...parts, busy: createSaturation() })
  const assistants = createAssistants({
    ...parts,
    connectors,
    keyring,
    keyFor,
    outbound: options.outbound ?? network.documents,
    publicUrl,
    noteTools: account.uses.noteTools,
  })
  const { grants, delegation } = assistants

  const requestIds = createTicketMaker(randomBytes)
  const requestId = () => requestIds(clock.now())
  const authenticate = createAuthenticate({
    identify: account.identify,
    identifyBearer: delegation.identify,
    clock,
    rememberMs: CREDENTIALS_KEPT_MS,
  })
  const sandboxSubject =
    sandboxClock && faults
      ? createSandboxSubject({ ...parts, sandboxClock, faults, sealer, demo, balance, portal, tell })
      : undefined
  const limit = config.rateLimit && createRateLimit({ ...config.rateLimit, clock })
  const app = createApp({
    handlers: {
      ...account.handlers,
      ...money.handlers,
      ...history.handlers,
      ...callbacks.handlers,
      ...sending.handlers,
    },
    authenticate,
    ...(limit && { limit }),
    bodyLimit: (operation) =>
      operation === 'sendBulkSms' ? config.bodyLimits.bulk : config.bodyLimits.single,
    validate,
    requestId,
    problemOf,
    onFault: (error, id) => {
      countFault('http')
      log.error({ requestId: id, err: error }, 'a request failed')
    },
    ready: async () => !stopping.signal.aborted && (await opened.takesWrites()),
    publicUrl: config.publicUrl,
    ...(sandboxSubject && {
      limit: sandboxSubject.aroundLimit(limit),
      onRefused: createNoteRefusal({ ...sandboxSubject, authenticate }),
      mountMore(app, means) {
        mountSandbox(app, { ...means, ...history, tell })
        mountControls(app, { ...means, sandbox: sandboxSubject })
      },
    }),
  })
  delivery.mountReceipts(app)
  // Sign-in needs a public address, because a token is valid only for the exact address that it was issued for.
  const proxyWarnings = createProxyWarnings({ clock, log })
  const canSignIn = sandbox || config.publicUrl !== undefined
  const pages = canSignIn
    ? createPortalPages({
        portal,
        publicUrl,
        clock,
        keyFor,
        trustedProxies: config.trustedProxies,
        proxyWarnings,
      })
    : undefined
  assistants.mount(app, { pages, settings: config.connector, authenticate, limit })
  if (pages) {
    mountConsole(app, {
      ...pages,
      database,
      account,
      changes,
      metrics,
      streamCheckMs: config.streamCheckMs,
      stopping: stopping.signal,
      grants,
      history,
      money,
      callbacks,
      sending,
      sandbox: sandboxSubject,
      limit,
      problemOf,
      onFault: fault('console'),
    })
  }
  const realClock = sandboxClock?.real ?? clock
  const desk = config.desk && mountDesk(deskParts())
  const metricsApp = new Hono().get('/metrics', async (c) => {
    const { text, type } = await metrics.render()
    return c.body(text, 200, { 'content-type': type })
  })
  if (config.metrics === undefined) app.route('/', metricsApp)
  const { trustedProxies } = config
  // Last, so that what the connector asks of the gateway inside of it is not counted as requests.
  app.fetch = observation.requests(app.fetch, config.accessLog && { trustedProxies, proxyWarnings })
  if (desk)
    desk.fetch = observation.requests(desk.fetch, config.accessLog && { trustedProxies, proxyWarnings })
  const housekeeping = createHousekeeping({
    ...parts,
    realNow: realClock.now,
    grants,
    retain: config.retain,
    onFault: fault('housekeeping'),
  })

  return {
    ...opened,
    app,
    metricsApp,
    deskApp: desk,
    demo,
    sandbox: sandboxSubject,
    tell,
    simulatedCarriers: delivery.simulated,
    portal,
    grants,
    delegation,
    requestId,
    servedAt(url) {
      servedAt = url
    },
    deskServedAt(url) {
      const { hostname, port } = new URL(url)
      // Browsers know passkeys of localhost, not of an address.
      deskServedAt = hostname === '127.0.0.1' ? `http://localhost:${port}` : url
    },
    deskUrl: () => config.desk && deskUrl(),
    signInUrl: () => (canSignIn ? publicUrl() : undefined),
    idle: () =>
      worker.idle(faults?.keptWaiting()) &&
      [housekeeping, events.lowWallets, delivery.control, account.uses].every((part) => part.idle()),
    start() {
      worker.start([...delivery.lanes, callbacks.lane, events.lane])
      delivery.control.start()
      housekeeping.start()
      events.lowWallets.start()
    },
    reloadCarriers: delivery.control.reload,
    drain() {
      stopping.abort()
    },
    async stop() {
      stopping.abort()
      // Releases what a fault holds back.
      faults?.end()
      await Promise.all([housekeeping.stop(), events.lowWallets.stop(), delivery.control.stop()])
      await worker.stop(STOP_MS, delivery.behind)
      // A part that fails to close, such as while the database is away, must not leave the others open: the process would never end.
      const others = [account.uses.stop, network.close, tracing?.stop, opened.close]
      for (const close of others) await (async () => close?.())().catch(fault('stop'))
    },
  }

  function deskParts(): DeskParts {
    const address = createClientAddress(config.trustedProxies, proxyWarnings)
    return {
      ...{ database, config, clock, realClock, metrics, problemOf, stopping: stopping.signal },
      reception: createReception({ ...parts, sealer, realClock }),
      operators: (acting) => createOperators({ ...parts, acting, realClock }),
      tickets: createFormTickets({
        ...{ key: keyFor('desk form tickets'), publicUrl: deskUrl, randomBytes },
        cookie: 'wigwag_desk_form',
      }),
      url: deskUrl,
      addressOf: (c) => address(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
      onFault: fault('desk'),
    }
  }
}
