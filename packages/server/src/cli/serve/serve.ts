import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { isLoopbackHost, shownUrl } from '@wigwag/contract'
import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { simulatedWarning } from '../../delivery/index.ts'
import { compose, type Gateway } from '../../gateway/compose.ts'
import type { RunOptions } from '../../gateway/operator-parts.ts'
import { type OwnProcess, ownProcess } from '../../gateway/processes/own-process.ts'
import { undeclaredProxy } from '../../net/callers/client-address.ts'
import { type Listener, listen, type Serving } from '../../net/server/listen.ts'
import { unknownSettings } from '../../operate/doctor/index.ts'
import { DEMO_EMAIL, DEMO_SENDER, type DemoSecrets } from '../../sandbox/index.ts'
import { commandProcess, stopSignal } from '../command-process.ts'
import { listenFailure } from '../failure.ts'
import { runOptions, withDatabase } from '../settings.ts'
import { say } from '../terminal.ts'
import { greet, serveAmongOthers, watchOver } from './processes.ts'

const DRAIN_MS = 3_000

type Place = Pick<Config, 'host' | 'port'>

export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Run the gateway.')
    .option('--host <address>', 'the address to listen on (WIGWAG_HOST, default 127.0.0.1)')
    .option('--port <number>', 'the port (WIGWAG_PORT, default 8080)')
    .option(
      '--processes <number>',
      'how many gateways share the port, on PostgreSQL (WIGWAG_PROCESSES, default: in production one for each two processors, at most 8)',
    )
    .action(serve)
}

async function serve(flags: Record<string, string>): Promise<void> {
  const own = ownProcess(commandProcess().env)
  try {
    const { config, ...rest } = await runOptions(flags, own?.number)
    // In the cluster of another program, that program has chosen how many there are.
    if (config.processes > 1 && cluster.isPrimary) await watchOver(config, rest)
    else await serveOne(config, rest, own)
  } finally {
    own?.leave()
  }
}

async function serveOne(config: Config, rest: RunOptions, own: OwnProcess | undefined): Promise<void> {
  const gateway = await compose(config, {
    ...rest,
    // With one processor, a thread beside the first would only take turns with it.
    threads: availableParallelism() > 1,
    renderMetrics: own && (() => own.metrics()),
  })
  const listeners: Listener[] = []
  const urls = await openAll(gateway, config, listeners, own).catch(async (error: unknown) => {
    await close(gateway, listeners)
    throw error
  })
  gateway.start()
  gateway.servedAt(urls.url)
  if (urls.deskUrl !== undefined) gateway.deskServedAt(urls.deskUrl)
  const simulated =
    config.environment === 'production' ? simulatedWarning(gateway.simulatedCarriers()) : undefined
  const warnings = [undeclaredProxy(config), simulated, ...unknownSettings(config)].filter(
    (warning) => warning !== undefined,
  )
  const deskUrl = gateway.deskUrl()
  const text = banner({
    ...urls,
    deskUrl,
    signInUrl: gateway.signInUrl(),
    simulated,
    config,
    demo: gateway.demo,
  })
  if (own) await serveAmongOthers(own, gateway, { banner: text, warnings }, rest.log)
  else {
    // Installed first, because a stop signal may arrive as soon as the banner is shown.
    const asked = stopSignal()
    commandProcess().on('SIGHUP', gateway.reloadCarriers)
    greet({ banner: text, warnings }, rest.log)
    await asked
    say('Stopping …')
  }
  gateway.drain()
  // Requests are still answered meanwhile, and a proxy that asks `/readyz` learns to send no more.
  await pause(config.stopDelayMs)
  await close(gateway, listeners)
}

/**
 * Listens for the API, for metrics and for the desk. Adds each listener to `listeners` as it opens, in case a later one
 * fails. Of several processes one has the desk, which keeps in memory what operators have begun there. It comes last: free
 * ports (0) are shared by the order in which they are asked for.
 */
