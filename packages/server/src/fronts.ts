import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { Addresses } from './addresses.ts'
import type { Config } from './config.ts'
import { createConsoleView, mountConsole, WordSearches } from './console/index.ts'
import { createCarrier } from './delivery/index.ts'
import { mountDesk } from './desk/index.ts'
import { createTicketMaker } from './domain/ids.ts'
import type { GatewayParts, RunOptions } from './operator-parts.ts'
import { createOperatorWork } from './operator-work.ts'
import { createReception } from './operators/index.ts'
import { createApp } from './platform/http/app.ts'
import { createAuthenticate } from './platform/http/auth.ts'
import { createClientAddress } from './platform/http/client-address.ts'
import { problemOf } from './platform/http/problems.ts'
import { createRateLimit } from './platform/http/rate-limit.ts'
import { createProxyWarnings } from './platform/http/undeclared-proxy.ts'
import { createFormTickets } from './platform/pages/forms.ts'
import { createPortalPages } from './portal/index.ts'
import { createNoteRefusal, mountControls, mountSandbox } from './sandbox/index.ts'
import type { Subjects } from './subjects.ts'

/** How long credentials are cached, so how late a suspension or a new secret takes effect. */
const CREDENTIALS_KEPT_MS = 1_000

export interface FrontsOptions {
  config: Config
  opened: GatewayParts
  addresses: Addresses
  subjects: Subjects
  live: RunOptions['live']
  /** Aborted when the gateway stops taking requests. */
  stopping: AbortSignal
}

/** An app as a port serves it. */
export type Front = Pick<Hono, 'fetch' | 'routes'>

export interface Fronts {
  /** The API, the tools, sign-in and the console, on the public port. */
  app: Front
  /** Serves `/metrics` where metrics have a separate port. */
  metricsApp: Hono
  /** The operators' desk, on a port of its own; undefined where there is none. */
  deskApp: Front | undefined
  requestId(): string
}

/** What the gateway shows, a port after the other. */
export function createFronts(options: FrontsOptions): Fronts {
  const { config, opened, addresses, subjects, live, stopping } = options
  const { clock, database, changes, keyFor, sealer } = opened
  const { observation, parts, network, validate, realClock, account, money, history } = subjects
  const { callbacks, delivery, sending, signIn, people, assistants, sandbox } = subjects
  const { metrics, fault, countFault } = observation
  const { publicUrl, deskUrl } = addresses
  const { trustedProxies } = config
  const proxyWarnings = createProxyWarnings({ clock, log: parts.log })
  const requestIds = createTicketMaker(randomBytes)
  const requestId = () => requestIds(clock.now())
  const limit = config.rateLimit && createRateLimit({ ...config.rateLimit, clock })
  const reads = config.rateLimit && createRateLimit({ ...readsOf(config.rateLimit), clock })
  const authenticate = createAuthenticate({
    identify: account.identify,
    identifyBearer: assistants.delegation.identify,
    clock,
    rememberMs: CREDENTIALS_KEPT_MS,
  })

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
      parts.log.error({ requestId: id, err: error }, 'a request failed')
    },
    ready: async () => !stopping.aborted && (await opened.takesWrites()),
    publicUrl: config.publicUrl,
    ...(sandbox && {
      limit: sandbox.aroundLimit(limit),
      onRefused: createNoteRefusal({ ...sandbox, authenticate }),
      mountMore(site, routeParts) {
        mountSandbox(site, { ...routeParts, ...history, tell: delivery.tell })
        mountControls(site, { ...routeParts, sandbox })
      },
    }),
  })
  delivery.mountReceipts(app)
  const pages = addresses.canSignIn
    ? createPortalPages({ signIn, publicUrl, realClock, keyFor, trustedProxies, proxyWarnings })
    : undefined
  assistants.mount(app, { pages, settings: config.mcp, authenticate, limit })
  const consoleParts = pages && {
    ...pages,
    ...{ database, clock, account, changes, metrics, history, money, callbacks, sending, people, sandbox },
    ...{ limit, reads, problemOf, live, stopping },
    searches: new WordSearches(),
    invites: config.invites,
    connections: assistants.connections,
    onFault: fault('console'),
  }
  if (consoleParts) mountConsole(app, consoleParts)

  const metricsApp = new Hono().get('/metrics', async (c) => {
    const { text, type } = await metrics.render()
    return c.body(text, 200, { 'content-type': type })
  })
  if (config.metrics === undefined) app.route('/', metricsApp)

  const address = createClientAddress(trustedProxies, proxyWarnings)
  const deskApp =
    config.desk &&
    mountDesk({
      ...{ database, config, clock, realClock, metrics, problemOf, stopping },
      reception: createReception({ ...parts, sealer, realClock }),
      workOf: (acting) => {
        const tools = { ...opened, acting }
        return { ...tools, ...createOperatorWork(tools) }
      },
      tickets: createFormTickets({
        ...{ key: keyFor('desk form tickets'), publicUrl: deskUrl, randomBytes },
        cookie: 'wigwag_desk_form',
      }),
      consoleView: consoleParts && createConsoleView(consoleParts),
      consoleUrl: addresses.canSignIn ? publicUrl : undefined,
      planInForce: delivery.control.inForce,
      carrierFor: (settings) =>
        createCarrier(settings, {
          ...{ clock, publicUrl, simulator: config.simulator, outbound: network.carriers, submitOnly: true },
        }),
      url: deskUrl,
      addressOf: (c) => address(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
      onFault: fault('desk'),
    })

  // Around the ports alone: the tools call the API inside, and those calls are no requests of anybody.
  const observed = ({ fetch, routes }: Front): Front => ({
    routes,
    fetch: observation.requests(fetch, config.accessLog && { trustedProxies, proxyWarnings }),
  })
  return { app: observed(app), metricsApp, deskApp: deskApp && observed(deskApp), requestId }
}

/** People open more pages than they send forms. */
function readsOf({ perSecond, burst }: NonNullable<Config['rateLimit']>): {
  perSecond: number
  burst: number
} {
  return { perSecond: 2 * perSecond, burst: 2 * burst }
}
