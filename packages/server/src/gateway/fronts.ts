import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { noteRefusal } from '../accounts/index.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { mountReceiptDoor, openCarrier } from '../delivery/index.ts'
import { TicketMaker } from '../kernel/ids.ts'
import { Authentication } from '../net/callers/auth.ts'
import { LoggedWarnings, TrustedProxies } from '../net/callers/client-address.ts'
import { TokenBuckets } from '../net/callers/rate-limit.ts'
import { createFormTickets } from '../net/pages/forms.tsx'
import { buildApp } from '../net/server/app.ts'
import type { HttpContext } from '../net/server/body.ts'
import { problemOf } from '../net/server/problems.ts'
import { workOfOperators } from '../operate/operator-work.ts'
import { mountControls, mountReceipts } from '../sandbox/index.ts'
import { Reception } from '../sign-in/operators/index.ts'
import { pagesOf } from '../sign-in/portal/index.ts'
import { mountConsole, openConsoleView, WordSearches } from '../web/console/index.ts'
import { mountDesk } from '../web/desk/index.ts'
import { mountReferencePage } from '../web/reference/mount.ts'
import type { GatewayParts, RunOptions } from './operator-parts.ts'
import type { Subjects } from './subjects.ts'

/** How long credentials are cached, so how late a suspension or a new secret takes effect. */
const CREDENTIALS_KEPT_MS = 1_000

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

/** Opens the gateway's apps, one for each port. */
export function openFronts({
  config,
  opened,
  addresses,
  subjects,
  live,
  renderMetrics,
  stopping,
}: {
  config: Config
  opened: GatewayParts
  addresses: Addresses
  subjects: Subjects
  live: RunOptions['live']
  renderMetrics: RunOptions['renderMetrics']
  /** Aborted when the gateway stops taking requests. */
  stopping: AbortSignal
}): Fronts {
  const { clock, database, changes, keyFor, sealer } = opened
  const { observation, parts, network, validation, realClock, account, money, history } = subjects
  const { callbacks, delivery, sending, signIn, people, assistants, sandbox, accountAlerts } = subjects
  const { metrics, fault, countFault } = observation
  const { publicUrl, deskUrl } = addresses
  const { trustedProxies } = config
  const proxyWarnings = new LoggedWarnings({ clock, log: parts.log })
  const requestIds = new TicketMaker(randomBytes).make
  const requestId = () => requestIds(clock.now())
  const limit = config.rateLimit && new TokenBuckets({ ...config.rateLimit, clock }).limit
  const reads = config.rateLimit && new TokenBuckets({ ...readsOf(config.rateLimit), clock }).limit
  const address = new TrustedProxies(trustedProxies, proxyWarnings).clientAddress
  const addressOf = (c: Pick<HttpContext, 'env' | 'req'>) =>
    address(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for'))
  const { authenticate } = new Authentication({
    identify: account.identify,
    identifyBearer: (token) => assistants.delegation.identify(token),
    clock,
    rememberMs: CREDENTIALS_KEPT_MS,
    onCaller({ keyId }, c) {
      if (keyId !== undefined) account.addresses.note(keyId, addressOf(c))
    },
  })

  const record: Parameters<typeof noteRefusal>[0]['record'] = (caller, request) => {
    account.refusals.record(caller, request)
    sandbox?.refused.record(caller.accountId, request)
  }
  const app = buildApp({
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
    validation,
    requestId,
    problemOf,
    onFault: (error, id) => {
      countFault('http')
      parts.log.error({ requestId: id, err: error }, 'a request failed')
    },
    ready: async () => !stopping.aborted && (await opened.takesWrites()),
    publicUrl: config.publicUrl,
    onRefused: (...refusal) => noteRefusal({ record, authenticate, clock }, ...refusal),
    ...(sandbox && {
      limit: sandbox.aroundLimit(limit),
      mountMore(site, routeParts) {
        mountReceipts(site, routeParts, { ...history, tell: delivery.tell })
        mountControls(site, routeParts, sandbox)
      },
    }),
  })
  mountReceiptDoor(app, delivery.fleet)
  mountReferencePage(app, { sandbox, addressOf })
  const pages = addresses.canSignIn
    ? pagesOf(signIn, {
        operator: config.operator,
        publicUrl,
        realClock,
        keyFor,
        trustedProxies,
        proxyWarnings,
      })
    : undefined
  assistants.mount(app, { pages, settings: config.mcp, authenticate, limit })
  const consoleParts = pages && {
    ...pages,
    database,
    clock,
    account,
    changes,
    metrics,
    history,
    callbacks,
    alerts: accountAlerts,
    sending,
    people,
    sandbox,
    limit,
    reads,
    problemOf,
    live,
    stopping,
    searches: new WordSearches(),
    invites: config.invites,
    connections: assistants.connections,
    onFault: fault('console'),
  }
  if (consoleParts) mountConsole(app, consoleParts)

  const metricsApp = new Hono().get('/metrics', async (c) => {
    const { text, type } = await (renderMetrics?.() ?? metrics.render())
    return c.body(text, 200, { 'content-type': type })
  })
  if (config.metrics === undefined) app.route('/', metricsApp)

  const deskApp =
    config.desk &&
    mountDesk({
      database,
      config,
      clock,
      realClock,
      metrics,
      problemOf,
      live,
      stopping,
      reception: new Reception({ ...parts, sealer, realClock }),
      workOf: (acting) => {
        const tools = { ...opened, acting }
        return { ...tools, ...workOfOperators(tools) }
      },
      tickets: createFormTickets({
        key: keyFor('desk form tickets'),
        publicUrl: deskUrl,
        randomBytes,
        cookie: 'wigwag_desk_form',
      }),
      consoleView: consoleParts && openConsoleView(consoleParts),
      consoleUrl: addresses.canSignIn ? publicUrl : undefined,
      planInForce: () => delivery.control.inForce(),
      carrierFor: (settings) =>
        openCarrier(settings, {
          clock,
          publicUrl,
          simulator: config.simulator,
          outbound: network.carriers,
          submitOnly: true,
        }),
      url: deskUrl,
      addressOf,
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