async function openAll(gateway: Gateway, config: Config, listeners: Listener[], own: OwnProcess | undefined) {
  async function open(
    app: Serving['app'],
    place: Place & { anyPort?: boolean },
    setting: string,
  ): Promise<string> {
    const { requestId } = gateway
    const { host, port, anyPort = false } = place
    const listener = await listen({ app, host, port, requestId })
      .catch((error: unknown) => {
        if (anyPort && port !== 0) return listen({ app, host, port: 0, requestId })
        throw error
      })
      .catch((error: unknown) => {
        throw listenFailure(error, place, setting)
      })
    listeners.push(listener)
    return listener.url
  }
  const url = await open(gateway.app, config, '--port')
  const metricsUrl = config.metrics && (await open(gateway.metricsApp, config.metrics, 'WIGWAG_METRICS_PORT'))
  const hasDesk = own === undefined || own.hasDesk
  const deskUrl =
    hasDesk && config.desk && gateway.deskApp
      ? await open(gateway.deskApp, config.desk, 'WIGWAG_OPERATOR_PORT')
      : undefined
  return { url, metricsUrl, deskUrl }
}

async function close(gateway: Gateway, listeners: readonly Listener[]): Promise<void> {
  gateway.drain()
  await Promise.all(listeners.map((listener) => listener.close(DRAIN_MS)))
  await gateway.stop()
}

/** A number in the demo account's country that the simulator delivers to. */
const DEMO_RECIPIENT = '233241234567'

/** The text shown when the gateway has started: its addresses, its settings and a command to try. */
export function banner({
  url,
  metricsUrl,
  deskUrl,
  signInUrl,
  simulated,
  config,
  demo,
}: {
  url: string
  metricsUrl: string | undefined
  /** The address of the operators' desk, if there is one. */
  deskUrl?: string | undefined
  /** The address where people sign in, if it is known. */
  signInUrl: string | undefined
  /** The warning that carriers are simulated in production. */
  simulated: string | undefined
  config: Config
  demo: DemoSecrets | undefined
}): string {
  const lines = [
    ...openSandbox(config),
    ...(simulated ? [`*** ${simulated} ***`, ''] : []),
    `Wigwag is listening on ${url}`,
    '',
    `  console       ${signInUrl ? `${signInUrl}/` : 'no one can sign in: set WIGWAG_PUBLIC_URL'}`,
    ...(deskUrl ? [`  operators     ${deskUrl}/`] : []),
    `  environment   ${config.environment}`,
    `  database      ${shownDatabase(config.database)}`,
    ...(config.processes > 1 ? [`  processes     ${config.processes}`] : []),
    `  API reference ${url}/docs`,
    `  assistants    ${signInUrl ? `${signInUrl}/mcp` : 'no one can sign in: set WIGWAG_PUBLIC_URL'}`,
    ...(metricsUrl ? [`  metrics       ${metricsUrl}/metrics`] : []),
  ]
  if (!demo) return `${lines.join('\n')}\n`
  return `${[
    ...lines,
    '',
    'The demo account, for the SDK, the examples and the commands (the same at every start on this database):',
    '',
    `export WIGWAG_BASE_URL=${url}`,
    `export WIGWAG_CLIENT_ID=${demo.clientId}`,
    `export WIGWAG_CLIENT_SECRET=${demo.clientSecret}`,
    `export WIGWAG_WALLET_TOKEN=${demo.walletToken}`,
    `export WIGWAG_FROM=${DEMO_SENDER}`,
    `export WIGWAG_CALLBACK_SECRET=${demo.callbackSecret}`,
    '',
    'Send a message:',
    '',
    `curl ${url}/v1/messages/sms \\`,
    `  -u ${demo.clientId}:${demo.clientSecret} \\`,
    `  -H 'X-Wallet: Token ${demo.walletToken}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"From":"${DEMO_SENDER}","To":"${DEMO_RECIPIENT}","Content":"Hello from Wigwag"}'`,
    '',
    ...(demo.password === undefined
      ? []
      : [`Sign in to the console at ${url}/ with ${DEMO_EMAIL} and the password ${demo.password}`, '']),
    'Stop with Ctrl-C.',
  ].join('\n')}\n`
}

/** The database's URL without its password, which may be before the host or among the parameters. */
function shownDatabase(url: string): string {
  return url.includes('://') ? shownUrl(url.replace(/\?.*$/s, '')) : url
}

/** Warns if the sandbox is reachable from other machines: it has no rate limits and calls loopback addresses. */
function openSandbox({ environment, host }: Config): string[] {
  if (environment !== 'sandbox' || isLoopbackHost(host)) return []
  return [
    '*** WARNING: other machines can reach this sandbox ***',
    `WIGWAG_HOST is ${host}, but a sandbox is not meant for others: it has no rate limits, and its callbacks may`,
    'go to programs on this machine. Use 127.0.0.1, or WIGWAG_ENV=production.',
    '',
  ]
}
